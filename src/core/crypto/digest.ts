import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** SHA-256 as base64url; stored in place of a bearer secret. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** HMAC-SHA-256 as base64url: a digest that cannot be computed without the key. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Derives a 32-byte key for one purpose from a key that has several. RFC 5869. */
export function derivedKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `gatehouse ${purpose}`, 32))
}

/**
 * Compares two secrets in a time that does not depend on the position of a difference; it may
 * depend on the lengths. An absent or empty secret equals no other, not even another empty one.
 */
export function equalInConstantTime(left: string | undefined, right: string | undefined): boolean {
  if (!left || !right) return false
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}
