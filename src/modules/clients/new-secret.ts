import { hash } from 'node:crypto'
import { type Random, randomText } from '../../core/crypto/random.ts'

const secretBytes = 32

/** A secret in base64url, and its SHA-256 as clients keep it. */
export function newSecret(random: Random): { readonly secret: string; readonly hex: string } {
  const secret = randomText(random, secretBytes)
  return { secret, hex: hash('sha256', secret, 'hex') }
}
