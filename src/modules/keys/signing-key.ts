import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { Config } from '../../core/config/load.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { Secret } from '../../core/crypto/secret.ts'
import type { SigningAlgorithm } from './settings.ts'

export type { SigningAlgorithm }

export interface SigningKey {
  readonly kid: string
  /** The only algorithm of this key. RFC 8725 section 3.1. */
  readonly algorithm: SigningAlgorithm
  readonly signWith: KeyObject
  readonly verifyWith: KeyObject
}

export interface OperatorKey extends SigningKey {
  /** False for the previous secret, which only verifies. */
  readonly signs: boolean
}

const hmacSecretBytes = 32

/** `material` is the secret itself, or PKCS #8 in DER. */
export function signingKey(
  kid: string,
  algorithm: SigningAlgorithm,
  material: Uint8Array,
): SigningKey {
  if (algorithm === 'HS256') {
    const key = createSecretKey(material)
    return { kid, algorithm, signWith: key, verifyWith: key }
  }
  const signWith = createPrivateKey({ key: Buffer.from(material), format: 'der', type: 'pkcs8' })
  return { kid, algorithm, signWith, verifyWith: createPublicKey(signWith) }
}

/**
 * Generates 256 random bits, or an RSA key of `rsaBits`: 0.1 s (2048) to 0.4 s (3072) of a libuv
 * thread.
 */
export async function generateMaterial(
  algorithm: SigningAlgorithm,
  random: Random,
  rsaBits: number,
): Promise<Uint8Array> {
  if (algorithm === 'HS256') return random.bytes(hmacSecretBytes)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits })
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

export function rsaBitsOf(material: Uint8Array): number {
  const { signWith } = signingKey('', 'RS256', material)
  return signWith.asymmetricKeyDetails?.modulusLength ?? 0
}

export async function operatorKeys({ token }: Pick<Config, 'token'>): Promise<OperatorKey[]> {
  const keys: OperatorKey[] = []
  const addSecret = (secret: Secret | undefined, signs: boolean) => {
    if (!secret) return
    const bytes = Buffer.from(secret.reveal())
    // A kid is public: a plain hash of the secret would confirm guesses.
    const kid = createHmac('sha256', bytes).update('kid').digest('base64url').slice(0, 22)
    keys.push({ ...signingKey(kid, 'HS256', bytes), signs })
  }
  addSecret(token.secret, true)
  addSecret(token.previousSecret, false)
  if (token.privateKey) {
    const signWith = createPrivateKey(token.privateKey.reveal())
    const verifyWith = createPublicKey(signWith)
    const { calculateJwkThumbprint } = await import('jose')
    const kid = await calculateJwkThumbprint(publicJwk(verifyWith)) // RFC 7638
    keys.push({ kid, algorithm: 'RS256', signWith, verifyWith, signs: true })
  }
  return keys
}

/** RFC 7517. */
export function publicJwk(key: KeyObject): JWK {
  return key.export({ format: 'jwk' }) as JWK // the types of Node and jose differ
}
