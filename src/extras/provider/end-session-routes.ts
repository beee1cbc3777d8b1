import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { acceptForms, textIn } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { ErrorPage } from '../../core/http/pages/page.ts'
import { refusalPage } from '../../core/http/pages/refusal.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import type { Application } from '../../modules/clients/application.ts'
import { forgetBrowser } from '../../modules/flows/requests.ts'
import { arrive, isFromElsewhere } from '../../modules/pages/sign-in/arrival.ts'
import { sessionOf } from '../../modules/pages/sign-in/sessions.ts'
import { assertToken } from '../../modules/pages/sign-in/sign-out.ts'
import { endSession } from '../../modules/sessions/browser.ts'
import { parseObject, verifyJws } from '../../modules/tokens/jws.ts'
import { onlyIfOn } from './only-if-on.ts'
import { endSessionPath } from './paths.ts'

const errorPage: ErrorPage = (error, request) => refusalPage(error, request, null)
const Fields = { type: 'object', properties: { csrf_token: {} } } as const
const maxLength = 6000

interface Asked {
  readonly application: Application | null
  /** Where the browser goes on; null: our own page. */
  readonly target: string | null
}

/**
 * RP-Initiated Logout 1.0: a page of ours asks, and its form ends our session, with which all
 * applications end.
 */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, applications, clients, config, keys } = needs
  acceptForms(app)
  onlyIfOn(app, applications)
  const config_ = { access: { rule: anyone }, isReturnTarget: false, errorPage } as const
  const answers = { 200: { [mediaTypes.html]: Page }, 303: {} }

  app.get(
    endSessionPath,
    {
      exposeHeadRoute: false,
      config: { ...config_, answers, errors: ['signInFailed'] },
      schema: { hide: true },
    },
    async (request, reply) => {
      const { application, target } = await askedBy(request)
      if (isFromElsewhere(request)) return arrive(request, reply, endSessionPath)
      const session = await sessionOf(needs, request)
      const account = session && (await accounts.byUserId(session.stored.userId))
      if (!account) return reply.redirect(target ?? '/signout?done=1', 303)
      return sendView(reply, request, 'provider-sign-out', {
        action: `${endSessionPath}/confirm?${queryOf(request)}`,
        csrf: session.stored.csrfToken,
        username: account.username,
        application: application?.name ?? null,
      })
    },
  )

  app.post(
    endSessionPath,
    {
      config: {
        ...{ access: config_.access, errorPage, csrf: 'exempt', body: 'parameters' },
        answers: { 303: {} },
        errors: ['signInFailed'],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      // A form of another site comes without our cookies.
      const query = new URLSearchParams((request.body ?? {}) as Record<string, string>)
      return reply.redirect(`${endSessionPath}?${query}`, 303)
    },
  )

  app.post(
    `${endSessionPath}/confirm`,
    {
      config: {
        ...{ access: config_.access, errorPage, csrf: 'foreignPage', body: 'form', answers },
        responseHeaders: ['set-cookie'],
        errors: ['csrfTokenInvalid', 'signInFailed'],
      },
      schema: { hide: true, body: Fields },
    },
    async (request, reply) => {
      const { target } = await askedBy(request)
      const session = await sessionOf(needs, request)
      if (session) assertToken(textIn(request.body, 'csrf_token'), session.stored.csrfToken)
      await endSession(needs, request, reply)
      forgetBrowser(request, reply)
      return goOn(request, reply, target)
    },
  )

  /** A form does not lead to another origin: by a page of ours. */
  function goOn(request: FastifyRequest, reply: FastifyReply, target: string | null) {
    if (target === null) return reply.redirect('/signout?done=1', 303)
    return sendView(reply, request, 'sign-in-arrival', { path: target })
  }

  /** @throws ApiError signInFailed for an ID token or an address that are not the application's */
  async function askedBy(request: FastifyRequest): Promise<Asked> {
    const query = queryOf(request)
    if (query.toString().length > maxLength) throw invalid()
    const hint = query.get('id_token_hint')
    const hinted = hint === null ? null : await clientOf(hint)
    const id = query.get('client_id') ?? hinted
    if (hinted !== null && id !== hinted) throw invalid()
    const application = id === null ? null : ((await clients.find(id))?.application ?? null)
    if (id !== null && !application) throw invalid()
    const uri = query.get('post_logout_redirect_uri')
    if (uri === null || !application) return { application, target: null }
    if (!application.postLogoutRedirectUris.includes(uri)) throw invalid()
    const target = new URL(uri)
    const state = query.get('state')
    if (state !== null) target.searchParams.set('state', state)
    return { application, target: target.href }
  }

  /** The audience of an ID token of ours, which may have expired. */
  async function clientOf(token: string): Promise<string> {
    const jws = await verifyJws(token, (kid) => keys.find(kid, 'identity'))
    const { aud, iss } = (jws && parseObject(jws.payload)) || {}
    if (iss !== config.baseUrl || typeof aud !== 'string') throw invalid()
    return aud
  }
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'))
}

function invalid(): ApiError {
  return new ApiError('signInFailed', { reason: { code: 'sign_out_request_invalid' } })
}
