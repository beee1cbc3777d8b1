import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { viewPage } from '../../core/http/pages/send-view.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { hostBrowserCookie, setHostSessionCookie } from './cookies.ts'
import { createForwarded } from './forwarded.ts'
import { enterPath, hostSignOutPath } from './paths.ts'

/** Of rejected tickets: two tabs may sign in at once. */
const askedFor = new WeakMap<FastifyRequest, string>()

/** No automatic retry: without the cookie, a loop. */
const errorPage: ErrorPage = (error, request) => {
  const page = error.status === 400 ? null : refusalPage(error, request, null)
  const begin = askedFor.get(request) ?? '/'
  const { name, view } =
    page ?? viewPage('forward-refused-ticket', { begin, requestId: request.id })
  return { name, view, options: { isElsewhere: true } }
}

/**
 * Routes below /.gatehouse/ at an application's host: enter redeems a ticket, signout leads to the
 * global sign-out page. docs/adr/0063
 */
export async function routes(
  app: FastifyInstance,
  { config, hostSessions, redirectOrigins }: Needs,
): Promise<void> {
  const { siteOf } = createForwarded(config)

  app.get(
    enterPath,
    {
      exposeHeadRoute: false, // a link preview must not consume the ticket
      config: {
        access: { rule: anyone },
        errorPage,
        answers: { 303: {} },
        errors: ['badRequest', 'signInFailed'],
        responseHeaders: ['set-cookie'],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const { origin } = siteOf(request)
      if (!redirectOrigins.isForwarded(origin)) throw hostUnknown(origin)
      const { ticket } = request.query as { ticket?: unknown } // parsed by Fastify
      const browser = hostBrowserCookie.read(request)
      const outcome = await hostSessions.redeem(ticket, { origin, browser })
      if ('refused' in outcome) {
        if (outcome.returnTo) askedFor.set(request, outcome.returnTo)
        throw new ApiError('signInFailed', { reason: outcome.refused })
      }
      setHostSessionCookie(reply, outcome.secret)
      return reply.redirect(outcome.returnTo, 303)
    },
  )

  app.get(
    hostSignOutPath,
    {
      config: { access: { rule: anyone }, isReturnTarget: false, answers: { 303: {} } },
      schema: { hide: true },
    },
    async (request, reply) => {
      const origin = originOf(request)
      const query = origin === null ? '' : `?${new URLSearchParams({ return_to: `${origin}/` })}`
      return reply.redirect(`${config.baseUrl}/signout${query}`, 303)
    },
  )

  /** Null if no proxy says at which host. */
  function originOf(request: FastifyRequest): string | null {
    try {
      const { origin } = siteOf(request)
      return redirectOrigins.isForwarded(origin) ? origin : null
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }
}

function hostUnknown(origin: string): ApiError {
  return new ApiError('badRequest', { reason: { code: 'forward_host_unknown', facts: { origin } } })
}
