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

/** What was asked for with a ticket that was refused: two tabs may have begun at once. */
const askedFor = new WeakMap<FastifyRequest, string>()

/** Nothing begins again by itself here: a browser without the cookie would go round in circles. */
const errorPage: ErrorPage = (error, request) => {
  const page = error.status === 400 ? null : refusalPage(error, request, null)
  const begin = askedFor.get(request) ?? '/' // the application asks for a sign-in
  const { name, view } =
    page ?? viewPage('forward-refused-ticket', { begin, requestId: request.id })
  return { name, view, options: { isElsewhere: true } }
}

/**
 * What the proxy gives to this service of the host of an application, below /.gatehouse/: GET enter
 * uses a ticket and leads to the address that was asked for, GET signout leads to the page that signs
 * out of all. The files of the pages are served there too. docs/adr/0063
 */
export async function routes(
  app: FastifyInstance,
  { config, hostSessions, redirectOrigins }: Needs,
): Promise<void> {
  const { siteOf } = createForwarded(config)

  app.get(
    enterPath,
    {
      exposeHeadRoute: false, // a preview of the link must not use the ticket up
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
    async (_request, reply) => reply.redirect(`${config.baseUrl}/signout`, 303),
  )
}

function hostUnknown(origin: string): ApiError {
  return new ApiError('badRequest', { reason: { code: 'forward_host_unknown', facts: { origin } } })
}
