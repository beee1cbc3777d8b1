import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { prefersPage } from '../../core/http/pages/negotiation.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import { markAsLogged } from '../../core/http/refusals/logged.ts'
import { type App, Page } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { loginFail } from '../authentication/events.ts'
import { ofBrowser } from '../devices/device-cookie.ts'
import { SentProof, secondFactorRequired } from '../factors/schemas.ts'
import { browserOf } from '../flows/requests.ts'
import { parseReturnTo } from '../flows/return-to.ts'
import { sessionResult } from '../sessions/browser.ts'
import { SessionAnswer } from '../sessions/schemas.ts'
import { enrolmentRequired } from '../tokens/schemas.ts'
import { continueOnPages } from './continue.ts'
import { flowCookie } from './cookie.ts'
import { failurePage, refusedCodePage } from './pages.ts'
import { linkedToAnother, providerFailed } from './problems.ts'
import { takeProof } from './prove.ts'
import type { Provider } from './provider.ts'
import { signInProvider } from './providers.ts'
import { CallbackQuery, FactorBody, ProviderName, SignInQuery } from './schemas.ts'
import { confirm, signIn } from './sign-in.ts'

const access = { rule: anyone }
const providerErrors = [providerFailed, 'routeNotFound'] as const
const accountErrors = [
  'signInFailed',
  'accessDenied',
  'passwordChangeRequired',
  enrolmentRequired,
] as const
// A HEAD request, such as a link preview, must not consume a code.
const exposeHeadRoute = false

/**
 * Sign-in through an identity provider, spec 4.4 and 5.4; named providers below /oauth/{provider}.
 *
 * The callback page continues automatically: the session cookie is Strict, and would not be sent
 * after a redirect from the provider.
 */
export async function routes(app: App, options: Needs): Promise<void> {
  const { events, flows, loginAddress, providers, random, redirectOrigins } = options
  acceptForms(app)

  for (const base of ['/oauth', '/oauth/:provider']) {
    const params = base === '/oauth' ? {} : { params: ProviderName }
    const idOf = (id: string) => (base === '/oauth' ? id : `${id}WithProvider`)

    app.get(
      `${base}/login`,
      {
        exposeHeadRoute,
        config: {
          access,
          errorPage: failurePage,
          query: SignInQuery,
          answers: { 303: {} },
          responseHeaders: ['set-cookie'],
          errors: providerErrors,
        },
        schema: {
          operationId: idOf('beginSignIn'),
          summary: 'Sign in: 303 to the identity provider',
          ...params,
        },
      },
      async (request, reply) => {
        const { again, return_to } = request.query as { again?: unknown; return_to?: unknown }
        const browser = flowCookie.valueOf(request, random)
        const returnTo = parseReturnTo(return_to, { origins: redirectOrigins })
        const url = await flows.begin(signInProvider(providers, request), {
          browser,
          returnTo,
          by: clientAddress(request),
          isFresh: again === '1',
        })
        flowCookie.set(reply, browser)
        return reply.redirect(url.href, 303)
      },
    )

    app.get(
      `${base}/callback`,
      {
        exposeHeadRoute,
        config: {
          access,
          errorPage: failurePage,
          query: CallbackQuery,
          answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
          // Also for an account that ends before the next step.
          errorHeaders: { 401: ['set-cookie'], 403: ['set-cookie'] },
          responseHeaders: ['set-cookie'],
          errors: [...providerErrors, ...accountErrors, linkedToAnother, 'invalidCredentials'],
        },
        schema: {
          operationId: idOf('finishSignIn'),
          summary: 'Back from the identity provider: a session, and a page that goes on',
          ...params,
        },
      },
      async (request, reply) => {
        const provider = signInProvider(providers, request)
        try {
          return await comeBack(provider, request, reply)
        } catch (error) {
          tellOfFailure(request, provider, error)
          throw error
        }
      },
    )
  }

  app.get(
    '/oauth/second-factor',
    {
      config: {
        access,
        isReturnTarget: false,
        errorPage: failurePage,
        answers: { 200: { [mediaTypes.html]: Page } },
        errors: ['signInFailed'],
      },
      schema: {
        operationId: 'getSecondFactorPage',
        summary: 'Asks for the second factor of a sign-in',
      },
    },
    async (request, reply) => {
      await flows.waiting(flowCookie.read(request))
      return sendView(reply, request, 'second-factor', { problem: null })
    },
  )

  app.post(
    '/oauth/second-factor',
    {
      config: {
        access,
        errorPage: refusedCodePage,
        csrf: 'foreignPage',
        body: 'form',
        errors: [
          ...accountErrors,
          secondFactorRequired(options.factorKinds()),
          'invalidCredentials',
          'tooManyLoginAttempts',
        ],
        sends: SentProof,
        answers: { 200: { [mediaTypes.json]: SessionAnswer, [mediaTypes.html]: Page } },
        responseHeaders: ['set-cookie'],
      },
      schema: {
        operationId: 'confirmSecondFactor',
        summary: 'The second factor of a sign-in: a session; by form, a page that goes on',
        body: FactorBody,
      },
    },
    async (request, reply) => {
      const proof = { address: loginAddress(request), factor: request.body }
      const result = sessionResult(options, request, reply)
      const ticket = flowCookie.read(request)
      const { answer: csrf_token, returnTo } = await confirm(options, ticket, proof, result)
      flowCookie.clear(reply)
      const isJson = request.headers['content-type']?.toLowerCase().startsWith(mediaTypes.json)
      if (isJson) return { message: 'Logged in', csrf_token }
      return sendView(reply, request, 'landing', { what: 'signed_in', path: returnTo })
    },
  )

  async function comeBack(provider: Provider, request: FastifyRequest, reply: FastifyReply) {
    const browser = flowCookie.read(request)
    if (browser === undefined) {
      throw new ApiError('signInFailed', { reason: { code: 'flow_cookie_absent' } })
    }
    // Unparsed: the library must see repeated parameters.
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
    const finished = await flows.finish(provider, query, browser)
    if (finished.proves) {
      await takeProof(options, request, finished)
      return sendView(reply, request, 'landing', { what: 'confirmed', path: finished.returnTo })
    }
    const session = sessionResult(options, request, reply)
    const result = prefersPage(request) ? ofBrowser(session, request, reply, random) : session
    const outcome = await signIn(options, provider, finished, result, prefersPage(request))
    if (outcome.kind === 'step') {
      const browser = browserOf(request, reply, random)
      const flow = await continueOnPages(options, outcome, finished.returnTo, browser)
      return reply.redirect(`/signin?flow=${flow.id}`, 303)
    }
    if (outcome.kind === 'second_factor') {
      flowCookie.set(reply, outcome.ticket)
      return reply.redirect('/oauth/second-factor', 303)
    }
    const view = { what: outcome.kind, path: finished.returnTo }
    return sendView(reply, request, 'landing', view)
  }

  function tellOfFailure(request: FastifyRequest, { config: { name } }: Provider, error: unknown) {
    markAsLogged(request)
    const { row = null } = error instanceof ApiError ? error : {}
    const { cause } = error instanceof ApiError ? error : {}
    const reason = cause instanceof Error ? cause.message : typeof row === 'string' ? row : null
    events.emit(loginFail, { provider: name, reason })
  }
}
