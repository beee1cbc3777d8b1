import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from '../../core/crypto/random.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts under a 32-byte key with AES-256-GCM; returns nonce, ciphertext and tag as base64url.
 * The `context` is authenticated: a sealed text copied to another row does not open.
 */
export function seal(random: Random, key: Uint8Array, context: string, plain: Uint8Array): string {
  const nonce = random.bytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** Decrypts the result of `seal`. @throws Error if the key, the context or the text differs */
export function unseal(key: Uint8Array, context: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) throw new Error('a sealed text is too short')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
}
