import type { Accounts } from '../../accounts/accounts.ts'
import { parseEmail } from '../../addresses/email.ts'
import { canonicalUsername, type Username } from '../../kernel/username.ts'

/**
 * The name by which an attempt is counted and judged: that of the account whose username was typed
 * exactly, otherwise of the account whose verified address it is, so that the limits of an account
 * count both. A text that names no account counts as itself; null if it can name none. It reads the
 * same for any address, known or not.
 */
export async function nameOfTyped(
  accounts: Pick<Accounts, 'byUsername' | 'byEmail'>,
  typed: string,
): Promise<Username | null> {
  const username = canonicalUsername(typed)
  const email = parseEmail(typed)
  const named = username === null ? null : await accounts.byUsername(username)
  const owner = email === null ? null : await accounts.byEmail(email.key)
  if (named ?? owner) return (named ?? owner)?.username ?? null
  // An address that is too long for a username: its attempts cost what those of a known one cost.
  return username ?? (email && (email.key as Username))
}
