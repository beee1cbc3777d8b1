import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { digest } from '../../core/crypto/digest.ts'

/** The key that signs checkpoints and tombstones. It is made of the master key, so no row holds it. */
export interface CheckpointKey extends CheckpointVerifier {
  /** The signature of a text by Ed25519 (RFC 8032), as base64url. */
  sign(text: string): string
}

/** The public half. */
export interface CheckpointVerifier {
  /** Names the public key: 16 characters of its SHA-256. */
  readonly id: string
  /** `x` of its JSON Web Key (RFC 8037). */
  readonly publicKey: string
  /** Whether a signature is that of the text by this key, in the only form that `sign` answers. */
  verifies(text: string, signature: string): boolean
}

// RFC 8410 section 7: version 0, the algorithm 1.3.101.112, and the seed as an octet string in one.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const idLength = 16

/** Makes the Ed25519 key of a seed of 32 bytes. @throws Error for a seed of another length */
export function checkpointKey(seed: Uint8Array): CheckpointKey {
  const der = Buffer.concat([pkcs8Prefix, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return {
    ...checkpointVerifier(x),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}

/** Makes the public half of a key. @throws Error for what is no public key of Ed25519 */
export function checkpointVerifier(x: string): CheckpointVerifier {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return {
    id: digest(x).slice(0, idLength),
    publicKey: x,
    verifies(text, signature) {
      const bytes = Buffer.from(signature, 'base64url')
      // The last character has bits that no byte takes: another one would decode to the same.
      if (bytes.toString('base64url') !== signature) return false
      return verify(null, Buffer.from(text), publicKey, bytes)
    },
  }
}
