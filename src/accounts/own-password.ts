import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import { type AuthenticateDeps, authenticate } from '../authentication/attempt.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import type { LoginAddress } from '../http/limits/login-address.ts'
import { assertOtherPassword } from '../passwords/rules.ts'
import type { Accounts } from './accounts.ts'
import { passwordChangeFail } from './events.ts'
import { ownSession } from './look-up.ts'
import { byPassword, type PasswordMethodDeps } from './password-method.ts'

export interface OwnPasswordDeps extends AuthenticateDeps, PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'replacePassword' | 'reread'>
  readonly loginAddress: LoginAddress
}

export interface OwnPasswordChange {
  readonly account: Pick<Account, 'userId' | 'username'>
  /** As sent. */
  readonly present: string
  readonly wanted: string
  /** The solution of a challenge. */
  readonly captcha?: string | undefined
}

/**
 * Changes the password of the caller's own account; all other sessions and all tokens end. It counts
 * as a login attempt, so that a stolen session cannot guess the password.
 * @throws ApiError invalidCredentials, tooManyLoginAttempts, captchaRequired, validationFailed of the
 * field `new_password`
 */
export async function changeOwnPassword(
  deps: OwnPasswordDeps,
  request: FastifyRequest,
  { account: { userId, username }, present, wanted, captcha }: OwnPasswordChange,
): Promise<void> {
  const { accounts, db, loginAddress } = deps
  const sent = { username, password: present, captcha, address: loginAddress(request) }
  const authentication = { ...byPassword(deps, sent), failure: passwordChangeFail }
  await authenticate(deps, authentication, async (evidence, attempt) => {
    // If the account was locked meanwhile, a refusal of the new password must not show that the
    // present one was right.
    const account = await accounts.reread(db, evidence.account, 'commit')
    assertOtherPassword(wanted, present, 'new_password')
    await accounts.replacePassword(account, {
      text: wanted,
      field: 'new_password',
      keepSession: ownSession(request, userId),
      guard: stillAllowed(request),
      also: attempt.succeed,
    })
  })
}
