import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../../core/errors.ts'
import { acceptForms, textIn } from '../../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../../core/http/media-types.ts'
import type { ErrorPage } from '../../../core/http/pages/page.ts'
import { refusalPage } from '../../../core/http/pages/refusal.ts'
import { sendView } from '../../../core/http/pages/send-view.ts'
import { Page } from '../../../core/http/schemas.ts'
import type { Needs } from '../../../core/module/services.ts'
import { anyone } from '../../../core/policy/rules.ts'
import { ofBrowser } from '../../devices/device-cookie.ts'
import { secondFactorRequired } from '../../factors/schemas.ts'
import { browserOf, flowOf, flowOfForm, freshAddress } from '../../flows/requests.ts'
import {
  addressOf,
  needsTwoFactors,
  parseDestination,
  parseReturnTo,
  withoutBrowser,
} from '../../flows/return-to.ts'
import type { SignInData, SignInStep } from '../../flows/sign-in-flow.ts'
import { sessionResult } from '../../sessions/browser.ts'
import type { LiveSession } from '../../sessions/sessions.ts'
import { captchaRequired } from '../../throttle/schemas.ts'
import { qrOf } from '../../totp/provisioning.ts'
import { arrive, isFromElsewhere } from './arrival.ts'
import { askedAt } from './passkeys.ts'
import { createSignInPipeline } from './pipeline.ts'
import { providerLinks } from './providers.ts'
import { sessionOf } from './sessions.ts'
import { beginningOf, pageOf, type ShowDeps, showSignIn } from './show.ts'
import type { ReadField, Shown, SignInFlow, SignInWay, SigningIn, TakeStep } from './ways.ts'

// Long enough to set up an authenticator app, or for a mail to arrive.
const flowSeconds = 1800
const afterwards = '/account'
// RFC 5321 section 4.5.3.1: no name or address is longer.
const maxHintLength = 254

// Without types: other types count as empty.
const Fields = { type: 'object', additionalProperties: true } as const
const errors = [
  'signInFailed',
  'csrfTokenInvalid',
  'invalidCredentials',
  captchaRequired,
  'passwordChangeRequired',
  'tooManyLoginAttempts',
  'tooManyRequests',
] as const

/**
 * GET and POST /signin. GET stores nothing: the browser carries the flow. Each POST takes a step
 * and redirects to the next step, or back. docs/adr/0059, docs/adr/0077
 */
