import { createPublicKey, type KeyObject } from 'node:crypto'
import { isKnownSecret } from './known-secrets.ts'

/** @throws Error if too short or known to be weak */
export function assertSoundRsaKey(key: KeyObject): void {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== 'rsa') throw new Error('must be an RSA private key in PEM')
  if (modulusLength < 2048) throw new Error('must have at least 2048 bits')
  if (publicExponent < 65_537n) throw new Error('must have a public exponent of at least 65537')
  if (hasRocaFingerprint(BigInt(`0x${Buffer.from(modulusOf(key), 'base64url').toString('hex')}`))) {
    throw new Error('was made by a faulty library (CVE-2017-15361)')
  }
}

/** Whether its private half is published. */
export function isKnownRsaKey(key: KeyObject): boolean {
  return isKnownSecret(modulusOf(key))
}

/** base64url, as in a JWK. */
function modulusOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'jwk' }).n ?? ''
}

const rocaPrimes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** ROCA, CVE-2017-15361: the modulus is a power of 65537 modulo each prime. */
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
