import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../../core/errors.ts'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../../core/http/media-types.ts'
import { prefersPage } from '../../../core/http/pages/negotiation.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView } from '../../../core/http/pages/send-view.ts'
import { named, Page } from '../../../core/http/schemas.ts'
import type { Needs } from '../../../core/module/services.ts'
import { anyone } from '../../../core/policy/rules.ts'
import { defaultName } from '../../federation/provider-settings.ts'
import { ProviderName } from '../../federation/schemas.ts'
import { signOutUrl } from '../../federation/sign-out-url.ts'
import { forgetBrowser } from '../../flows/requests.ts'
import { endSession } from '../../sessions/browser.ts'
import { csrf_token } from '../../sessions/schemas.ts'
import { arrive, isFromElsewhere } from './arrival.ts'
import { type ProviderLink, providerLinks } from './providers.ts'
import { sessionOf } from './sessions.ts'
import { assertToken } from './sign-out.ts'

const Fields = { type: 'object', properties: { csrf_token: {} } } as const
const SentToken = named(
  'SignOutForm',
  {
    type: 'object',
    properties: {
      csrf_token: { type: 'string', description: 'The CSRF token of the session, if there is one' },
    },
  },
  { csrf_token },
)
const errorPage: ErrorPage = (error, request) => refusalPage(error, request, null)

/**
 * RP-Initiated Logout; named providers below /oauth/{provider}. A link on another site cannot end a
 * session: GET changes nothing.
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accounts, config, providers } = options
  acceptForms(app)
  const links = new Map(providerLinks(providers).map((link) => [link.name, link]))

  for (const base of ['/oauth', '/oauth/:provider']) {
    const isNamed = base !== '/oauth'
    const params = isNamed ? { params: ProviderName } : {}
    const idOf = (id: string) => (isNamed ? `${id}WithProvider` : id)

    app.get(
      `${base}/logout`,
      {
        config: {
          access: { rule: anyone },
          isReturnTarget: false,
          tag: 'Identity providers',
          errorPage,
          answers: { 200: { [mediaTypes.html]: Page } },
          errors: ['routeNotFound'],
        },
        schema: {
          operationId: idOf('beginSignOut'),
          summary: 'Page that asks before the log-out here and at the identity provider',
          ...params,
        },
      },
      async (request, reply) => {
        const { label, logout } = linkOf(request)
        if (isFromElsewhere(request)) return arrive(request, reply, logout)
        const live = await sessionOf(options, request)
        const account = live && (await accounts.byUserId(live.stored.userId))
        const session = account && { csrf: live.stored.csrfToken, username: account.username }
        const view = { action: logout, session, provider: label }
        return sendView(reply, request, 'sign-out-provider', view)
      },
    )

    app.post(
      `${base}/logout`,
      {
        config: {
          access: { rule: anyone },
          tag: 'Identity providers',
          errorPage,
          csrf: 'foreignPage',
          body: 'form',
          sends: SentToken,
          answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
          responseHeaders: ['set-cookie'],
          errors: ['csrfTokenInvalid', 'routeNotFound'],
        },
        schema: {
          operationId: idOf('confirmSignOut'),
          summary: 'Log out here, then continue to the log-out of the identity provider',
          body: Fields,
          ...params,
        },
      },
      async (request, reply) => {
        const { name } = linkOf(request)
        const live = await sessionOf(options, request)
        const { csrf_token: sent } = (request.body ?? {}) as { csrf_token?: unknown } // parsed by Fastify
        if (live) assertToken(sent, live.stored.csrfToken)
        await endSession(options, request, reply)
        // The next person at this browser must not resume an unfinished step.
        forgetBrowser(request, reply)
        const provider = providers.named(name)
        const path = provider ? await signOutUrl(provider, config.baseUrl) : '/'
        // A form must not lead to another origin (form-action): redirect from our own page.
        const isForPage = prefersPage(request) && !path.startsWith('/')
        if (isForPage) return sendView(reply, request, 'landing', { what: 'signed_out', path })
        return reply.redirect(path, 303)
      },
    )
  }

  /** @throws ApiError routeNotFound if the provider is not configured for sign-in */
  function linkOf(request: FastifyRequest): ProviderLink {
    const { provider = defaultName } = request.params as { provider?: string }
    const link = links.get(provider)
    if (link) return link
    throw new ApiError('routeNotFound', { reason: { code: 'no_such_provider' } })
  }
}
