import type { Account } from '../accounts/account.ts'
import { type Accounts, reread } from '../accounts/accounts.ts'
import {
  type Attempt,
  type FirstFactorDeps,
  firstFactor,
  refused,
} from '../accounts/first-factor.ts'
import { assertOtherPassword } from '../accounts/password-rules.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'
import type { Proof, SecondFactor } from '../totp/second-factor.ts'

export interface LogInDeps extends FirstFactorDeps {
  readonly accounts: Accounts
  readonly secondFactor: SecondFactor
}

export interface LoginAttempt extends Attempt, Proof {
  /** For an account that must change its password, and no other. */
  readonly newPassword: string | undefined
}

/** What an account gets that passed everything. */
export interface Completion<Answer> {
  /** The login itself. @throws ApiError invalidCredentials where the account has changed meanwhile */
  give(account: Account): Promise<Answer>
  /** A token that opens the enrolment of a second factor, and nothing else. */
  enrolmentToken(account: Account): Promise<string>
}

/**
 * The pipeline of every login mode: first factor, second factor, a new password where one is due, the
 * login; the counters are cleared last, once nothing more can refuse it.
 * @throws ApiError invalidCredentials, tooManyLoginAttempts, captchaRequired, secondFactorRequired,
 * passwordChangeRequired, enrolmentRequired, validationFailed, serviceUnavailable
 */
export async function logIn<Answer>(
  deps: LogInDeps,
  attempt: LoginAttempt,
  { give, enrolmentToken }: Completion<Answer>,
): Promise<Answer> {
  const { db, events, secondFactor } = deps
  const { account, place } = await firstFactor(deps, attempt)
  let answer: Answer
  try {
    if (account.secondFactor) await secondFactor.prove(account, attempt)
    const ready = await reread(db, await changePasswordIfDue(deps, account, attempt))
    if (secondFactor.isMissing(ready)) {
      throw new ApiError('enrolmentRequired', {
        extra: { enrolment_token: await enrolmentToken(ready) },
      })
    }
    answer = await give(ready)
  } catch (error) {
    return refused(place, error)
  }
  await place.clear()
  events.record('authn_login_success', { user_id: account.userId, address: attempt.address })
  return answer
}

async function changePasswordIfDue(
  { accounts, events }: LogInDeps,
  account: Account,
  { password, newPassword }: LoginAttempt,
): Promise<Account> {
  if (!account.mustChange) {
    // Behind the proof: before it, the answer would tell which accounts must change theirs.
    if (newPassword)
      refuseField(['new_password'], 'is for an account that must change its password')
    return account // an empty field of a form asks for nothing
  }
  if (newPassword === undefined) throw new ApiError('passwordChangeRequired')
  const wanted = { text: newPassword, field: 'new_password' }
  assertOtherPassword(wanted.text, password, wanted.field)
  const changed = await accounts.replacePassword(account, wanted)
  events.record('authn_password_change', { user_id: account.userId })
  return changed
}
