import { parseEmail } from '../../../core/addresses/email.ts'
import { canonicalUsername } from '../../../core/lib/username.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Account } from '../../authentication/account.ts'
import { nameOfEmail } from '../../throttle/keys.ts'
import type { LoginAttempt } from '../../throttle/limits.ts'

export interface Identified {
  /** By which the limits count an attempt. */
  readonly names: Pick<LoginAttempt, 'username' | 'account'>
  readonly account: Account | null
}

/**
 * Reads what was typed: the account whose verified address it is, otherwise the account whose username
 * it is. The address comes first, so that no other account can claim it as a username. The limits
 * count what was typed, an address in its canonical form and apart from the usernames that look like
 * it, so that no answer shows which address belongs to which username.
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
  // The attempts of an address without an account count under a name apart, so that both take the same rows.
  return { names: { username: name, account: account?.username ?? nameOfEmail(name) }, account }
}

/** The account of a username. */
export async function named(
  accounts: Pick<Accounts, 'byUsername'>,
  text: string,
): Promise<Identified> {
  const username = canonicalUsername(text)
  return { names: { username }, account: username && (await accounts.byUsername(username)) }
}
