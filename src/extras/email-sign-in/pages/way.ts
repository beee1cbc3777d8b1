import type { FastifyRequest } from 'fastify'
import { parseEmail } from '../../../core/addresses/email.ts'
import { digest } from '../../../core/crypto/digest.ts'
import { ApiError, refuseField } from '../../../core/errors.ts'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import { languageOf } from '../../../core/http/pages/language.ts'
import { viewPage } from '../../../core/http/pages/send-view.ts'
import type { Needs } from '../../../core/module/services.ts'
import { authenticate } from '../../../modules/authentication/attempt.ts'
import { parseUserAgent } from '../../../modules/devices/user-agent.ts'
import { knownBrowser } from '../../../modules/flows/requests.ts'
import type { SignInData } from '../../../modules/flows/sign-in-flow.ts'
import { deviceOf } from '../../../modules/pages/sign-in/pipeline.ts'
import type {
  Proceed,
  Shown,
  SignInAddition,
  SignInFlow,
  SigningIn,
  TakeStep,
} from '../../../modules/pages/sign-in/ways.ts'
import { resendSecondsAt } from '../../mail/mailbox-page.ts'
import type { Confirmation, ConfirmationFacts } from '../../one-time-tokens/confirmations.ts'
import { cameByInvalidLink } from '../../one-time-tokens/token-arrival.ts'
import { signInPurposes } from '../email-login.ts'
import type { MailedView, RequestOrigin } from './views.ts'

declare module '../../../modules/flows/sign-in-flow.ts' {
  interface SignInData {
    readonly mail?: RequestedMail
    readonly link?: OpenedLink
  }
  interface StepsOfWays {
    email: true
    email_code: true
    email_link: true
  }
}

interface RequestedMail {
  readonly id: string
  /** As typed. */
  readonly address: string
  /** Last request, and expiry of the code; epoch milliseconds. */
  readonly askedAt: number
  readonly expiresAt: number
}

interface OpenedLink {
  readonly token: string
  readonly username: string
  readonly asked: RequestOrigin | null
}

type MailSignInNeeds = Pick<
  Needs,
  | 'clock'
  | 'config'
  | 'confirmations'
  | 'db'
  | 'devices'
  | 'emailLogin'
  | 'limits'
  | 'pageFlows'
  | 'requirements'
>

