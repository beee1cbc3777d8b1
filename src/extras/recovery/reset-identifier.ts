import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import { canonicalUsername, type Username } from '../../core/lib/username.ts'

/** The account depends on this input alone. */
export interface ResetIdentifier {
  readonly username: Username | null
  readonly address: EmailAddress | null
  /** Canonical; identifies repeats. */
  readonly key: string
}

/** Null if impossible as a username. */
export function parseUsernameIdentifier(text: string): ResetIdentifier | null {
  const username = canonicalUsername(text)
  return username === null ? null : { username, address: null, key: `username ${username}` }
}

/**
 * May also be a username. The verified address takes precedence, so that a chosen username cannot
 * hijack it.
 */
export function parseEmailIdentifier(text: string): ResetIdentifier | null {
  const address = parseEmail(text)
  return address && { username: canonicalUsername(text), address, key: `email ${address.key}` }
}

/** Trims; accepts either. */
export function parseIdentifier(text: string): ResetIdentifier | null {
  return parseEmailIdentifier(text.trim()) ?? parseUsernameIdentifier(text)
}