export async function routes(app: FastifyInstance, options: Needs): Promise<void> {
  const { accounts, clock, config, loginAddress, pageFlows, random, redirectOrigins } = options
  acceptForms(app)
  const additions = options.signInAdditions()
  const devices = additions.find((addition) => addition.devices)?.devices ?? null
  const pipeline = createSignInPipeline(options, devices)
  const ways = additions.flatMap(({ way }) => way?.(pipeline.proceed) ?? [])
  const steps: Readonly<Record<string, TakeStep>> = Object.assign(
    {},
    pipeline.steps,
    ...ways.map((way) => way.steps),
  )
  const providers = providerLinks(options.providers)
  const deps: ShowDeps = { additions, config, devices, providers, ways }
  const underWay = new WeakMap<FastifyRequest, { shown: Shown; qr: string }>()

  const fresh = (request: FastifyRequest) =>
    freshAddress(pageFlows, request, 'page_sign_in', '/signin')

  const errorPage: ErrorPage = (error, request) => {
    const location = error.row === 'signInFailed' ? fresh(request) : null
    if (location !== null) return { location }
    const known = underWay.get(request)
    const step = known?.shown.flow.step as SignInStep | undefined
    for (const { refused } of ways) {
      const page = refused?.(error, step)
      if (page) return page
    }
    if (known && isCorrectable(error)) {
      return pageOf(deps, { ...known.shown, error }, known.qr)
    }
    const { returnTo } = known?.shown.flow ?? {}
    return refusalPage(error, request, returnTo === undefined ? '/signin' : beginningOf(returnTo))
  }

  app.get(
    '/signin',
    {
      exposeHeadRoute: false, // begins a flow
      config: {
        access: { rule: anyone },
        errorPage,
        answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
        errors: ways.flatMap((way) => way.errors ?? []),
      },
      schema: { hide: true },
    },
    async (request, reply) => {
      const query = request.query as Readonly<Record<string, unknown>> // parsed by Fastify
      const arrivedAt = await arriving(request, reply)
      if (arrivedAt !== null) return reply.redirect(arrivedAt, 303)
      const chosen = ways.find((way) => way.isChosen(query))
      if (query.flow !== undefined) return showFlow(request, reply, chosen)
      if (isFromElsewhere(request)) return arrive(request, reply, '/signin')
      const session = await sessionOf(options, request)
      const asked = parseDestination(query, { origins: redirectOrigins, otherwise: afterwards })
      const returnTo = addressOf(asked)
      if (session && isEnough(session, query, returnTo)) return reply.redirect(returnTo, 303)
      const caller = session && (await accounts.byUserId(session.stored.userId))
      const begun = begin(request, reply, returnTo, {
        step: 'password',
        data: { column: 'login', proven: null, again: caller?.username ?? null },
      })
      const { ended, login_hint } = query
      const typed = hintIn(login_hint)
      return show(request, reply, { flow: begun, isEnded: ended === '1', chosen, typed })
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
        errors: [
          ...errors,
          secondFactorRequired(options.factorKinds()),
          ...ways.flatMap((way) => way.errors ?? []),
        ],
      },
      schema: { hide: true, body: Fields },
    },
    async (request, reply) => {
      const flow = await flowOfForm<SignInData>(pageFlows, request, 'page_sign_in')
      const field = fieldsOf(request)
      // Otherwise the form belongs to the step of the flow.
      const chosen = ways.find((way) => way.isBegun(flow, field))
      const typed = field(chosen?.field ?? 'username')
      const isTicked = field('remember_device') === '1' || field('keep_signed_in') === '1'
      const asked = await askedAt(options, flow)
      const person = await personOf(flow)
      const shown = { flow, chosen, typed, isTicked, ...person, asked, now: clock.now() }
      const { enrolment } = flow.data
      underWay.set(request, { shown, qr: enrolment ? await qrOf(enrolment.uri) : '' })
      const result = ofBrowser(sessionResult(options, request, reply), request, reply, random)
      const by: SigningIn = { address: loginAddress(request), result }
      const take = chosen?.begin ?? steps[flow.step]
      if (!take) throw new Error(`no module has the step ${flow.step}`)
      const next = await take(flow, request, by, field)
      return reply.redirect(next ? `/signin?flow=${next.id}` : flow.returnTo, 303)
    },
  )

  function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    returnTo: string,
    beginning: { step: SignInStep; data: SignInData },
  ): SignInFlow {
    const start = { purpose: 'page_sign_in', returnTo, seconds: flowSeconds, ...beginning } as const
    return pageFlows.open<SignInData>(start, browserOf(request, reply, random))
  }

  async function showFlow(
    request: FastifyRequest,
    reply: FastifyReply,
    chosen: SignInWay | undefined,
  ) {
    const flow = await flowOf<SignInData>(pageFlows, request, 'page_sign_in')
    if (!flow) return reply.redirect(fresh(request) ?? '/signin?ended=1', 303)
    return show(request, reply, { flow, chosen })
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { flow, ...more }: Pick<Shown, 'flow' | 'chosen' | 'isEnded' | 'typed'>,
  ) {
    const person = await personOf(flow)
    const asked = await askedAt(options, flow)
    const page = await showSignIn(deps, { flow, ...person, asked, now: clock.now(), ...more })
    return sendView(reply, request, page.name, page.view, page.options)
  }

  /** The target of a link; null for other requests. */
  async function arriving(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    for (const way of ways) {
      const arrival = await way.arrive?.(request)
      if (!arrival) continue
      if ('location' in arrival) return arrival.location
      const options = { origins: redirectOrigins, otherwise: afterwards }
      const returnTo = withoutBrowser(parseReturnTo(arrival.returnTo, options))
      const data = { column: 'login', proven: null, again: null, ...arrival.data } as const
      const flow = begin(request, reply, returnTo, { step: arrival.step, data })
      return `/signin?flow=${flow.id}`
    }
    return null
  }

  async function personOf({ data: { proven }, userId }: SignInFlow) {
    const account = userId === null ? null : await accounts.byUserId(userId)
    if (!account) return { username: '', mayRemember: false }
    const isTyped = proven?.amr.includes('pwd') === true
    const mayRemember = isTyped && !options.requirements.mustHaveFactor(account)
    return { username: account.username, mayRemember }
  }
}

function isEnough(
  { needsEnrolment, stored }: LiveSession,
  { again }: Readonly<Record<string, unknown>>,
  returnTo: string,
): boolean {
  // An account that must enrol a second factor would be redirected back here.
  if (needsEnrolment) return false
  return needsTwoFactors(returnTo) ? stored.amr.includes('mfa') : again !== '1'
}

/** Only fills the field, whoever it names. OpenID Connect Core 3.1.2.1 */
function hintIn(text: unknown): string {
  const isName = typeof text === 'string' && text.length <= maxHintLength && !/\p{C}/u.test(text)
  return isName ? text : ''
}

function isCorrectable({ row, status }: ApiError): boolean {
  if (row === 'signInFailed' || row === 'csrfTokenInvalid' || row === 'accessDenied') return false
  return status < 500
}

function fieldsOf({ body }: FastifyRequest): ReadField {
  return (name) => textIn(body, name)
}
