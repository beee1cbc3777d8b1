import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/addresses/loopback.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import { hostPrefix } from '../../core/http/pages/host-prefix.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import { type Credential, userIdOf } from '../../core/policy/principal.ts'
import { createForwardAnswers, type ForwardAnswersDeps } from './answers.ts'
import { createForwardCallers, type ForwardCallersDeps, type KnownCaller } from './caller.ts'
import { createForwarded, type ForwardedRequest } from './forwarded.ts'
import { type ForwardDecisions, forwardDecisions } from './measurements.ts'
import { isNavigation } from './navigation.ts'
import { forwardPath } from './paths.ts'
import { pathOf } from './request-line.ts'
import type { ForwardRules } from './rules.ts'
import type { ForwardCaller, Verdict } from './verdict.ts'

export interface ForwardDecisionDeps
  extends ForwardCallersDeps,
    Pick<ForwardAnswersDeps, 'random'> {
  readonly authenticators: readonly Authenticator[]
  readonly forwardRules: Pick<ForwardRules, 'judge'>
  readonly measurements: Pick<Measurements, 'of'>
}

/** A promise only if something must be read. @throws ApiError for a rejection */
export type ForwardDecision = (
  request: FastifyRequest,
  reply: FastifyReply,
) => undefined | Promise<undefined>

/** Judges without the caller first; authenticates the caller only if a rule requires it. */
export function createForwardDecision(deps: ForwardDecisionDeps): ForwardDecision {
  const { authenticators, config, forwardRules, random } = deps
  const decisions = deps.measurements.of(forwardDecisions)
  const forwarded = createForwarded(config)
  const callers = createForwardCallers(authenticators, deps)
  const answers = createForwardAnswers({ config, random, isHome: callers.isHome })

  return (request, reply) => {
    let asked: ForwardedRequest | null = null
    try {
      asked = forwarded.askedOf(request)
      assertAppended(request, asked)
      assertNotOurs(asked)
      const verdict = forwardRules.judge(asked, null)
      if (verdict.policy === 'bypass') return bypass(request, reply, asked)
      if (verdict.policy !== 'identify') throw denied(asked, verdict)
      assertConfidential(asked)
      return identify(request, reply, asked, verdict)
    } catch (error) {
      return refuse(error, request, reply, asked)
    }
  }

  function identify(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: ForwardedRequest,
    { ofAll }: Verdict,
  ) {
    const caller = callers.callerOf(request, reply, asked.site)
    if (!(caller instanceof Promise)) return judge(request, reply, asked, caller, ofAll)
    return caller
      .then((known) => judge(request, reply, asked, known, ofAll))
      .catch((error: unknown) => refuse(error, request, reply, asked))
  }

  function judge(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: ForwardedRequest,
    { principal, remote }: KnownCaller,
    ofAll: Verdict | undefined,
  ): undefined {
    const { host, site } = asked
    // No roles here, and the name could be mistaken for an account's.
    if (remote === null)
      throw refusal('accessDenied', { code: 'forward_no_account', facts: { host } })
    const verdict = ofAll ?? forwardRules.judge(asked, principal)
    const { policy, rule } = verdict
    if (policy === 'bypass') return bypass(request, reply, asked)
    if (principal.credential.scheme === 'key' && !acceptsKey(principal.credential, verdict)) {
      const facts = { host, rule, user_id: userIdOf(principal) }
      throw refusal('accessDenied', { code: 'forward_key', facts })
    }
    if (policy !== 'one_factor' && policy !== 'two_factor') throw denied(asked, verdict)
    if (policy === 'two_factor' && !principal.amr.includes('mfa')) {
      // A browser resends a header credential after any sign-in, which would loop.
      if (principal.credential.scheme === 'session' && isNavigation(request)) {
        return signIn(request, reply, asked, { isAgain: true, needsTwoFactors: true })
      }
      const facts = { host, rule, user_id: userIdOf(principal) }
      throw refusal('accessDenied', { code: 'forward_second_factor', facts })
    }
    decisions.allowed += 1
    answers.allow(request, reply, site, remote)
    return undefined
  }

  function bypass(request: FastifyRequest, reply: FastifyReply, { site }: ForwardedRequest) {
    decisions.bypass += 1
    answers.allow(request, reply, site, null)
    return undefined
  }

  function signIn(...given: Parameters<typeof answers.signIn>): undefined {
    decisions.sign_in += 1
    answers.signIn(...given)
  }

  function refuse(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    asked: ForwardedRequest | null,
  ): undefined {
    const status = error instanceof ApiError ? error.status : 500
    const isUnknown = status === 401 && request.headers.authorization === undefined
    if (asked && isUnknown && isNavigation(request)) {
      const { policy } = forwardRules.judge(asked, anyCaller)
      return signIn(request, reply, asked, {
        isAgain: false,
        needsTwoFactors: policy === 'two_factor',
      })
    }
    decisions[answerOf[status] ?? 'unavailable'] += 1
    throw error
  }
}

/** No rule accepts the key of a program, which has scopes of this service alone. */
function acceptsKey({ kind }: KeyCredential, { acceptsAppPasswords }: Verdict): boolean {
  return kind === 'app_password' && acceptsAppPasswords === true
}

type KeyCredential = Extract<Credential, { readonly scheme: 'key' }>

/** Resolved once the caller is known. */
const anyCaller: ForwardCaller = { username: '', roles: new Set() }

const answerOf: Readonly<Record<number, keyof ForwardDecisions>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'denied',
}

/** Envoy's appended path must be the judged path. @throws ApiError badRequest */
function assertAppended({ raw: { url = '' } }: FastifyRequest, { uri }: ForwardedRequest): void {
  const path = pathOf(url)
  if (path === forwardPath) return
  if (path.startsWith(forwardPath) && path.slice(forwardPath.length) === pathOf(uri)) return
  throw refusal('badRequest', { code: 'forward_path_differs' })
}

/**
 * The proxy does not route /.gatehouse/ to this service: sign-ins would loop. @throws ApiError
 * badRequest
 */
function assertNotOurs({ host, uri }: ForwardedRequest): void {
  if (!uri.startsWith(`${hostPrefix}/`)) return
  throw refusal('badRequest', { code: 'forward_own_path', facts: { host } })
}

/** @throws ApiError badRequest */
function assertConfidential({ site: { host, hostname, scheme } }: ForwardedRequest): void {
  if (scheme === 'https' || isLoopback(hostname)) return
  throw refusal('badRequest', { code: 'forward_plain_http', facts: { host } })
}

function denied({ host }: ForwardedRequest, { because, header, rule }: Verdict): ApiError {
  if (because === 'no_address') {
    return refusal('badRequest', { code: 'forward_address_absent', facts: { host, rule } })
  }
  const reasons: Record<Exclude<Verdict['because'], 'no_address'>, RefusalReason> = {
    rule: { code: 'forward_denied', facts: { host, rule } },
    no_rule: { code: 'forward_no_rule', facts: { host } },
    ambiguous: { code: 'forward_ambiguous', facts: { host } },
    named_path: { code: 'forward_path_override', facts: { host, header: header ?? '' } },
  }
  return refusal('accessDenied', reasons[because])
}

function refusal(row: 'accessDenied' | 'badRequest', reason: RefusalReason): ApiError {
  return new ApiError(row, { reason })
}
