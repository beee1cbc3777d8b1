import { type Guard, lockName } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { Completion, Result } from '../authentication/completion.ts'
import { type Evidence, unknownAuthTime } from '../authentication/evidence.ts'
import type { SentFactor } from '../authentication/proofs.ts'
import type { Step } from '../authentication/requirement-table.ts'
import type { Passed, Requirements } from '../authentication/requirements.ts'
import type { Factors } from '../factors/factors.ts'
import { passTowards } from '../flows/sign-in-flow.ts'
import type { BrowserSessionDeps } from '../sessions/browser.ts'
import type { Attempt } from '../throttle/attempt.ts'
import type { LoginLimits } from '../throttle/limits.ts'
import { namesOf } from '../tokens/known-revocations.ts'
import type { Revocations } from '../tokens/revocations.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { AccountThen, FinishedFlow, Flows } from './flow.ts'
import type { Identities } from './identities.ts'
import type { Provider } from './provider.ts'

export interface SignInDeps extends Pick<BrowserSessionDeps, 'sessions'> {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly completion: Completion
  readonly factors: Pick<Factors, 'prove'>
  readonly flows: Flows
  readonly identities: Identities
  readonly limits: Pick<LoginLimits, 'attemptCode'>
  readonly requirements: Requirements
  readonly revocations: Pick<Revocations, 'refusesBy'>
  readonly tokens: Pick<Tokens, 'issueEnrolment'>
}

export type Outcome =
  | { readonly kind: 'linked' | 'signed_in' }
  | { readonly kind: 'second_factor'; readonly ticket: string }
  | { readonly kind: 'step'; readonly step: Step; readonly evidence: Evidence }

/**
 * Finishes a sign-in or a linking. May ask for the second factor, with a ticket; on pages, returns
 * the remaining step. Spec 2.2, 5.5.
 * @throws ApiError accessDenied, identityLinked, passwordChangeRequired, enrolmentRequired;
 * invalidCredentials if the account has ended its logins
 */
export async function signIn<Issued, Answer>(
  deps: SignInDeps,
  provider: Provider,
  finished: FinishedFlow,
  result: Result<Issued, Answer>,
  hasPages = false,
): Promise<Outcome> {
  const { completion, flows, identities, requirements } = deps
  const { person, linkTo } = finished
  if (linkTo) {
    const account = await unchanged(deps, linkTo)
    await identities.link(account, person, linkerGuard(deps, linkTo))
    return { kind: 'linked' }
  }
  const account = await identities.signIn(provider, person)
  const { authTime = unknownAuthTime } = person
  const evidence: Evidence = { account, amr: ['fed'], authTime }
  if (hasPages) {
    const all = requirements.pass('providerPage', evidence)
    const passed = passTowards(finished.returnTo, all, evidence)
    if (typeof passed === 'string') return { kind: 'step', step: passed, evidence }
    await completion.complete(passed, null, result)
    return { kind: 'signed_in' }
  }
  const next = requirements.pass('provider', evidence)
  if (next === 'second_factor') {
    return { kind: 'second_factor', ticket: await flows.suspend(account, finished) }
  }
  await completion.complete(await passedOr(deps, next, evidence), null, result)
  return { kind: 'signed_in' }
}

/**
 * A wrong proof counts like one after a password. docs/adr/0010 and 0012.
 * @throws ApiError signInFailed, secondFactorRequired, invalidCredentials, tooManyLoginAttempts; as
 * `signIn`
 */
export async function confirm<Issued, Answer>(
  deps: SignInDeps,
  ticket: string | undefined,
  { address, factor }: { readonly address: string; readonly factor: SentFactor },
  result: Result<Issued, Answer>,
): Promise<{ answer: Answer; returnTo: string }> {
  const { completion, factors, flows, limits, requirements } = deps
  const waiting = await flows.waiting(ticket)
  const account = await unchanged(deps, waiting)
  const { authTime } = waiting
  const evidence: Evidence = { account, amr: ['fed'], authTime }
  // First: a locked account must not reveal whether the proof is right.
  const next = requirements.pass('provider', evidence)
  const isAsked = next === 'second_factor' // the factor may have been removed in the meantime
  const answer = isAsked
    ? await limits.attemptCode({ username: account.username, address }, byFactor)
    : await finish(next, evidence, null)
  return { answer, returnTo: waiting.returnTo }

  async function byFactor(attempt: Attempt): Promise<Answer> {
    const amr = await factors.prove(account, factor)
    const proven: Evidence = { account, amr: ['fed', ...amr], authTime }
    return finish(requirements.pass('provider', proven), proven, attempt)
  }

  async function finish(
    passed: Passed<'provider'> | Step,
    shown: Evidence,
    attempt: Attempt | null,
  ) {
    return completion.complete(await passedOr(deps, passed, shown), attempt, {
      ...result,
      async issue(trx, present) {
        await flows.resume(trx, ticket ?? '', waiting)
        return result.issue(trx, present)
      },
    })
  }
}

/** @throws ApiError enrolmentRequired */
async function passedOr(
  { tokens }: SignInDeps,
  next: Passed<'provider'> | Step,
  { account, ...authentication }: Evidence,
): Promise<Passed<'provider'>> {
  if (typeof next !== 'string') return next
  throw new ApiError('enrolmentRequired', {
    extra: { enrolment_token: await tokens.issueEnrolment(account, authentication) },
    reason: { code: 'enrolment_due', facts: { user_id: account.userId } },
  })
}

/** @throws ApiError signInFailed if the account has ended its logins, or was deleted */
export async function unchanged(
  { accounts, requirements }: Pick<SignInDeps, 'accounts' | 'requirements'>,
  before: AccountThen,
): Promise<Account> {
  const account = await accounts.byUserId(before.userId)
  if (!account) {
    const reason = { code: 'account_gone', facts: { user_id: before.userId } } as const
    throw new ApiError('signInFailed', { reason })
  }
  requirements.refuse('ticket', { account, since: { now: account, before } })
  return account
}

/**
 * A logged-out caller links nothing. The callback has no session cookie, which is Strict. @throws
 * ApiError signInFailed
 */
function linkerGuard(
  { sessions, revocations }: SignInDeps,
  { sessionId, token }: NonNullable<FinishedFlow['linkTo']>,
): Guard {
  return {
    lockNames: () => (token ? namesOf(token).map(lockName.token) : []),
    async authorize(db) {
      const hasSession = sessionId === null || (await sessions.revalidate(db, sessionId)) !== null
      const hasToken = !token || !(await revocations.refusesBy(db, token))
      if (!hasSession || !hasToken) {
        throw new ApiError('signInFailed', { reason: { code: 'linker_ended' } })
      }
    },
  }
}
