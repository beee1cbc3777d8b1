import type { FastifyRequest } from 'fastify'
import { parseEmail } from '../../../core/addresses/email.ts'
import type { Config } from '../../../core/config/load.ts'
import { digest } from '../../../core/crypto/digest.ts'
import type { Database } from '../../../core/database/database.ts'
import { refuseField } from '../../../core/errors.ts'
import { clientAddress } from '../../../core/http/limits/client-address.ts'
import { languageOf } from '../../../core/http/pages/language.ts'
import type { Clock } from '../../../core/lib/clock.ts'
import { authenticate } from '../../../modules/authentication/attempt.ts'
import { parseUserAgent } from '../../../modules/devices/user-agent.ts'
import type { PageFlows } from '../../../modules/flows/flows.ts'
import { knownBrowser } from '../../../modules/flows/requests.ts'
import type { SignInData } from '../../../modules/flows/sign-in-flow.ts'
import {
  deviceOf,
  orNextStep,
  type PipelineDeps,
  type SignInFlow,
  type SignInPipeline,
  type SigningIn,
} from '../../../modules/pages/sign-in/pipeline.ts'
import type { LoginLimits } from '../../../modules/throttle/limits.ts'
import type {
  Confirmation,
  ConfirmationFacts,
  Confirmations,
} from '../../one-time-tokens/confirmations.ts'
import { type EmailLogin, signInPurposes } from '../email-login.ts'

declare module '../../../modules/flows/sign-in-flow.ts' {
  interface SignInData {
    /** The mail that was asked for. */
    readonly mail?: RequestedMail
    /** The mailed link that was opened. */
    readonly link?: OpenedLink
  }
  interface StepsOfWays {
    email: true
    email_code: true
    email_link: true
  }
}

export interface RequestedMail {
  /** Of the confirmation. */
  readonly id: string
  /** As it was typed. */
  readonly address: string
  /** When it was asked for last, and until when it counts; epoch milliseconds. */
  readonly askedAt: number
  readonly expiresAt: number
}

export interface OpenedLink {
  readonly token: string
  readonly username: string
  /** Where it was asked from; null if this browser has asked. */
  readonly asked: {
    readonly at: number
    readonly address: string | null
    readonly browser: string | null
    readonly system: string | null
  } | null
}

/** A link that counts, and where the sign-in leads that asked for it; not checked. */
export interface FoundLink {
  readonly link: OpenedLink
  readonly returnTo: unknown
}

export interface MailStepsDeps extends Pick<PipelineDeps, 'devices' | 'requirements'> {
  readonly clock: Clock
  readonly config: Pick<Config, 'pages'>
  readonly confirmations: Pick<Confirmations, 'open' | 'openByCode' | 'openByToken' | 'use'>
  readonly db: Database
  readonly emailLogin: EmailLogin
  readonly limits: Pick<LoginLimits, 'attemptCode'>
  readonly pageFlows: Pick<PageFlows, 'advanceUnproven'>
}

/** The steps of a sign-in by mail on the pages: ask, then the code, or the link and a press. */
export interface MailSteps {
  /** Mails a link and a code. @throws ApiError validationFailed, tooManyRequests */
  ask(flow: SignInFlow, typed: string, request: FastifyRequest): Promise<SignInFlow>
  /** @throws ApiError confirmationInvalid, and as the pipeline */
  code(flow: SignInFlow, code: string, by: SigningIn): Promise<SignInFlow | null>
  /** What the page of an opened link shows; null if it counts no more. It changes nothing. */
  open(token: string, request: FastifyRequest): Promise<FoundLink | null>
  /** @throws ApiError confirmationInvalid, and as the pipeline */
  link(flow: SignInFlow, by: SigningIn): Promise<SignInFlow | null>
}

export function createMailSteps(deps: MailStepsDeps, pipeline: SignInPipeline): MailSteps {
  const { clock, config, confirmations, db, emailLogin, limits, pageFlows, requirements } = deps

  return {
    async ask(flow, typed, request) {
      const text = typed.trim()
      const address = parseEmail(text) ?? refuseField(['email'], 'must be an e-mail address')
      const begun = await emailLogin.begin(address, {
        language: languageOf(request, config.pages.language),
        client: clientAddress(request),
        flow: flow.key,
        facts: { ...originOf(request), return_to: flow.returnTo },
      })
      const mail = {
        id: begun.id,
        address: text,
        askedAt: clock.now(),
        expiresAt: begun.expiresAt,
      }
      return pageFlows.advanceUnproven<SignInData>(db, flow, {
        step: 'email_code',
        data: { ...flow.data, mail },
      })
    },

    async code(flow, code, by) {
      const { id = '' } = flow.data.mail ?? {}
      return take(flow, await confirmations.openByCode(id, code, flow.key, signInPurposes), by)
    },

    async open(token, request) {
      const confirmation = await confirmations.open(token, signInPurposes)
      const account = confirmation && (await emailLogin.accountOf(confirmation))
      if (!account) return null
      const { username } = account
      const link = { token, username, asked: askedElsewhere(confirmation, request) }
      return { link, returnTo: confirmation.facts.return_to }
    },

    async link(flow, by) {
      const { token = '' } = flow.data.link ?? {}
      return take(flow, await confirmations.openByToken(token, signInPurposes), by)
    },
  }

  /** Takes the mail as the first proof; it is used up by the step that this leads to. */
  async function take(
    flow: SignInFlow,
    confirmation: Confirmation,
    { address, result }: SigningIn,
  ): Promise<SignInFlow | null> {
    const also: SigningIn['also'] = (trx) => confirmations.use(trx, confirmation)
    const { login, method } = await emailLogin.method(confirmation, address)
    const device = await deviceOf(deps, confirmation.userId ?? 0, { result })
    const counted = { limits: { attempt: limits.attemptCode }, requirements }
    return orNextStep(() =>
      authenticate(counted, { login: { ...login, device }, method }, (evidence, attempt) =>
        pipeline.proved(flow, evidence, attempt, { address, result, also }),
      ),
    )
  }
}

/** Who asks, for the page of the link: the browser by a digest of its cookie. */
function originOf(request: FastifyRequest): ConfirmationFacts {
  const device = parseUserAgent(request.headers['user-agent'] ?? null)
  return {
    browser: digest(knownBrowser(request)?.cookie ?? ''),
    address: clientAddress(request),
    program: device.browser ?? null,
    system: device.system ?? null,
  }
}

/** From where the link was asked for; null if this browser has asked. */
function askedElsewhere(
  { createdAt, facts }: Confirmation,
  request: FastifyRequest,
): OpenedLink['asked'] {
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
