import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../core/config/load.ts'
import type { Random } from '../../../core/crypto/random.ts'
import { ApiError, refuseField } from '../../../core/errors.ts'
import { acceptForms } from '../../../core/http/bodies/bodies.ts'
import { textIn } from '../../../core/http/bodies/form-text.ts'
import type { LoginAddress } from '../../../core/http/limits/login-address.ts'
import { mediaTypes } from '../../../core/http/media-types.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView, viewPage } from '../../../core/http/pages/send-view.ts'
import { Page } from '../../../core/http/schemas.ts'
import { anyone } from '../../../core/policy/rules.ts'
import { cameByInvalidLink } from '../../../extras/one-time-tokens/token-arrival.ts'
import { ofBrowser } from '../../devices/device-cookie.ts'
import type { Providers } from '../../federation/providers.ts'
import type { PageFlows } from '../../flows/flows.ts'
import { browserOf, flowOf, flowOfForm, freshAddress } from '../../flows/requests.ts'
import {
  addressOf,
  needsTwoFactors,
  parseDestination,
  parseReturnTo,
  type ReturnOrigins,
  withoutBrowser,
} from '../../flows/return-to.ts'
import type { SignInData, SignInStep } from '../../flows/sign-in-flow.ts'
import { type BrowserSessionDeps, sessionResult } from '../../sessions/browser.ts'
import type { LiveSession } from '../../sessions/sessions.ts'
import { captchaRequired } from '../../throttle/schemas.ts'
import { qrOf } from '../../totp/provisioning.ts'
import { secondFactorRequired } from '../../totp/schemas.ts'
import { arrive, isFromElsewhere } from './arrival.ts'
import { createMailSteps, type MailStepsDeps } from './mail.ts'
import {
  createSignInPipeline,
  type PipelineDeps,
  type SignInFlow,
  type SigningIn,
} from './pipeline.ts'
import { providerLinks } from './providers.ts'
import { sessionOf } from './sessions.ts'
import { beginningOf, pageOf, type ShowDeps, type Shown, showSignIn } from './show.ts'

/**
 * The sign-in on pages, GET and POST /signin. A GET stores nothing: it begins a flow that the browser
 * carries, and shows its step; each POST takes a step, and sends the browser to the next one, or back
 * to where it came from. docs/adr/0059, docs/adr/0077
 */
export interface SignInRoutesOptions
  extends Omit<PipelineDeps, 'pageFlows'>,
    Omit<MailStepsDeps, 'limits' | 'pageFlows' | 'requirements'>,
    BrowserSessionDeps {
  readonly config: Pick<
    Config,
    'confirmations' | 'login' | 'pages' | 'password' | 'session' | 'signInByMail' | 'signUp'
  >
  readonly loginAddress: LoginAddress
  readonly outbox: { readonly isAvailable: boolean }
  readonly pageFlows: PageFlows
  readonly providers: Providers
  readonly random: Random
  readonly returnOrigins: ReturnOrigins
}

// Long enough to set up an authenticator app, and for a mail to arrive.
const flowSeconds = 1800
const afterwards = '/account'
// Without types: a text of another type counts as none.
const Fields = { type: 'object', additionalProperties: true } as const
const errors = [
  'signInFailed',
  'csrfTokenInvalid',
  'invalidCredentials',
  captchaRequired,
  secondFactorRequired,
  'passwordChangeRequired',
  'confirmationInvalid',
  'tooManyLoginAttempts',
  'tooManyRequests',
] as const

