import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { digest } from '../../core/crypto/digest.ts'

/** Derived from the master key, never stored. */
export interface CheckpointKey extends CheckpointVerifier {
  /** Ed25519 (RFC 8032), base64url. */
  sign(text: string): string
}

export interface CheckpointVerifier {
  /** 16 characters of the public key's SHA-256. */
  readonly id: string
  /** `x` of the JSON Web Key (RFC 8037). */
  readonly publicKey: string
  /** Accepts only the canonical encoding. */
  verifies(text: string, signature: string): boolean
}

// RFC 8410 section 7: version 0, algorithm 1.3.101.112, the seed as a nested octet string.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const idLength = 16

/** @throws Error if the seed is not 32 bytes */
export function checkpointKey(seed: Uint8Array): CheckpointKey {
  const der = Buffer.concat([pkcs8Prefix, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    ...checkpointVerifier(x),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}

/** @throws Error if `x` is not an Ed25519 public key */
export function checkpointVerifier(x: string): CheckpointVerifier {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return {
    id: digest(x).slice(0, idLength),
    publicKey: x,
    verifies(text, signature) {
      const bytes = Buffer.from(signature, 'base64url')
      // Unused bits: several last characters decode to the same bytes.
      if (bytes.toString('base64url') !== signature) return false
      return verify(null, Buffer.from(text), publicKey, bytes)
    },
  }
}
