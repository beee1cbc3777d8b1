import { createPublicKey, type KeyObject } from 'node:crypto'

/**
 * What makes a configured secret no secret: too short, printed in documentation all over the
 * world, or a short unit written again and again. RFC 8725 section 3.5; spec 5.3.
 */
const minBytes = 32
const minDistinctBytes = 8

// Keys of public examples that are long enough to pass the length check.
const published = new Set([
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

// Words that templates leave for the operator to replace.
const placeholder =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|with)|placeholder|example|your[-_ ]?(own|super|jwt|secret|256|512|token|key)|insecure|not[-_ ]?secure|default[-_ ]?(secret|key)|(jwt|my|test|dev)[-_ ]?(secret|key)/i

/** @throws Error whose message says why the text cannot be a secret */
export function assertStrongSecret(text: string): void {
  const bytes = Buffer.from(text)
  if (bytes.length < minBytes) throw new Error(`must have at least ${minBytes} bytes`)
  if (published.has(text)) throw new Error('is publicly known')
  if (placeholder.test(text)) throw new Error('looks like a placeholder of a template')
  assertVaried(bytes)
}

/** @throws Error where the bytes are one unit repeated, or too few different ones */
export function assertVaried(bytes: Uint8Array): void {
  if (isRepeatedUnit(bytes)) throw new Error('is one unit repeated')
  if (new Set(bytes).size < minDistinctBytes) {
    throw new Error(`must have at least ${minDistinctBytes} different bytes`)
  }
}

/** @throws Error where an RSA key is too short, or made so that others can find it out */
export function assertSoundRsaKey(key: KeyObject): void {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa') throw new Error('must be an RSA private key in PEM')
  if (modulusLength < 2048) throw new Error('must have at least 2048 bits')
  if (publicExponent < 65_537n) throw new Error('must have a public exponent of at least 65537')
  const { n = '' } = createPublicKey(key).export({ format: 'jwk' })
  if (hasRocaFingerprint(BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`))) {
    throw new Error('was made by a faulty library (CVE-2017-15361)')
  }
}

const rocaPrimes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** CVE-2017-15361: a modulus that is a power of 65537 modulo each of these primes. */
function hasRocaFingerprint(modulus: bigint): boolean {
  return rocaPrimes.every((prime) => {
    const rest = Number(modulus % BigInt(prime))
    let power = 1
    do {
      if (power === rest) return true
      power = (power * 65_537) % prime
    } while (power !== 1)
    return false
  })
}

/** Whether the bytes are a prefix of at most half their length, again and again. */
function isRepeatedUnit(bytes: Uint8Array): boolean {
  for (let unit = 1; unit <= bytes.length / 2; unit += 1) {
    if (bytes.every((byte, index) => byte === bytes[index % unit])) return true
  }
  return false
}
