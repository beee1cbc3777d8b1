import type { FastifyInstance, FastifyRequest } from 'fastify'
import { equalInConstantTime } from '../../../core/crypto/digest.ts'
import { ApiError } from '../../../core/errors.ts'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../../core/http/media-types.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView } from '../../../core/http/pages/send-view.ts'
import { Page } from '../../../core/http/schemas.ts'
import type { Needs } from '../../../core/module/services.ts'
import { anyone } from '../../../core/policy/rules.ts'
import { forgetBrowser } from '../../flows/requests.ts'
import { parseReturnTo } from '../../flows/return-to.ts'
import { endSession } from '../../sessions/browser.ts'
import { arrive, isFromElsewhere } from './arrival.ts'
import { providerLinks } from './providers.ts'
import { sessionOf } from './sessions.ts'
import type { SignOutView } from './views.ts'

type Back = NonNullable<SignOutView['back']>

const Fields = { type: 'object', properties: { csrf_token: {} } } as const
const errorPage: ErrorPage = (error, request) => refusalPage(error, request, '/signout')

/** GET /signout asks; POST ends the session and offers the providers' sign-out. */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accounts, redirectOrigins } = options
  acceptForms(app)
  const providers = providerLinks(options.providers).map(({ logout, label }) => ({
    href: logout,
    label,
  }))

  app.get(
    '/signout',
    {
      config: {
        access: { rule: anyone },
        isReturnTarget: false,
        errorPage,
        answers: { 200: { [mediaTypes.html]: Page } },
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      // The person may be signed in, although the Strict cookie is missing.
      if (isFromElsewhere(request)) return arrive(request, reply, '/signout')
      const { done } = request.query as { done?: unknown } // parsed by Fastify
      const back = backOf(request)
      const session = await sessionOf(options, request)
      const account = session && (await accounts.byUserId(session.stored.userId))
      const form = account && {
        action: addressWith(back),
        csrf: session.stored.csrfToken,
        username: account.username,
      }
      return sendView(reply, request, 'sign-out', { form, isDone: done === '1', back, providers })
    },
  )

  app.post(
    '/signout',
    {
      config: {
        access: { rule: anyone },
        errorPage,
        csrf: 'foreignPage',
        body: 'form',
        answers: { 303: {} },
        responseHeaders: ['set-cookie'],
        errors: ['csrfTokenInvalid'],
      },
      schema: { hide: true, body: Fields },
    },
    async (request, reply) => {
      const session = await sessionOf(options, request)
      const { csrf_token } = (request.body ?? {}) as { csrf_token?: unknown } // parsed by Fastify
      if (session) assertToken(csrf_token, session.stored.csrfToken)
      await endSession(options, request, reply)
      // The next person at this browser must not resume an unfinished step.
      forgetBrowser(request, reply)
      return reply.redirect(addressWith(backOf(request), { done: '1' }), 303)
    },
  )

  /** An allowed address of an application; null for another, and for paths of this service. */
  function backOf({ query }: FastifyRequest): Back | null {
    const { return_to } = query as { return_to?: unknown } // parsed by Fastify
    const href = parseReturnTo(return_to, { origins: redirectOrigins })
    return href.startsWith('/') ? null : { href, host: new URL(href).host }
  }
}

/** Keeps the address of the application on the pages of the sign-out. */
function addressWith(back: Back | null, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...more, ...(back && { return_to: back.href }) })
  return query.size === 0 ? '/signout' : `/signout?${query}`
}

/** @throws ApiError csrfTokenInvalid */
export function assertToken(sent: unknown, expected: string): void {
  if (typeof sent === 'string' && equalInConstantTime(sent, expected)) return
  const code = sent ? 'csrf_token_other' : 'csrf_token_absent'
  throw new ApiError('csrfTokenInvalid', { reason: { code } })
}
