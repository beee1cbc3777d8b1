import { unleeted } from '../password-strength/breached/bare-forms.ts'
import { isKeyboardRun } from '../password-strength/breached/keyboard-runs.ts'
import { guessingBits } from '../password-strength/guessing-bits.ts'
import { readingsOf } from '../password-strength/readings.ts'
import { isKnownSecret } from './known-secrets.ts'
import { assertVaried } from './varied.ts'

const leftByTemplates =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|with)|placeholder|example|your[-_ ]?(own|super|jwt|secret|256|512|token|key)|insecure|not[-_ ]?secure|default[-_ ]?(secret|key)|(jwt|my|test|dev)[-_ ]?(secret|key)/i

/** `<your secret>`, `{{ SECRET }}`, `${JWT_KEY}`. */
const bracketed = [
  /[<{][a-z0-9 ._-]*[a-z]{3}[a-z0-9 ._-]*[>}]/,
  /[<{][A-Z0-9 ._-]*[A-Z]{3}[A-Z0-9 ._-]*[>}]/,
  /[<{][A-Za-z ._-]{8,}[>}]/,
]

/** Matched against letters only, to find every spelling. */
const inAnySpelling =
  /secret|passw|changeme|changeth|changeit|replaceme|replaceth|your[a-z]{0,12}key/

export function isTemplateText(text: string): boolean {
  return leftByTemplates.test(text)
}

/** Includes brackets, digits for letters, separators. */
export function isPlaceholder(text: string): boolean {
  if (bracketed.some((form) => form.test(text))) return true
  const folded = text.normalize('NFKC').toLowerCase()
  return [folded, ...unleeted(folded)].some((form) =>
    inAnySpelling.test(form.replace(/[^a-z]/g, '')),
  )
}

const minBytes = 32
const minBits = 100
/** 32 random bytes have at least 198 in 60,000 trials. */
const randomBits = 180
/** Words, runs and repetitions have a smaller share of random characters' bits. */
const minShare = 2 / 3

/** `openssl rand -base64 32` or `-hex 32`, also base64url. */
const randomShape = /^(?:[0-9a-f]{64,}|[0-9A-F]{64,}|[A-Za-z0-9+/]{43,}={0,2}|[\w-]{43,})$/

const maxExamined = 4096

const uuid = /^(?:urn:uuid:)?[{(]?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}[)}]?$/i

// Long enough to pass the length check.
export const publishedSecrets: ReadonlySet<string> = new Set([
  'your-256-bit-secret-your-256-bit-secret',
  '9a4f2c8d3b7a1e6f45c8a0b3f267d8b1d4e6f3c8a9d2b5f8e3a9c8b5f6v8a3d9',
  '0123456789abcdef0123456789abcdef',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'abcdefghijklmnopqrstuvwxyz012345',
  'abcdefghijklmnopqrstuvwxyzabcdef',
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', // RFC 7515
  'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', // RFC 7520 section 3.5
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
  'super-secret-jwt-token-with-at-least-32-characters-long',
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970',
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI's manual
  'cc7e0d44fd473002f1c42167459001140ec6389b7353f8088f4d9a95f2f596f2', // jose's manual
  '5367566B59703373367639792F423F4528482B4D6251655468576D5A71347437', // Spring tutorials
  '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b', // Spring tutorials
  '======================BezKoder=Spring===========================',
  'GQDstcKsx0NHjPOuXOYg5MbeJ1XT0uFiwDVvVBrk', // jwt-dotnet's manual
  'this is my custom Secret key for authentication', // ASP.NET tutorials
  '3EK6FD+o0+c7tzBNVfjpMkNDi2yARAAKzQlk8O2IKoxQu4nF7EdAh8s3TwpHwrdWT6R', // Hasura's manual
  'reallyreallyreallyreallyverysafe', // PostgREST's manual
  '6116487b-cda1-52c2-b5b5-c8022c45e263', // Directus' manual
  '255d861b-5ea1-5996-9aa3-922530ec40b1', // Directus' manual
])

/**
 * Checks length, publication and repetition in every environment. RFC 8725 section 3.5; spec 5.3.
 * @throws Error with the reason
 */
export function assertStrongSecret(text: string): void {
  const bytes = Buffer.from(text)
  if (bytes.length < minBytes) throw new Error(`must have at least ${minBytes} bytes`)
  if (publishedSecrets.has(text)) throw new Error('is publicly known')
  if (isTemplateText(text) && !isRandom(text)) {
    throw new Error('looks like a placeholder of a template')
  }
  assertVaried(bytes)
}

/** The reason a secret is guessable. Also checks the text unquoted and decoded. */
export function secretWeakness(text: string): string | undefined {
  if (isKnownSecret(text)) return 'is publicly known'
  for (const reading of readingsOf(text)) {
    const weakness = weaknessOf(reading)
    if (weakness) return weakness
  }
  return undefined
}

function weaknessOf(reading: string): string | undefined {
  const text = reading.slice(0, maxExamined)
  if (isRandom(text)) return undefined // random text may contain words by chance
  if (isPlaceholder(text)) return 'looks like a placeholder of a template'
  if (uuid.test(text)) return 'is a UUID, which is a name and no secret'
  if (isKeyboardRun(text.toLowerCase())) return 'is a run of neighbouring keys'
  const { bits, share } = guessingBits(text)
  if (share < minShare) return 'is made of words, dates or repetitions'
  return bits < minBits ? `has less than ${minBits} bits` : undefined
}

/** Requires the shape of random bytes and more bits than words have. */
function isRandom(text: string): boolean {
  if (!randomShape.test(text)) return false
  const { bits, share } = guessingBits(text)
  return bits >= randomBits && share >= minShare
}
