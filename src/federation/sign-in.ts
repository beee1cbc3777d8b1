import type { Accounts } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { Completion, Result } from '../authentication/completion.ts'
import type { Evidence } from '../authentication/evidence.ts'
import type { Step } from '../authentication/requirement-table.ts'
import type { Passed, Requirements } from '../authentication/requirements.ts'
import { type Guard, lockName } from '../database/transactions.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import type { BrowserSessionDeps } from '../session/browser.ts'
import type { Attempt } from '../throttle/attempt.ts'
import type { LoginLimits } from '../throttle/limits.ts'
import { namesOf } from '../token/known-revocations.ts'
import type { Revocations } from '../token/revocations.ts'
import type { Tokens } from '../token/tokens.ts'
import type { Proof, SecondFactor } from '../totp/second-factor.ts'
import type { AccountThen, Finished, Flows } from './flow.ts'
import type { Identities } from './identities.ts'
import type { Provider } from './provider.ts'

export interface SignInDeps extends Pick<BrowserSessionDeps, 'sessions'> {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly clock: Clock
  readonly completion: Completion
  readonly flows: Flows
  readonly identities: Identities
  readonly limits: Pick<LoginLimits, 'attemptCode'>
  readonly requirements: Requirements
  readonly revocations: Pick<Revocations, 'refusesBy'>
  readonly secondFactor: Pick<SecondFactor, 'prove'>
  readonly tokens: Pick<Tokens, 'issueEnrolment'>
}

/** What the browser is answered when it comes back from the provider. */
export type Outcome =
  | { readonly kind: 'linked' | 'signed_in' }
  | { readonly kind: 'second_factor'; readonly ticket: string }

/**
 * Behind the provider, which is the method here: the requirements, then the result; or the ticket of
 * a second factor that is asked for first. Spec 2.2, 5.5.
 * @throws ApiError accessDenied, identityLinked, passwordChangeRequired, enrolmentRequired; invalidCredentials
 * where the account has ended its logins meanwhile
 */
export async function signIn<Given, Answer>(
  deps: SignInDeps,
  provider: Provider,
  finished: Finished,
  result: Result<Given, Answer>,
): Promise<Outcome> {
  const { clock, completion, flows, identities, requirements } = deps
  const { person, linkTo } = finished
  if (linkTo) {
    const account = await unchanged(deps, linkTo)
    await identities.link(account, person, linkerGuard(deps, linkTo))
    return { kind: 'linked' }
  }
  const account = await identities.signIn(provider, person)
  const evidence: Evidence = { account, amr: ['fed'], authTime: clock.now() }
  const next = requirements.pass('provider', evidence)
  if (next === 'second_factor') {
    return { kind: 'second_factor', ticket: await flows.suspend(account, finished) }
  }
  await completion.complete(await passedOr(deps, next, evidence), null, result)
  return { kind: 'signed_in' }
}

/**
 * The second half for an account with a second factor. A wrong code counts as one behind a password does:
 * in the throttle, for the address, and towards the automatic lock. docs/adr/0010 and 0012.
 * @throws ApiError signInFailed, secondFactorRequired, invalidCredentials, tooManyLoginAttempts and
 * those of `signIn`
 */
export async function confirm<Given, Answer>(
  deps: SignInDeps,
  ticket: string | undefined,
  { address, ...proof }: Proof & { readonly address: string },
  result: Result<Given, Answer>,
): Promise<{ answer: Answer; returnTo: string }> {
  const { clock, completion, flows, limits, requirements, secondFactor } = deps
  const waiting = await flows.waiting(ticket)
  const account = await unchanged(deps, waiting)
  const evidence: Evidence = { account, amr: ['fed'], authTime: clock.now() }
  // Before a code is judged: a lock must not tell right from wrong.
  const next = requirements.pass('provider', evidence)
  const isAsked = next === 'second_factor' // it may have been removed meanwhile
  const answer = isAsked
    ? await limits.attemptCode({ username: account.username, address }, byCode)
    : await finish(next, evidence, null)
  return { answer, returnTo: waiting.returnTo }

  async function byCode(attempt: Attempt): Promise<Answer> {
    await secondFactor.prove(account, proof)
    const proven: Evidence = { account, amr: ['fed', 'otp', 'mfa'], authTime: clock.now() }
    return finish(requirements.pass('provider', proven), proven, attempt)
  }

  async function finish(
    passed: Passed<'provider'> | Step,
    shown: Evidence,
    attempt: Attempt | null,
  ) {
    return completion.complete(await passedOr(deps, passed, shown), attempt, {
      ...result,
      isStored: true,
      async give(trx, present) {
        await flows.resume(trx, ticket ?? '', waiting)
        return result.give(trx, present)
      },
    })
  }
}

/** @throws ApiError enrolmentRequired where that is the step before it: a page has no other */
async function passedOr(
  { tokens }: SignInDeps,
  next: Passed<'provider'> | Step,
  { account, ...authentication }: Evidence,
): Promise<Passed<'provider'>> {
  if (typeof next !== 'string') return next
  throw new ApiError('enrolmentRequired', {
    extra: { enrolment_token: await tokens.issueEnrolment(account, authentication) },
  })
}

/** @throws ApiError signInFailed where the account has ended its logins since, or is gone */
async function unchanged(
  { accounts, requirements }: SignInDeps,
  before: AccountThen,
): Promise<Account> {
  const account = await accounts.byUserId(before.userId)
  if (!account) throw new ApiError('signInFailed')
  requirements.refuse('ticket', { account, since: { now: account, before } })
  return account
}

/**
 * Judges the session or the token that asked for the link: a caller who has logged out, or has
 * given the browser to another person, links nothing any more. The cookie cannot tell: it is
 * Strict, and does not come back from a provider. Its refusal is signInFailed.
 */
function linkerGuard(
  { sessions, revocations }: SignInDeps,
  { sessionId, token }: NonNullable<Finished['linkTo']>,
): Guard {
  return {
    shared: () => (token ? namesOf(token).map(lockName.token) : []),
    async judge(db) {
      const hasSession = sessionId === null || (await sessions.again(db, sessionId)) !== null
      const hasToken = !token || !(await revocations.refusesBy(db, token))
      if (!hasSession || !hasToken) throw new ApiError('signInFailed')
    },
  }
}
