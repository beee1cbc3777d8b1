import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { CBORType } from '@levischuck/tiny-cbor'
import { type Algorithm, algorithms } from './algorithms.ts'
import { decodeStrict } from './cbor.ts'

export interface PublicKey {
  readonly algorithm: Algorithm
  readonly key: KeyObject
}

// Parameters of COSE_Key. RFC 9052 section 7.1, RFC 9053 section 7, RFC 8230 section 4.
const [kty, alg, crv, x, y] = [1, 3, -1, -2, -3]
const [rsaN, rsaE] = [-1, -2]
const keyTypes = { okp: 1, ec2: 2, rsa: 3 }
const curves = { p256: 1, ed25519: 6 }
const coordinateBytes = 32
const rsaBits = { least: 2048, most: 8192 }

/** @throws Error for another algorithm, another curve, or a point that is not on the curve */
export function readPublicKey(bytes: Uint8Array): PublicKey {
  const [cose, end] = decodeStrict(bytes)
  if (!(cose instanceof Map) || end !== bytes.length) throw new Error('public key: no COSE_Key')
  const algorithm = algorithms.find((known) => known === cose.get(alg))
  if (algorithm === undefined) throw new Error('public key: the algorithm was not offered')
  return { algorithm, key: keyOf[algorithm](cose) }
}

type Cose = Map<string | number, CBORType>

const keyOf: Readonly<Record<Algorithm, (cose: Cose) => KeyObject>> = {
  [-8](cose) {
    assertIs(cose, kty, keyTypes.okp)
    assertIs(cose, crv, curves.ed25519)
    return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: coordinate(cose, x) })
  },
  [-7](cose) {
    assertIs(cose, kty, keyTypes.ec2)
    assertIs(cose, crv, curves.p256)
    return fromJwk({ kty: 'EC', crv: 'P-256', x: coordinate(cose, x), y: coordinate(cose, y) })
  },
  [-257](cose) {
    assertIs(cose, kty, keyTypes.rsa)
    const key = fromJwk({ kty: 'RSA', n: textOf(cose, rsaN), e: textOf(cose, rsaE) })
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    const isSound = modulusLength >= rsaBits.least && modulusLength <= rsaBits.most
    if (!isSound || publicExponent < 3n || publicExponent % 2n === 0n) {
      throw new Error('public key: weak')
    }
    return key
  },
}

/** RSASSA-PKCS1-v1_5, ECDSA in DER, or pure EdDSA. */
export function isSignatureOf(
  { algorithm, key }: PublicKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(algorithm === -8 ? null : 'sha256', data, key, signature)
}

function fromJwk(jwk: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' })
}

function assertIs(cose: Cose, parameter: number, wanted: number): void {
  if (cose.get(parameter) !== wanted) throw new Error('public key: wrong type or curve')
}

function bytesOf(cose: Cose, parameter: number): Uint8Array {
  const value = cose.get(parameter)
  if (!(value instanceof Uint8Array)) throw new Error('public key: a parameter is absent')
  return value
}

function textOf(cose: Cose, parameter: number): string {
  return Buffer.from(bytesOf(cose, parameter)).toString('base64url')
}

function coordinate(cose: Cose, parameter: number): string {
  if (bytesOf(cose, parameter).length !== coordinateBytes) {
    throw new Error('public key: wrong length')
  }
  return textOf(cose, parameter)
}
