import { resource } from '../src/core/http/changes/resource.ts'
import { createLoginAddress } from '../src/core/http/limits/client-address.ts'
import { access, callerOf } from '../src/core/http/routes/access.ts'
import type { RouteDeclaration } from '../src/core/http/routes/declaration.ts'
import { createServer } from '../src/core/http/server/server.ts'
import { createServiceMaker } from '../src/core/module/make.ts'
import { needsResource, type Rule } from '../src/core/policy/rules.ts'
import { basicAuthenticator } from '../src/modules/basic/authenticator.ts'
import { externalBearer } from '../src/modules/federation/authenticator.ts'
import { postNotFound } from '../src/modules/posts/problems.ts'
import { sessionAuthenticator } from '../src/modules/sessions/authenticator.ts'
import { bearerAuthenticator } from '../src/modules/tokens/authenticator.ts'
import { modules } from '../src/modules.ts'
import { afterwards } from './afterwards.ts'
import type { Answer, Headers, TestApp } from './app.ts'
import { answerOf } from './app.ts'

/**
 * Another node of the service, on whose database the accounts and logins of `app` are, with one GET
 * route for each rule, at things that belong to no one. What it answers is how the route sees its caller.
 */
export async function addedRoutes(
  app: TestApp,
  rules: Readonly<Record<string, Rule>>,
  guards: Pick<RouteDeclaration, 'reauthentication'> = {},
): Promise<(path: string, headers: Headers) => Promise<Answer>> {
  const { deps } = app
  const services = await (await createServiceMaker(deps, { modules })).all()
  const wired = { ...deps, ...services, loginAddress: createLoginAddress(deps.config) }
  const server = await createServer(deps)
  await server.register(access, {
    ...deps,
    authenticators: [
      basicAuthenticator(wired),
      externalBearer(wired).beside(bearerAuthenticator(wired)),
      sessionAuthenticator(deps.config, services.sessions),
    ],
  })
  const thing = resource({
    param: 'id',
    missing: postNotFound,
    load: (id) => ({ id }),
    facts: () => ({ ownerId: null }),
  })
  const urlOf = (path: string, id: string) => {
    const rule = rules[path]
    return rule && needsResource(rule) ? `${path}/${id}` : path
  }
  for (const [path, rule] of Object.entries(rules)) {
    const guarded = { ...guards, access: { rule } }
    const config = needsResource(rule) ? { ...guarded, resource: thing } : guarded
    server.get(urlOf(path, ':id'), { config }, async (request) => {
      const { roles, scopes, amr, authTime, client } = callerOf(request)
      return {
        roles: [...roles],
        amr,
        // JSON has no word for a time that is not known.
        auth_time: Number.isFinite(authTime) ? authTime : null,
        ...(client !== undefined && { client }),
        ...(scopes && { scopes: [...scopes] }),
      }
    })
  }
  afterwards(() => server.close())
  return async (path, headers) =>
    answerOf(await server.inject({ method: 'GET', url: urlOf(path, '1'), headers }))
}