export function emailSignIn(deps: MailSignInNeeds): SignInAddition {
  const { clock, config, confirmations, db, emailLogin, limits, pageFlows, requirements } = deps
  return {
    link: ({ action }) =>
      emailLogin.isOffered ? { name: 'byMail', href: `${action}&by=mail` } : null,

    way: (proceed) => ({
      errors: ['confirmationInvalid'],
      field: 'email',
      isChosen: ({ by }) => by === 'mail' && emailLogin.isOffered,
      isBegun({ data, step }, field) {
        if (data.again !== null || !emailLogin.isOffered) return false
        if (step === 'password') return field('by') === 'mail'
        return step === 'email_code' && field('resend') === '1'
      },
      begin: sendMail,
      steps: {
        email: sendMail,
        async email_code(flow, _request, by, field) {
          const { id = '' } = flow.data.mail ?? {}
          const code = field('code')
          const confirmation = await confirmations.openByCode(id, code, flow.key, signInPurposes)
          return take(proceed, flow, confirmation, by)
        },
        async email_link(flow, _request, by) {
          const { token = '' } = flow.data.link ?? {}
          const confirmation = await confirmations.openByToken(token, signInPurposes)
          return take(proceed, flow, confirmation, by)
        },
      },
      first: (shown, form, options) =>
        viewPage(
          'sign-in-by-mail',
          { ...form, email: shown.typed ?? '', problem: firstProblem(shown) },
          options,
        ),
      pages: {
        email_code: (shown, form, options) =>
          viewPage('sign-in-mailed', { ...form, ...mailed(shown) }, options),
        email_link({ flow }, form, options) {
          const { asked = null, username } = flow.data.link ?? { username: '' }
          return viewPage('sign-in-link', { ...form, username, asked }, options)
        },
      },
      arrive,
      refused: ({ row }, step) =>
        row === 'confirmationInvalid' && step !== 'email_code'
          ? viewPage('sign-in-dead-link', { begin: '/signin' })
          : null,
    }),
  }

  /** @throws ApiError validationFailed, tooManyRequests */
  async function sendMail(...[flow, request, , field]: Parameters<TakeStep>): Promise<SignInFlow> {
    const text = field('email').trim()
    const address =
      parseEmail(text) ??
      refuseField(['email'], {
        en: 'must be an e-mail address',
        de: 'muss eine E-Mail-Adresse sein',
      })
    const { id, expiresAt } = await emailLogin.begin(address, {
      language: languageOf(request, config.pages.language),
      client: clientAddress(request),
      flow: flow.key,
      facts: { ...originOf(request), return_to: flow.returnTo },
    })
    const mail = { id, address: text, askedAt: clock.now(), expiresAt }
    const data = { ...flow.data, mail }
    return pageFlows.advanceUnproven<SignInData>(db, flow, { step: 'email_code', data })
  }

  /** First proof; the next step's transaction uses up the confirmation. */
  async function take(
    proceed: Proceed,
    flow: SignInFlow,
    confirmation: Confirmation,
    { address, result }: SigningIn,
  ): Promise<SignInFlow | null> {
    const also: SigningIn['also'] = (trx) => confirmations.use(trx, confirmation)
    const { login, method } = await emailLogin.method(confirmation, address)
    const device = await deviceOf(deps, confirmation.userId ?? 0, { result })
    const counted = { limits: { attempt: limits.attemptCode }, requirements }
    return authenticate(counted, { login: { ...login, device }, method }, (evidence, attempt) =>
      proceed(flow, evidence, attempt, { address, result, also }),
    )
  }

  /** Changes nothing. Redirects to remove the token from the address. */
  async function arrive(request: FastifyRequest) {
    const { token } = request.query as { token?: unknown } // parsed by Fastify
    if (token === undefined) {
      if (!cameByInvalidLink(request)) return null
      throw new ApiError('confirmationInvalid', { reason: { code: 'confirmation_unknown' } })
    }
    if (typeof token !== 'string') return { location: '/signin?link=invalid' }
    const confirmation = await confirmations.open(token, signInPurposes)
    const account = confirmation && (await emailLogin.accountOf(confirmation))
    if (!account) return { location: '/signin?link=invalid' }
    const { username } = account
    const link = { token, username, asked: originElsewhere(confirmation, request) }
    return { step: 'email_link', data: { link }, returnTo: confirmation.facts.return_to } as const
  }

  function mailed({ error, flow, now }: Shown) {
    const { address = '', askedAt = 0 } = flow.data.mail ?? {}
    return {
      email: address,
      lifetimeSeconds: config.confirmations.signInSeconds,
      resendSeconds: resendSecondsAt(now, askedAt),
      problem: codeProblem(error),
    }
  }
}

/** For the link page; the browser as a digest of its cookie. */
function originOf(request: FastifyRequest): ConfirmationFacts {
  const device = parseUserAgent(request.headers['user-agent'] ?? null)
  return {
    browser: digest(knownBrowser(request)?.cookie ?? ''),
    address: clientAddress(request),
    program: device.browser ?? null,
    system: device.system ?? null,
  }
}

/** Null if requested by this browser. */
function originElsewhere(
  { createdAt, facts }: Confirmation,
  request: FastifyRequest,
): RequestOrigin | null {
  const here = knownBrowser(request)
  if (here && facts.browser === digest(here.cookie)) return null
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    at: createdAt,
    address: text(facts.address),
    browser: text(facts.program),
    system: text(facts.system),
  }
}

function firstProblem({ error }: Shown) {
  if (!error) return null
  return error.status === 429 ? 'throttled' : 'form'
}

function codeProblem(error: ApiError | undefined): MailedView['problem'] {
  if (!error) return null
  if (error.status === 429) return 'throttled'
  return error.row === 'confirmationInvalid' ? 'wrong' : 'missing'
}
