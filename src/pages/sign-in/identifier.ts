import type { Accounts } from '../../accounts/accounts.ts'
import { parseEmail } from '../../addresses/email.ts'
import { canonicalUsername, type Username } from '../../kernel/username.ts'

/**
 * The name by which an attempt is counted and judged: that of the account whose verified address was
 * typed, otherwise of the account whose username it is, so that the limits of an account count both.
 * The address comes first, so that no other account can claim it as a username. An
 * address that names no account counts in its canonical form, whatever way it was spelt, and apart
 * from the usernames that look like it: with one of an account that is so, and the limits would tell
 * them apart. Null if the text can name no account.
 */
export async function nameOfTyped(
  accounts: Pick<Accounts, 'byUsername' | 'byEmail'>,
  typed: string,
): Promise<Username | null> {
  const username = canonicalUsername(typed)
  const email = parseEmail(typed.trim())
  const named = username === null ? null : await accounts.byUsername(username)
  const owner = email === null ? null : await accounts.byEmail(email.key)
  const account = owner ?? named
  if (account) return account.username
  // No account can have a name with a colon.
  return email ? (`mailto:${email.key}` as Username) : username
}
