import type { FastifyInstance } from 'fastify'
import type { RouteDeclaration } from '../../core/http/routes/declaration.ts'
import { http } from '../../core/lib/node-http.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { createForwardDecision } from './decision.ts'
import { deniedPage } from './denied-page.ts'
import { forwardPath } from './paths.ts'
import { ForwardedHeaders, ForwardQuery } from './schemas.ts'

/** The server rejects CONNECT. */
const methods = http.METHODS.filter((method) => method !== 'CONNECT')

const declaration = {
  access: { rule: anyone },
  judgesKeys: true,
  // A preflight for an application is judged: as this service's own, it would pass.
  cors: false,
  isReturnTarget: false,
  rateLimit: 'exempt',
  errors: [
    'badRequest',
    'authenticationRequired',
    'invalidOrExpiredToken',
    'accessDenied',
    'tooManyLoginAttempts',
  ],
} as const satisfies RouteDeclaration & { cors: false; isReturnTarget: false }

/**
 * Any method, at one path and all below, because Envoy appends the request's path. Changes nothing.
 * docs/forward-auth.md
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const decide = createForwardDecision({ ...options, authenticators: app.authenticators })
  for (const method of methods) {
    // Fastify would require a Content-Type for the unread body.
    const overrideExisting = method === 'QUERY'
    if (overrideExisting || !app.supportedMethods.includes(method)) {
      app.addHttpMethod(method, { overrideExisting })
    }
  }
  const errorPage = deniedPage(options.config.baseUrl)
  const answers = { 200: {}, 302: {} } as const
  const hidden = {
    config: { ...declaration, answers, errorPage, csrf: 'exempt' },
    schema: { hide: true },
  } as const

  app.get(
    forwardPath,
    {
      config: {
        ...declaration,
        proxyHeaders: ForwardedHeaders,
        query: ForwardQuery,
        answers,
        errorPage,
        errorHeaders: { 401: ['sign-in', 'set-cookie'] },
        responseHeaders: ['set-cookie', 'remote-user', 'remote-groups', 'remote-email', 'cookie'],
      },
      schema: {
        operationId: 'authorizeForwardedRequest',
        summary: 'Asks, for a proxy, whether a request to an application may pass; by any method',
      },
    },
    decide,
  )
  const others = methods.filter((method) => method !== 'GET' && method !== 'HEAD')
  app.route({ method: others, url: forwardPath, ...hidden, handler: decide })
  app.route({ method: methods, url: `${forwardPath}/*`, ...hidden, handler: decide })
}
