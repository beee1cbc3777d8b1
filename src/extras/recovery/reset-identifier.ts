import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'

/** The username or the address that a person typed. The account depends on this input alone. */
export interface ResetIdentifier {
  readonly username: Username | null
  readonly address: EmailAddress | null
  /** Its canonical form, by which a repeat is known. */
  readonly key: string
}

/** Reads a username that was typed; null if no account can have it. */
export function parseUsernameIdentifier(text: string): ResetIdentifier | null {
  const username = canonicalUsername(text)
  return username === null ? null : { username, address: null, key: `username ${username}` }
}

/**
 * Reads a mail address that was typed, which may also be a username. The account with the verified
 * address comes first: another one cannot take it away by the choice of its username.
 */
export function parseEmailIdentifier(text: string): ResetIdentifier | null {
  const address = parseEmail(text)
  return address && { username: canonicalUsername(text), address, key: `email ${address.key}` }
}

/** Reads the field of a page, which takes either, with blanks around it. */
export function parseIdentifier(text: string): ResetIdentifier | null {
  return parseEmailIdentifier(text.trim()) ?? parseUsernameIdentifier(text)
}
