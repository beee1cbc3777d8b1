import { parseEmail } from '../../../core/addresses/email.ts'
import { canonicalUsername } from '../../../core/lib/username.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Account } from '../../authentication/account.ts'
import { nameOfEmail } from '../../throttle/keys.ts'
import type { LoginAttempt } from '../../throttle/limits.ts'

export interface Identified {
  /** For the limits of an attempt. */
  readonly names: Pick<LoginAttempt, 'username' | 'account'>
  readonly account: Account | null
}

/**
 * By verified address, then by username: no other account can claim an address as its username. The
 * limits count the typed name, so that no answer reveals the username of an address.
 */
export async function identify(
  accounts: Pick<Accounts, 'byUsername' | 'byEmail'>,
  typed: string,
): Promise<Identified> {
  const email = parseEmail(typed.trim())
  const ofUsername = await named(accounts, typed)
  if (!email) return ofUsername
  const account = (await accounts.byEmail(email.key)) ?? ofUsername.account
  const name = nameOfEmail(email.key)
  // An address without an account counts under its own name, so that both cases use the same rows.
  return { names: { username: name, account: account?.username ?? nameOfEmail(name) }, account }
}

export async function named(
  accounts: Pick<Accounts, 'byUsername'>,
  text: string,
): Promise<Identified> {
  const username = canonicalUsername(text)
  return { names: { username }, account: username && (await accounts.byUsername(username)) }
}
