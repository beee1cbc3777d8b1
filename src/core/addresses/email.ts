import { createRequire } from 'node:module'

const maxEmailLength = 254 // RFC 5321 section 4.5.3.1.3, less the angle brackets
// The last label must not be a number (decimal, octal, hexadecimal): programs would read an IPv4
// address.
const emailPattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}){0,31}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!(?:[0-9]+|0x[0-9a-f]*)$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Dot-atom at a domain name (RFC 5322 section 3.4.1, RFC 1035 section 2.3.1). */
export function isEmail(value: string): boolean {
  if (value.length > maxEmailLength || value.indexOf('@') > 64) return false
  return emailPattern.test(value)
}

export interface EmailAddress {
  /** As typed, with the domain in lower case and A-labels. */
  readonly address: string
  /** Lower case, for comparison. */
  readonly key: string
}

/**
 * Null if invalid; never trims. International domains follow UTS 46; the local part is ASCII,
 * against homographs, and ignores case as mail servers do.
 */
export function parseEmail(text: string): EmailAddress | null {
  if (text.length > maxEmailLength) return null
  const at = text.lastIndexOf('@')
  if (at < 1) return null
  const address = `${text.slice(0, at)}@${asciiDomain(text.slice(at + 1))}`
  return isEmail(address) ? { address, key: address.toLowerCase() } : null
}

const fullStops = /[.\u3002\uff0e\uff61]/ // UTS 46 section 4
const plainLabel = /^(?!xn--)[a-z0-9-]+$/i
// Non-ASCII letters, digits, marks, symbols, and two joiners. Rejects labels with other invisible
// characters, which UTS 46 drops.
const internationalLabel =
  /^(?:[a-z0-9-]|\u200c|\u200d|(?![\p{ASCII}\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}]).)+$/iu

/** An invalid label becomes empty. UTS 46. */
function asciiDomain(domain: string): string {
  return domain.split(fullStops).map(asciiLabel).join('.')
}

type ToAscii = (label: string, options: Readonly<Record<string, boolean>>) => string | null

// Large tables, rarely needed: loaded on first use.
const load = createRequire(import.meta.url)
const checks = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
}

function asciiLabel(label: string): string {
  if (plainLabel.test(label)) return label.toLowerCase()
  if (!internationalLabel.test(label)) return ''
  const { toASCII } = load('tr46') as { toASCII: ToAscii } // untyped
  return toASCII(label, checks) ?? ''
}

/** `a…@example.org`. */
export function maskedEmail(address: string): string {
  return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf('@'))}`
}
