import type { FastifyInstance } from 'fastify'
import { type MakeFirstAdministrator, prepareFirstAdministrator } from './accounts/bootstrap.ts'
import { registerOpenApi } from './http/documents/openapi.ts'
import { collectRoutes, type RouteRow } from './http/documents/route-table.ts'
import { access } from './http/routes/access.ts'
import { createServer } from './http/server/server.ts'
import { jobsOf } from './room/jobs.ts'
import { requestHeadersOf } from './room/registry.ts'
import type { Room } from './room/room.ts'
import { authenticatorsOf, loadParts, registerRoutes } from './room/serve.ts'
import { rooms as ours } from './rooms.ts'
import type { Deps } from './runtime/deps.ts'
import { type Job, startJobs } from './runtime/jobs.ts'
import { createServices, type Wired } from './services.ts'

export interface App {
  readonly server: FastifyInstance
  /** Called once the service listens; null if there is an account already. */
  readonly makeFirstAdministrator: MakeFirstAdministrator | null
  readonly routes: () => RouteRow[]
  /** The jobs, which a caller may run at once. */
  readonly jobs: readonly Job[]
}

export interface AppOptions {
  /** Whether the jobs run on their schedules; otherwise the caller runs them. */
  readonly runsJobs?: boolean
  readonly rooms?: readonly Room<Wired>[]
}

/**
 * Builds the whole service, ready to listen: schema, keys and services first, then the server with
 * the routes and authenticators of the rooms, then the jobs.
 * @throws Error if two rooms declare the same thing; the message names both
 */
export async function buildApp(
  deps: Deps,
  { runsJobs = true, rooms = ours }: AppOptions = {},
): Promise<App> {
  const { config, db, random, log } = deps
  const loaded = await loadParts(rooms)
  const services = await createServices(deps, { rooms })
  const wired: Wired = { ...deps, ...services }
  // The password is hashed on another thread while the server is built.
  const bootstrap = prepareFirstAdministrator(services.accounts, config, random)
  bootstrap.catch(() => {}) // the await below throws it

  const server = await createServer(deps, { requestHeaders: requestHeadersOf(rooms) })
  const authenticators = authenticatorsOf(loaded, wired)
  await server.register(access, { ...deps, authenticators })
  const routes = collectRoutes(server, config.roles)
  await registerOpenApi(server, config)
  registerRoutes(server, loaded, wired)

  const jobs = jobsOf(loaded, wired)
  const stopJobs = startJobs(runsJobs ? jobs : [], log)
  server.addHook('onClose', async () => {
    await stopJobs()
    await services.sessions
      .flush()
      .catch((error: unknown) => log.error({ err: error }, 'activity was lost'))
    await db.destroy()
  })
  await server.ready()
  return { server, makeFirstAdministrator: await bootstrap, routes, jobs }
}
