import type { FastifyInstance } from 'fastify'
import { accountAdminRoutes } from './accounts/admin-routes.ts'
import { type FirstAdministrator, prepareFirstAdministrator } from './accounts/bootstrap.ts'
import { ownAccountRoutes } from './accounts/own-routes.ts'
import { passwordResetRoutes } from './accounts/reset-routes.ts'
import { basicAuthenticator } from './basic/authenticator.ts'
import { docsRoutes } from './docs/routes.ts'
import { externalBearer } from './federation/authenticator.ts'
import { identityRoutes } from './federation/own-routes.ts'
import { externalRoutes } from './federation/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { registerOpenApi } from './http/documents/openapi.ts'
import { collectRoutes, type RouteRow } from './http/documents/route-table.ts'
import { access } from './http/routes/access.ts'
import { createLoginAddress } from './http/routes/login-address.ts'
import { routeGroups } from './http/routes/route-groups.ts'
import { createServer } from './http/server/server.ts'
import { loginRoutes } from './login/routes.ts'
import { throttleAdminRoutes } from './login/throttle-routes.ts'
import { postRoutes } from './posts/routes.ts'
import type { Deps } from './runtime/deps.ts'
import { type Job, startJobs } from './runtime/jobs.ts'
import { createServices, jobsOf } from './services.ts'
import { sessionAdminRoutes } from './session/admin-routes.ts'
import { sessionAuthenticator } from './session/authenticator.ts'
import { logoutRoutes } from './session/logout-routes.ts'
import { ownSessionRoutes } from './session/own-routes.ts'
import { sessionRoutes } from './session/routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { captchaRoutes } from './throttle/routes.ts'
import { tokenAdminRoutes } from './token/admin-routes.ts'
import { bearerAuthenticator, endBearer } from './token/authenticator.ts'
import { endRefreshToken } from './token/end-token.ts'
import { tokenRoutes } from './token/routes.ts'
import { factorAdminRoutes } from './totp/admin-routes.ts'
import { factorRoutes } from './totp/own-routes.ts'
import { transferRoutes } from './transfer/routes.ts'
import { userRoutes } from './users/routes.ts'

export interface App {
  readonly server: FastifyInstance
  /** To be called once the service listens; null where there is an account already. */
  readonly makeFirstAdministrator: () => Promise<FirstAdministrator | null>
  readonly routes: () => RouteRow[]
  /** What runs beside the requests, for whoever wants it to run now. */
  readonly jobs: readonly Job[]
}

/**
 * The whole service, ready to listen: schema and keys first, then the floor, then every room. What
 * runs beside the requests starts with it, unless whoever builds it runs that by hand.
 */
export async function buildApp(deps: Deps, { runsJobs = true } = {}): Promise<App> {
  const { config, db, random, log } = deps
  const services = await createServices(deps)
  const { accounts, sessions } = services
  const wired = { ...deps, ...services, loginAddress: createLoginAddress(config) }
  // Hashed on another thread while the server is put together.
  const bootstrap = prepareFirstAdministrator(accounts, config, random)
  bootstrap.catch(() => {}) // told where it is awaited

  const external = externalBearer(wired)
  const server = await createServer(deps)
  await server.register(access, {
    ...deps,
    authenticators: [
      basicAuthenticator(wired),
      sessionAuthenticator(config, sessions),
      external.beside(bearerAuthenticator(wired)),
    ],
  })
  const routes = collectRoutes(server)
  await registerOpenApi(server, config)

  server.register(healthRoutes, deps)
  for (const prefix of ['/api/user/account', '/api/account']) {
    server.register(ownAccountRoutes, { prefix, ...wired })
    server.register(factorRoutes, { prefix, ...wired })
    server.register(identityRoutes, { prefix, ...wired })
    server.register(ownSessionRoutes, { prefix, ...wired })
  }
  server.register(captchaRoutes, wired)
  server.register(loginRoutes, wired)
  server.register(externalRoutes, wired)
  const endOwn = endBearer(wired)
  server.register(logoutRoutes, {
    ...wired,
    endRefresh: (token: string) => endRefreshToken(wired, token, { reason: 'logout' }),
    endBearer: async (request) => (await external.end(request)) || (await endOwn(request)),
  })
  server.register(sessionRoutes, wired)
  server.register(tokenRoutes, wired)
  for (const [prefix, version] of [
    ['', 'v1'],
    ['/api/v1', 'v1'],
    ['/api/v2', 'v2'],
  ] as const) {
    server.register(userRoutes, { prefix, version, ...wired })
  }
  server.register(postRoutes, wired)
  server.register(accountAdminRoutes, wired)
  server.register(passwordResetRoutes, wired)
  server.register(factorAdminRoutes, wired)
  server.register(transferRoutes, wired)
  server.register(sessionAdminRoutes, wired)
  server.register(tokenAdminRoutes, wired)
  server.register(throttleAdminRoutes, wired)
  server.register(statisticsRoutes, wired)
  server.register(docsRoutes, wired)
  server.register(routeGroups)

  const jobs = jobsOf(services, deps)
  const stopJobs = startJobs(runsJobs ? jobs : [], log)
  server.addHook('onClose', async () => {
    await stopJobs()
    await sessions.flush().catch((error: unknown) => log.error({ err: error }, 'activity was lost'))
    await db.destroy()
  })
  await server.ready()
  return { server, makeFirstAdministrator: await bootstrap, routes, jobs }
}
