import { createRequire } from 'node:module'

const maxEmailLength = 254 // RFC 5321 section 4.5.3.1.3, less the angle brackets
// The last label is no number in any notation of IPv4 addresses, which many programs would take for a
// host: decimal, octal, hexadecimal.
const emailPattern =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}){0,31}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!(?:[0-9]+|0x[0-9a-f]*)$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

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
 * Parses a mail address; null if the text is none. Nothing is trimmed or left out. The domain may be
 * international (UTS 46); the local part is ASCII, so that no letter looks like another one, and
 * compares without regard to case, as mail servers do.
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
// Letters, digits, marks and symbols that are not ASCII, and the two joiners that some scripts need.
// UTS 46 drops other characters that show nothing; a label with one of them is refused.
const internationalLabel =
  /^(?:[a-z0-9-]|\u200c|\u200d|(?![\p{ASCII}\p{White_Space}\p{C}\p{Default_Ignorable_Code_Point}]).)+$/iu

/** Maps each label of a domain by UTS 46; a label that is not valid becomes empty. */
function asciiDomain(domain: string): string {
  return domain.split(fullStops).map(asciiLabel).join('.')
}

type ToAscii = (label: string, options: Readonly<Record<string, boolean>>) => string | null

// Its tables are large, and few processes meet an international address: loaded at the first one.
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
  const { toASCII } = load('tr46') as { toASCII: ToAscii } // it has no types
  return toASCII(label, checks) ?? ''
}

/** An address for a reader who need only recognize it: `a…@example.org`. */
export function maskedEmail(address: string): string {
  return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf('@'))}`
}
