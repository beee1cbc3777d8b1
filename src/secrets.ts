/**
 * What makes a configured secret no secret: too short, printed in documentation all over the
 * world, or a short unit written again and again. RFC 8725 section 3.5; spec 5.3.
 */
const minBytes = 32
const minDistinctBytes = 8

// Keys of public examples that are long enough to pass the length check.
const published = new Set([
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'your-256-bit-secret-your-256-bit-secret',
  'super-secret-jwt-token-with-at-least-32-characters-long',
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970',
  '9a4f2c8d3b7a1e6f45c8a0b3f267d8b1d4e6f3c8a9d2b5f8e3a9c8b5f6v8a3d9',
  '0123456789abcdef0123456789abcdef',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'abcdefghijklmnopqrstuvwxyz012345',
  'abcdefghijklmnopqrstuvwxyzabcdef',
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

/** Whether the bytes are a prefix of at most half their length, again and again. */
function isRepeatedUnit(bytes: Uint8Array): boolean {
  for (let unit = 1; unit <= bytes.length / 2; unit += 1) {
    if (bytes.every((byte, index) => byte === bytes[index % unit])) return true
  }
  return false
}
