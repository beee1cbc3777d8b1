import type { FastifyInstance } from 'fastify'
import { createAccounts } from './accounts/accounts.ts'
import { accountAdminRoutes } from './accounts/admin-routes.ts'
import { type FirstAdministrator, prepareFirstAdministrator } from './accounts/bootstrap.ts'
import { breachQuery } from './accounts/breached/range-query.ts'
import { createAutomaticLock } from './accounts/lock.ts'
import { createPasswords } from './accounts/passwords.ts'
import { basicAuthenticator } from './basic/authenticator.ts'
import { migrate } from './database/migrate.ts'
import type { Deps } from './deps.ts'
import { docsRoutes } from './docs/routes.ts'
import { logEvents } from './events/events.ts'
import { healthRoutes } from './health/routes.ts'
import { type Chore, inBatches, startChores } from './housekeeping.ts'
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
import { createCaptcha, reapChallenges } from './throttle/captcha.ts'
import { createLoginLimits } from './throttle/limits.ts'
import { captchaRoutes } from './throttle/routes.ts'
import { reapThrottle } from './throttle/throttle.ts'
import { bearerAuthenticator, endBearer } from './token/authenticator.ts'
import { createProfiles } from './token/profiles.ts'
import { loadRevocations } from './token/revocations.ts'
import { createRotation } from './token/rotation.ts'
import { tokenRoutes } from './token/routes.ts'
import { createTokens } from './token/tokens.ts'
import { factorAdminRoutes } from './totp/admin-routes.ts'
import { factorRoutes } from './totp/own-routes.ts'
import { createSecondFactor } from './totp/second-factor.ts'
import { userRoutes } from './users/routes.ts'
import { createUsers } from './users/users.ts'

const reapEveryMs = 60_000
const reapedAtOnce = 1000
const flushEveryMs = 1000
const rotateEveryMs = 3_600_000

export interface App {
  readonly server: FastifyInstance
  /** To be called once the service listens; null where there is an account already. */
  readonly makeFirstAdministrator: () => Promise<FirstAdministrator | null>
  readonly routes: () => RouteRow[]
  /** What runs beside the requests, for whoever wants it to run now. */
  readonly chores: readonly Chore[]
}

/**
 * The whole service, ready to listen: schema and keys first, then the floor, then every room. What
 * runs beside the requests starts with it, unless whoever builds it runs that by hand.
 */
export async function buildApp(deps: Deps, { runsChores = true } = {}): Promise<App> {
  const { config, db, unsyncedDb, clock, random, log } = deps
  await migrate(db, clock)

  const events = logEvents(log)
  const keys = await loadKeySet(deps)
  const revocations = await loadRevocations(deps)
  const passwords = createPasswords(config, random)
  const lock = createAutomaticLock(deps)
  const captcha = createCaptcha({ ...deps, keys })
  const limits = createLoginLimits({ ...deps, db: unsyncedDb, events, captcha, failures: lock })
  const accounts = createAccounts({
    ...deps,
    passwords,
    isBreached: breachQuery({ ...deps, events }),
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
  const profiles = createProfiles(users, revocations)
  const sessions = createSessions(deps)
  const rotation = createRotation(deps)
  const tokens = createTokens({ config, clock, random, keys })
  // Hashed on another thread while the server is put together.
  const bootstrap = prepareFirstAdministrator(accounts, config, random)
  bootstrap.catch(() => {}) // told where it is awaited

  const secondFactor = createSecondFactor({ ...deps, accounts, events, keys })
  const firstFactorDeps = { db, events, limits, lock, passwords, secondFactor }
  const server = await createServer(deps)
  await server.register(access, {
    config,
    authenticators: [
      basicAuthenticator({ ...firstFactorDeps, accounts, clock, random }),
      bearerAuthenticator({ clock, keys, tokens, revocations }),
      sessionAuthenticator(config, sessions, secondFactor),
    ],
  })
  const routes = collectRoutes(server)
  await registerOpenApi(server, config)

  server.register(healthRoutes, deps)
  for (const prefix of ['/api/user/account', '/api/account']) {
    server.register(factorRoutes, { prefix, accounts, config, clock, secondFactor })
  }
  server.register(captchaRoutes, { config, captcha })
  server.register(loginRoutes, { ...firstFactorDeps, config, clock, accounts, sessions, tokens })
  server.register(sessionRoutes, {
    config,
    events,
    sessions,
    endBearer: endBearer({ tokens, revocations }),
  })
  server.register(tokenRoutes, {
    config,
    accounts,
    events,
    keys,
    profiles,
    rotation,
    secondFactor,
    tokens,
  })
  for (const [prefix, version] of [
    ['', 'v1'],
    ['/api/v1', 'v1'],
    ['/api/v2', 'v2'],
  ] as const) {
    server.register(userRoutes, { prefix, config, events, users, version })
  }
  server.register(accountAdminRoutes, { accounts, events })
  server.register(factorAdminRoutes, { accounts, clock, config, secondFactor })
  server.register(docsRoutes, { config })
  server.register(routeGroups)

  const chores: Chore[] = [
    { name: 'session activity', everyMs: flushEveryMs, run: sessions.flush },
    { name: 'ended sessions', everyMs: reapEveryMs, run: inBatches(reapedAtOnce, sessions.reap) },
    { name: 'keys of other processes', everyMs: flushEveryMs, run: keys.refresh },
    { name: 'key rotation', everyMs: rotateEveryMs, run: rotateKeys },
    { name: 'refresh tokens', everyMs: reapEveryMs, run: inBatches(reapedAtOnce, rotation.reap) },
    { name: 'revocations', everyMs: reapEveryMs, run: inBatches(reapedAtOnce, revocations.reap) },
    { name: 'throttle places', everyMs: reapEveryMs, run: reapInBatches(reapThrottle) },
    { name: 'used captchas', everyMs: reapEveryMs, run: reapInBatches(reapChallenges) },
  ]
  function reapInBatches(reap: (deps: Deps, most: number) => Promise<number>) {
    return inBatches(reapedAtOnce, (most) => reap(deps, most))
  }
  async function rotateKeys() {
    if (await keys.rotateIfDue()) events.record('key_rotated', { kid: keys.current.kid })
  }
  const stopChores = startChores(runsChores ? chores : [], log)
  server.addHook('onClose', async () => {
    await stopChores()
    await sessions.flush().catch((error: unknown) => log.error({ err: error }, 'activity was lost'))
    await db.destroy()
  })
  await server.ready()
  return { server, makeFirstAdministrator: await bootstrap, routes, chores }
}
