import type { FastifyInstance } from 'fastify'
import { createAccounts } from './accounts/accounts.ts'
import { accountAdminRoutes } from './accounts/admin-routes.ts'
import { createFirstAdministrator, type FirstAdministrator } from './accounts/bootstrap.ts'
import { createPasswords } from './accounts/passwords.ts'
import { basicAuthenticator } from './basic/authenticator.ts'
import { migrate } from './database/migrate.ts'
import type { Deps } from './deps.ts'
import { docsRoutes } from './docs/routes.ts'
import { logEvents } from './events/events.ts'
import { healthRoutes } from './health/routes.ts'
import { type Chore, startChores } from './housekeeping.ts'
import { access } from './http/access.ts'
import { registerOpenApi } from './http/openapi.ts'
import { routeGroups } from './http/route-groups.ts'
import { collectRoutes, type RouteRow } from './http/route-table.ts'
import { createServer } from './http/server.ts'
import { loadKeySet } from './keys/key-set.ts'
import { loginRoutes } from './login/routes.ts'
import { sessionAuthenticator } from './session/authenticator.ts'
import { sessionRoutes } from './session/routes.ts'
import { createSessions, endSessionsOf } from './session/sessions.ts'
import { createThrottle, reapThrottle } from './throttle/throttle.ts'
import { bearerAuthenticator, endBearer } from './token/authenticator.ts'
import { createProfiles } from './token/profiles.ts'
import { loadRevocations } from './token/revocations.ts'
import { tokenRoutes } from './token/routes.ts'
import { createTokens } from './token/tokens.ts'
import { userRoutes } from './users/routes.ts'
import { createUsers } from './users/users.ts'

const reapEveryMs = 60_000
const reapedAtOnce = 1000
const flushEveryMs = 1000

export interface App {
  readonly server: FastifyInstance
  /** The administrator that this start has made; null where there was one. */
  readonly firstAdministrator: FirstAdministrator | null
  readonly routes: () => RouteRow[]
  /** What runs beside the requests, for whoever wants it to run now. */
  readonly chores: readonly Chore[]
}

/** The whole service, ready to listen: schema and keys first, then the floor, then every room. */
export async function buildApp(deps: Deps): Promise<App> {
  const { config, db, feed, clock, random, log } = deps
  await migrate(db, clock)

  const events = logEvents(log)
  const keys = await loadKeySet(deps)
  const revocations = await loadRevocations(deps)
  const passwords = createPasswords(config, random)
  const throttle = createThrottle(deps, config.login.perUsername)
  const accounts = createAccounts({
    ...deps,
    passwords,
    hooks: {
      ending: [endSessionsOf],
      revoking: [revocations.revokeBelow],
      changed: [revocations.appended],
    },
  })
  const users = createUsers({
    db,
    hooks: {
      removing: [accounts.removeWithUser],
      changed: [(id) => profiles.forget(id), revocations.appended],
    },
  })
  const profiles = createProfiles(users, feed)
  const sessions = createSessions(deps)
  const tokens = createTokens({ config, clock, random, keys })
  // Hashed on another thread while the server is put together.
  const bootstrap = createFirstAdministrator(accounts, config, random)
  bootstrap.catch(() => {}) // told where it is awaited

  const firstFactorDeps = { db, events, passwords, throttle }
  const server = await createServer(deps)
  await server.register(access, {
    config,
    authenticators: [
      basicAuthenticator({ ...firstFactorDeps, accounts, clock, random }),
      bearerAuthenticator({ clock, tokens, revocations }),
      sessionAuthenticator(config, sessions),
    ],
  })
  const routes = collectRoutes(server)
  await registerOpenApi(server, config.baseUrl)

  server.register(healthRoutes, { db })
  server.register(loginRoutes, { ...firstFactorDeps, config, clock, accounts, sessions, tokens })
  server.register(sessionRoutes, {
    config,
    events,
    sessions,
    endBearer: endBearer({ tokens, revocations }),
  })
  server.register(tokenRoutes, { config, accounts, events, keys, profiles, tokens })
  for (const [prefix, version] of [
    ['', 'v1'],
    ['/api/v1', 'v1'],
    ['/api/v2', 'v2'],
  ] as const) {
    server.register(userRoutes, { prefix, config, events, users, version })
  }
  server.register(accountAdminRoutes, { accounts, events })
  server.register(docsRoutes, { config })
  server.register(routeGroups)

  const chores: Chore[] = [
    { name: 'session activity', everyMs: flushEveryMs, run: sessions.flush },
    { name: 'ended sessions', everyMs: reapEveryMs, run: () => sessions.reap(reapedAtOnce) },
    { name: 'revocations', everyMs: reapEveryMs, run: () => revocations.reap(reapedAtOnce) },
    {
      name: 'throttle places',
      everyMs: reapEveryMs,
      run: () => reapThrottle(deps, [config.login.perUsername], reapedAtOnce),
    },
  ]
  const stopChores = startChores(chores, log)
  server.addHook('onClose', async () => {
    await stopChores()
    await sessions.flush().catch((error: unknown) => log.error({ err: error }, 'activity was lost'))
    await db.destroy()
  })
  await server.ready()
  return { server, firstAdministrator: await bootstrap, routes, chores }
}
