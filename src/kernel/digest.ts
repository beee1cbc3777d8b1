import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** SHA-256 as base64url. What is stored of a bearer secret in place of the secret. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** HMAC-SHA-256: a digest that nobody without the key can recompute. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** A key of 32 bytes for one purpose alone, from a key that has others. RFC 5869. */
export function derivedKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `gatehouse ${purpose}`, 32))
}

/**
 * Compares two secrets in time that does not depend on where they differ. The lengths may show.
 * An absent or empty secret equals nothing, not even another empty one.
 */
export function equalInConstantTime(left: string | undefined, right: string | undefined): boolean {
  if (!left || !right) return false
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}
