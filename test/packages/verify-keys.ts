import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { forge, type Json, rs256 } from '../forge.ts'

interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** A key of a test, with its public half as a key set has it. */
export function keyOf(kid: string, modulusLength = 2048) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  return {
    kid,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
  }
}

/** A token that is valid at `https://id.example.org` for the audience `api`. */
export function tokenOf({ kid, privateKey }: Key, header: Json = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: 'https://id.example.org', aud: 'api', sub: '1', type: 'access', roles: [] }
  return forge(
    { alg: 'RS256', typ: 'JWT', kid, ...header },
    { ...claims, exp: now + 600 },
    rs256(privateKey),
  )
}