export async function signInRoutes(
  app: FastifyInstance,
  options: SignInRoutesOptions,
): Promise<void> {
  const { accounts, clock, config, emailLogin, loginAddress, pageFlows, random, returnOrigins } =
    options
  acceptForms(app)
  const pipeline = createSignInPipeline(options)
  const mail = createMailSteps(options, pipeline)
  const deps: ShowDeps = {
    config,
    providers: providerLinks(options.providers),
    hasMail: options.outbox.isAvailable,
  }
  /** What the page of a refusal shows, for the requests under way. */
  const underWay = new WeakMap<FastifyRequest, { shown: Shown; qr: string }>()

  const fresh = (request: FastifyRequest) =>
    freshAddress(pageFlows, request, 'page_sign_in', '/signin')

  const errorPage: ErrorPage = (error, request) => {
    const location = error.row === 'signInFailed' ? fresh(request) : null
    if (location !== null) return { location }
    const known = underWay.get(request)
    const isDeadLink =
      error.row === 'confirmationInvalid' && known?.shown.flow.step !== 'email_code'
    if (isDeadLink) return viewPage('sign-in-dead-link', { begin: '/signin' })
    if (known && isCorrectable(error)) {
      return pageOf(deps, { ...known.shown, error }, known.qr)
    }
    const { returnTo } = known?.shown.flow ?? {}
    return refusalPage(error, request, returnTo === undefined ? '/signin' : beginningOf(returnTo))
  }

  app.get(
    '/signin',
    {
      exposeHeadRoute: false, // it begins a flow
      config: {
        access: { rule: anyone },
        errorPage,
        answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
        errors: ['confirmationInvalid'],
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const query = request.query as Readonly<Record<string, unknown>> // parsed by Fastify
      const { flow, token, by } = query
      if (token !== undefined) return openLink(token, request, reply)
      if (cameByInvalidLink(request)) throw deadLink()
      const isByMail = by === 'mail' && emailLogin.isOffered
      if (flow !== undefined) return showFlow(request, reply, isByMail)
      if (isFromElsewhere(request)) return arrive(request, reply, '/signin')
      const session = await sessionOf(options, request)
      const asked = parseDestination(query, { origins: returnOrigins, otherwise: afterwards })
      const returnTo = addressOf(asked)
      if (session && isEnough(session, query, returnTo)) return reply.redirect(returnTo, 303)
      const caller = session && (await accounts.byUserId(session.stored.userId))
      const begun = begin(request, reply, returnTo, {
        step: 'password',
        data: { column: 'login', proven: null, again: caller?.username ?? null },
      })
      const { ended } = request.query as { ended?: unknown }
      return show(request, reply, { flow: begun, isEnded: ended === '1', isByMail })
    },
  )

  app.post(
    '/signin',
    {
      config: {
        access: { rule: anyone },
        errorPage,
        csrf: 'foreignPage',
        body: 'form',
        answers: { 303: {} },
        responseHeaders: ['set-cookie'],
        errors,
      },
      schema: { hide: true, body: Fields },
    },
    async (request, reply) => {
      const flow = await flowOfForm<SignInData>(pageFlows, request, 'page_sign_in')
      const field = fieldsOf(request)
      const isByMail = isAskingForMail(flow, field)
      const typed = isByMail ? field('email') : field('username')
      const shown = { flow, isByMail, typed, username: await usernameOf(flow), now: clock.now() }
      const { enrolment } = flow.data
      underWay.set(request, { shown, qr: enrolment ? await qrOf(enrolment.uri) : '' })
      const result = ofBrowser(sessionResult(options, request, reply), request, reply, random)
      const by: SigningIn = { address: loginAddress(request), result }
      const next = await take(flow, request, by)
      return reply.redirect(next ? `/signin?flow=${next.id}` : flow.returnTo, 303)
    },
  )

  /** Takes the step at which the flow is, whatever the form would like to be one of. */
  function take(
    flow: SignInFlow,
    request: FastifyRequest,
    by: SigningIn,
  ): Promise<SignInFlow | null> {
    const field = fieldsOf(request)
    if (isAskingForMail(flow, field)) return mail.ask(flow, field('email'), request)
    const steps: Record<SignInStep, () => Promise<SignInFlow | null>> = {
      password: () =>
        pipeline.password(
          flow,
          {
            username: field('username'),
            password: field('password'),
            captcha: field('captcha') || undefined,
          },
          by,
        ),
      second_factor: () => {
        const proof = {
          totp: field('totp').replaceAll(' ', ''),
          recoveryCode: field('recovery_code'),
        }
        return pipeline.secondFactor(flow, proof, by)
      },
      password_change: () => {
        const password = field('new_password')
        if (password !== field('new_password_again')) {
          refuseField(['new_password_again'], 'must be the same twice')
        }
        return pipeline.newPassword(flow, password || undefined, by)
      },
      enrolment: () => pipeline.enrolment(flow, field('totp').replaceAll(' ', '')),
      recovery_codes: () => pipeline.recoveryCodes(flow, by),
      email: () => mail.ask(flow, field('email'), request),
      email_code: () => mail.code(flow, field('code'), by),
      email_link: () => mail.link(flow, by),
    }
    return steps[flow.step as SignInStep]() // as this file and federation/ write them
  }

  /** Whether the form asks for a mail, for the first time or once more. */
  function isAskingForMail({ data, step }: SignInFlow, field: (name: string) => string): boolean {
    if (data.again !== null || !emailLogin.isOffered) return false
    if (step === 'password') return field('by') === 'mail'
    return step === 'email_code' && field('resend') === '1'
  }

  function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    returnTo: string,
    beginning: { step: SignInStep; data: SignInData },
  ): SignInFlow {
    const start = { purpose: 'page_sign_in', returnTo, seconds: flowSeconds, ...beginning } as const
    return pageFlows.open<SignInData>(start, browserOf(request, reply, random))
  }

  async function showFlow(request: FastifyRequest, reply: FastifyReply, isByMail: boolean) {
    const flow = await flowOf<SignInData>(pageFlows, request, 'page_sign_in')
    if (!flow) return reply.redirect(fresh(request) ?? '/signin?ended=1', 303)
    return show(request, reply, { flow, isByMail })
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { flow, ...more }: Pick<Shown, 'flow' | 'isByMail' | 'isEnded'>,
  ) {
    const username = await usernameOf(flow)
    const page = await showSignIn(deps, { flow, username, now: clock.now(), ...more })
    return sendView(reply, request, page.name, page.view, page.options)
  }

  /** Opens the link of a mail: the address that has the token is left at once. */
  async function openLink(token: unknown, request: FastifyRequest, reply: FastifyReply) {
    const found = typeof token === 'string' ? await mail.open(token, request) : null
    if (!found) return reply.redirect('/signin?link=invalid', 303)
    const { link } = found
    const options = { origins: returnOrigins, otherwise: afterwards }
    const returnTo = withoutBrowser(parseReturnTo(found.returnTo, options))
    const flow = begin(request, reply, returnTo, {
      step: 'email_link',
      data: { column: 'login', proven: null, again: null, link },
    })
    return reply.redirect(`/signin?flow=${flow.id}`, 303)
  }

  /** The name of the account of a flow, for its pages. */
  async function usernameOf({ userId }: SignInFlow): Promise<string> {
    return userId === null ? '' : ((await accounts.byUserId(userId))?.username ?? '')
  }
}

/** Whether who is signed in is not asked again. */
function isEnough(
  { needsEnrolment, stored }: LiveSession,
  { again }: Readonly<Record<string, unknown>>,
  returnTo: string,
): boolean {
  // One that has to set up a second factor counts nowhere else: it would be sent back here.
  if (needsEnrolment) return false
  return needsTwoFactors(returnTo) ? stored.amr.includes('mfa') : again !== '1'
}

function deadLink(): ApiError {
  return new ApiError('confirmationInvalid', { reason: { code: 'confirmation_unknown' } })
}

/** Whether the form can be shown again. */
function isCorrectable({ row, status }: ApiError): boolean {
  if (row === 'signInFailed' || row === 'csrfTokenInvalid' || row === 'accessDenied') return false
  return status < 500
}

/** Reads the fields of a form. */
function fieldsOf({ body }: FastifyRequest): (name: string) => string {
  return (name) => textIn(body, name)
}
