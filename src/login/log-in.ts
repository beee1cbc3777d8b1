import type { Account } from '../accounts/account.ts'
import { type Accounts, reread } from '../accounts/accounts.ts'
import {
  type Attempt,
  type FirstFactorDeps,
  firstFactor,
  type Passed,
} from '../accounts/first-factor.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'

export interface LogInDeps extends FirstFactorDeps {
  readonly accounts: Accounts
}

export interface LoginAttempt extends Attempt {
  /** For an account whose password an administrator has set. */
  readonly newPassword: string | undefined
}

/**
 * The pipeline of every login mode: first factor, password change where one is due, counter cleared.
 * @throws ApiError invalidCredentials, tooManyLoginAttempts, passwordChangeRequired,
 * validationFailed, serviceUnavailable
 */
export async function logIn(deps: LogInDeps, attempt: LoginAttempt): Promise<Account> {
  const passed = await firstFactor(deps, attempt)
  let account: Account
  try {
    account = await reread(deps.db, await changePasswordIfDue(deps, passed, attempt))
  } catch (error) {
    await passed.place.giveBack() // the password was right: no failure, but no success either
    throw error
  }
  await passed.place.clear()
  deps.events.record('authn_login_success', { user_id: account.userId, address: attempt.address })
  return account
}

async function changePasswordIfDue(
  { accounts, events }: LogInDeps,
  { account }: Passed,
  { password, newPassword }: LoginAttempt,
): Promise<Account> {
  if (!account.mustChange) return account
  if (newPassword === undefined) throw new ApiError('passwordChangeRequired')
  if (newPassword.normalize('NFC') === password.normalize('NFC')) {
    refuseField(['new_password'], 'must differ from the present one')
  }
  const changed = await accounts.change(account.userId, {
    password: { text: newPassword, field: 'new_password' },
    mustChange: false,
  })
  if (!changed) throw new ApiError('invalidCredentials') // deleted meanwhile
  events.record('authn_password_change', { user_id: account.userId })
  return changed
}
