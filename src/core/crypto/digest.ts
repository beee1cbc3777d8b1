import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** base64url; replaces stored bearer secrets. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** base64url. */
export function keyedDigest(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** RFC 5869. */
export function derivedKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `gatehouse ${purpose}`, 32))
}

/** May depend on lengths. Absent or empty secrets never match. */
export function equalInConstantTime(left: string | undefined, right: string | undefined): boolean {
  if (!left || !right) return false
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}
