import { domainToASCII } from 'node:url'

const maxEmailLength = 254 // RFC 5321 section 4.5.3.1.3, less the angle brackets
const emailPattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}){0,31}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,31}[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** A dot-atom address at a domain name (RFC 5322 section 3.4.1, RFC 1035 section 2.3.1). */
export function isEmail(value: string): boolean {
  if (value.length > maxEmailLength || value.indexOf('@') > 64) return false
  return emailPattern.test(value)
}

/** A mail address to which a message can go. */
export interface EmailAddress {
  /** As it was typed, but for the domain: lower case, and A-labels of an international one. */
  readonly address: string
  /** The canonical form, by which addresses are compared: all in lower case. */
  readonly key: string
}

/**
 * Parses a typed mail address; null if it is none. The domain may be international (RFC 5891); the
 * local part is ASCII, so that no letter looks like another one, and compares without regard to case,
 * as mail servers do.
 */
export function parseEmail(text: string): EmailAddress | null {
  const typed = text.trim()
  if (typed.length > maxEmailLength) return null
  const at = typed.lastIndexOf('@')
  const domain = domainToASCII(typed.slice(at + 1))
  const address = `${typed.slice(0, Math.max(at, 0))}@${domain}`
  return at > 0 && isEmail(address) ? { address, key: address.toLowerCase() } : null
}

/** An address for a reader who need only recognize it: `a…@example.org`. */
export function maskedEmail(address: string): string {
  return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf('@'))}`
}
