import type { Database } from '../database/connect.ts'
import type { EventName, Events } from '../events/events.ts'
import { ApiError } from '../kernel/errors.ts'
import { canonicalUsername, type Username } from '../kernel/username.ts'
import type { LoginLimits } from '../throttle/limits.ts'
import { beginWithinMs, type TakenPlace } from '../throttle/throttle.ts'
import { type Account, isUsable } from './account.ts'
import type { AutomaticLock } from './lock.ts'
import type { Passwords, Verification } from './passwords.ts'
import { accountStore } from './store.ts'
import type { Verifier } from './verifier.ts'

export interface FirstFactorDeps {
  readonly db: Database
  readonly events: Events
  readonly limits: LoginLimits
  readonly lock: AutomaticLock
  readonly passwords: Pick<Passwords, 'hash' | 'isOutdated'>
  readonly verifier: Verifier
}

export interface Attempt {
  readonly username: string
  /** As sent; each is empty where it was not sent, or not as text. */
  readonly password: string
  /** The client's address. */
  readonly address: string
  /** The solution of a challenge. */
  readonly captcha?: string | undefined
  /** What a wrong password is called in the log, where it is no login. */
  readonly failure?: EventName
}

export interface Passed {
  readonly account: Account
  /** Still taken: the caller clears it once nothing more can refuse the login, or gives it back. */
  readonly place: TakenPlace
}

/**
 * Username and password: the one door for every login mode and for Basic, so that no other is left
 * unguarded. Unknown, wrong, locked and disabled look alike and cost alike. Spec 3.3, 5.1, 5.6.
 * @throws ApiError invalidCredentials, tooManyLoginAttempts, captchaRequired, serviceUnavailable
 */
export async function firstFactor(deps: FirstFactorDeps, attempt: Attempt): Promise<Passed> {
  const { events, limits, lock, verifier } = deps
  const username = canonicalUsername(attempt.username)
  if (username === null || attempt.password === '') return refuseIncomplete(deps, username, attempt)

  await verifier.prepare()
  const place = await limits.admit({ ...attempt, username })
  let account: Account | null
  let passes: boolean
  let verification: Verification
  try {
    account = await accountStore(deps.db).byUsername(username)
    const beginBy = place.takenAt + beginWithinMs
    const hash = account?.passwordHash ?? null
    verification = await verifier.verify(attempt.password, hash, beginBy)
    passes = verification.matches
    // Many guesses at once are verified at once: those behind the one that locked do not pass.
    if (account && passes) passes = isUsable(account) && !(await lock.holdsNow(account))
  } catch (error) {
    await place.giveBack() // no verdict was made: it must not count
    throw error
  }
  if (!account || !passes) {
    await place.keep()
    events.record(attempt.failure ?? 'authn_login_fail', {
      user_id: account?.userId ?? null,
      address: attempt.address,
    })
    await verifier.untilRefusal(verification) // counted before it waits
    throw new ApiError('invalidCredentials')
  }
  // The login does not depend on it: what fails now is tried again at the next one.
  await refreshHash(deps, account, attempt.password).catch(() => {})
  return { account, place }
}

/**
 * Without a name that an account could have, or without a password: an attempt like any other for
 * the limits (spec 3.3), but no password was tried, so the account is neither read nor brought
 * nearer to its lock. It is answered sooner than a wrong password, which tells no name.
 */
async function refuseIncomplete(
  { events, limits }: FirstFactorDeps,
  username: Username | null,
  { address, captcha, failure = 'authn_login_fail' }: Attempt,
): Promise<never> {
  const place = await limits.admit({ username, address, captcha, isIncomplete: true })
  await place.keep()
  events.record(failure, { user_id: null, address })
  throw new ApiError('invalidCredentials')
}

/** Settles the place of a try that passed and was refused later on. @throws what refused it */
export async function refused(place: TakenPlace, error: unknown): Promise<never> {
  // A wrong code is a failure. For the rest the password was right: no failure, no success either.
  if (error instanceof ApiError && error.row === 'invalidCredentials') await place.keep()
  else await place.giveBack()
  throw error
}

/** Replaces a hash that is weaker than a new one would be, now that the password is at hand. */
async function refreshHash(
  { db, passwords }: FirstFactorDeps,
  account: Account,
  password: string,
): Promise<void> {
  if (!passwords.isOutdated(account.passwordHash)) return
  const better = await passwords.hash(password)
  await accountStore(db).replaceHash(account.userId, account.passwordHash, better)
}
