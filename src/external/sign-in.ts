import { type Account, isUsable } from '../accounts/account.ts'
import { type Accounts, reread } from '../accounts/accounts.ts'
import { refused } from '../accounts/first-factor.ts'
import type { AutomaticLock } from '../accounts/lock.ts'
import type { Database } from '../database/connect.ts'
import { type Guard, word } from '../database/transactions.ts'
import { ApiError } from '../kernel/errors.ts'
import type { BrowserSessionDeps } from '../session/browser.ts'
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
  readonly db: Database
  readonly flows: Flows
  readonly identities: Identities
  readonly limits: Pick<LoginLimits, 'admitCode'>
  readonly lock: Pick<AutomaticLock, 'holds' | 'holdsNow'>
  readonly revocations: Pick<Revocations, 'refusesBy'>
  readonly secondFactor: SecondFactor
  readonly tokens: Pick<Tokens, 'issueEnrolment'>
}

/** What comes next for whoever came back from the provider. */
export type Outcome =
  | { readonly kind: 'linked' }
  | { readonly kind: 'second_factor'; readonly ticket: string }
  | { readonly kind: 'signed_in'; readonly account: Account }

/**
 * Behind the provider, the same as behind a password: the account's flags, its second factor, and what
 * policy asks of it. Spec 2.2, 5.5.
 * @throws ApiError accessDenied, identityLinked, passwordChangeRequired, enrolmentRequired; invalidCredentials
 * where the account has ended its logins meanwhile
 */
export async function signIn(
  deps: SignInDeps,
  provider: Provider,
  finished: Finished,
): Promise<Outcome> {
  const { flows, identities } = deps
  const { person, linkTo } = finished
  if (linkTo) {
    const account = await unchanged(deps, linkTo)
    await identities.link(account, person, linkerGuard(deps, linkTo))
    return { kind: 'linked' }
  }
  const account = await identities.signIn(provider, person)
  assertAllowed(deps, account)
  if (account.secondFactor) {
    return { kind: 'second_factor', ticket: await flows.suspend(account, finished) }
  }
  return { kind: 'signed_in', account: await complete(deps, account) }
}

/**
 * The second half for an account with a second factor. A wrong code counts as one behind a password does:
 * in the throttle, for the address, and towards the automatic lock. docs/adr/0010 and 0012.
 * @throws ApiError signInFailed, secondFactorRequired, invalidCredentials, tooManyLoginAttempts and
 * those of `signIn`
 */
export async function confirm(
  deps: SignInDeps,
  ticket: string | undefined,
  { address, ...proof }: Proof & { readonly address: string },
): Promise<{ account: Account; returnTo: string }> {
  const { flows, limits, lock, secondFactor } = deps
  const waiting = await flows.waiting(ticket)
  const account = await unchanged(deps, waiting)
  assertAllowed(deps, account) // before a code is judged: a lock must not tell right from wrong
  const { username } = account
  const place = account.secondFactor ? await limits.admitCode({ username, address }) : null
  let ready: Account
  try {
    if (account.secondFactor) await secondFactor.prove(account, proof)
    // Many guesses at once are judged at once: those behind the one that locked do not pass.
    if (await lock.holdsNow(account)) throw new ApiError('accessDenied')
    await flows.resume(ticket ?? '', waiting)
    ready = await complete(deps, account)
  } catch (error) {
    if (place) return refused(place, error)
    throw error
  }
  await place?.clear()
  return { account: ready, returnTo: waiting.returnTo }
}

/** What must hold at the end, however long the way was. */
async function complete(deps: SignInDeps, account: Account): Promise<Account> {
  assertAllowed(deps, account)
  if (deps.secondFactor.isMissing(account)) {
    throw new ApiError('enrolmentRequired', {
      extra: { enrolment_token: await deps.tokens.issueEnrolment(account) },
    })
  }
  return reread(deps.db, account)
}

function assertAllowed({ lock }: SignInDeps, account: Account): void {
  if (!isUsable(account) || lock.holds(account)) throw new ApiError('accessDenied')
  if (account.mustChange) throw new ApiError('passwordChangeRequired')
}

/** @throws ApiError signInFailed where the account has ended its logins since, or is gone */
async function unchanged({ accounts }: SignInDeps, then: AccountThen): Promise<Account> {
  const account = await accounts.byUserId(then.userId)
  if (!account || !isUsable(account) || account.refreshVersion !== then.refreshVersion) {
    throw new ApiError('signInFailed')
  }
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
    shared: () => (token ? namesOf(token).map(word.token) : []),
    async judge(db) {
      const hasSession = sessionId === null || (await sessions.again(db, sessionId)) !== null
      const hasToken = !token || !(await revocations.refusesBy(db, token))
      if (!hasSession || !hasToken) throw new ApiError('signInFailed')
    },
  }
}
