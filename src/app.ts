import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { certificateOf } from './core/http/connections/certificate.ts'
import { closeWith, plainHttp } from './core/http/connections/plain-http.ts'
import { collectRoutes } from './core/http/documents/declared-routes.ts'
import { addFrames } from './core/http/pages/frames.ts'
import { eventsOfRefusals } from './core/http/refusals/events-of-refusals.ts'
import { access } from './core/http/routes/access.ts'
import { createServer } from './core/http/server/server.ts'
import { jobsOf } from './core/module/jobs.ts'
import { createServiceMaker } from './core/module/make.ts'
import type { Module } from './core/module/module.ts'
import { loadMonitoring, startCounting } from './core/module/monitoring.ts'
import { assertDistinctReasons, requestHeadersOf } from './core/module/registry.ts'
import { authenticatorsOf, loadModules, registerRoutes } from './core/module/serve.ts'
import type { Needs } from './core/module/services.ts'
import type { Deps } from './core/runtime/deps.ts'
import { attempt, inJobContext, type Job, jobsOfWorker, startJobs } from './core/runtime/jobs.ts'
import { tracedFetch } from './core/runtime/traced-fetch.ts'
import {
  type MakeFirstAdministrator,
  prepareFirstAdministrator,
} from './modules/accounts/bootstrap.ts'
import { waitForFirstAccount } from './modules/health/first-start.ts'
import { watchDatabaseFiles } from './modules/health/replaced-files.ts'
import { modules as ours } from './modules.ts'

export interface App {
  readonly server: FastifyInstance
  /** Called once the service listens; null if there is an account already. */
  readonly makeFirstAdministrator: MakeFirstAdministrator | null
  /** The server of HTTP_REDIRECT_PORT; null if the setting is not set. */
  readonly plainHttp: Server | null
  /** The jobs, which a caller may run at once. */
  readonly jobs: readonly Job[]
  /** Runs those that read files at once, one after another. A failure is logged. */
  readonly readFiles: () => Promise<void>
}

export interface AppOptions {
  /** Whether the jobs run on their schedules; otherwise the caller runs them. */
  readonly runsJobs?: boolean
  /** Called when all requests are answered, before the database is closed. */
  readonly closing?: () => void
  /** Called when a file of the SQLite database was replaced: the process must end, and not close it. */
  readonly replaced?: (path: string) => void
  readonly modules?: readonly Module[]
  /** Where `buildWeb` put the pages, which are of the same modules. */
  readonly builtPages?: URL
}

/**
 * Builds the whole service, ready to listen: schema, keys and services first, then the server with
 * the routes and authenticators of the modules, then the jobs.
 * @throws Error if two modules declare the same thing; the message names both
 */
export async function buildApp(
  given: Deps,
  { runsJobs = true, closing, replaced, modules = ours, builtPages }: AppOptions = {},
): Promise<App> {
  const { config, databaseFiles, db, random, workers, traces = null } = given
  const hiddenPaths = config.password.breachUrl // they begin the digest of a password
  const deps = { ...given, fetch: tracedFetch({ fetch: given.fetch, traces, hiddenPaths }) }
  const [loaded, reasons, monitoring] = await Promise.all([
    loadModules(modules),
    assertDistinctReasons(modules),
    loadMonitoring(modules),
  ])
  const maker = await createServiceMaker(deps, { modules })
  const services = await maker.all()
  deps.feed.isCurrent() // begins to listen
  const { stop, close } = maker.closing()
  const wired: Needs = { ...deps, ...services }
  // The password is hashed on another thread while the server is built.
  const bootstrap =
    workers.index === 0
      ? prepareFirstAdministrator(services.accounts, config, random)
      : Promise.resolve(null)
  bootstrap.catch(() => {}) // the await below throws it

  const certificate = certificateOf(deps)
  if (certificate) deps.measurements.certificate.validUntil = certificate.validUntil
  const server = await createServer(deps, {
    requestHeaders: requestHeadersOf(modules),
    certificate,
  })
  const isEmpty = (await services.accounts.after(0, 1)).length === 0
  const firstIsThere = isEmpty ? waitForFirstAccount(server, services) : null
  const fileWatch =
    databaseFiles &&
    watchDatabaseFiles(server, databaseFiles, (path) => {
      void stopJobs() // each of them would fail, and log it
      replaced?.(path)
    })
  const authenticators = authenticatorsOf(loaded, wired)
  await server.register(access, { ...deps, authenticators })
  await server.register(eventsOfRefusals, { ...deps, reasons })
  startCounting(monitoring, deps.measurements, server.refusalListeners)
  collectRoutes(server, config)
  server.addHook('onRoute', services.returnPaths.add)
  addFrames(server, config, builtPages)
  registerRoutes(server, loaded, wired)

  const jobs = [
    ...jobsOf(loaded, wired),
    ...(certificate ? [inJobContext(certificate.renewal(server.server))] : []),
    countedRefusals(deps),
    ...(fileWatch ? [fileWatch] : []),
  ]
  const stopJobs = startJobs(runsJobs ? jobsOfWorker(jobs, workers) : [], deps)
  server.addHook('onClose', async () => {
    await stopJobs()
    await stop()
    closing?.()
    deps.events.emitCounts('atOnce')
    await close()
    await db.destroy()
    await traces?.close()
  })
  const plain = config.http.redirectPort === undefined ? null : plainHttp(config)
  if (plain) closeWith(server, plain)
  await server.ready()
  const make = await bootstrap
  return {
    server,
    makeFirstAdministrator:
      make &&
      (async (keep) => {
        const made = await make(keep)
        firstIsThere?.() // made here, or by another node at the same time
        return made
      }),
    plainHttp: plain?.server ?? null,
    jobs,
    async readFiles() {
      const never = new AbortController().signal
      for (const job of jobs) if (job.readsFiles) await attempt(job, deps, never)
    },
  }
}

/** Tells of a flood of refusals that has ended, which no further refusal tells of. */
function countedRefusals({ events }: Pick<Deps, 'events'>): Job {
  return {
    name: 'counted refusals',
    everyMs: 10_000,
    inEachWorker: true,
    run: async () => events.emitCounts(),
  }
}
