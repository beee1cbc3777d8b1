import { createPublicKey } from 'node:crypto'
import { isObject } from './entry-reader.ts'

const maxKeys = 8
const minRsaBits = 2048
const curves = ['prime256v1', 'secp384r1', 'secp521r1']
/** RFC 7518 section 6: what a public key never has. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** RFC 7517 section 4. */
const texts = ['kty', 'use', 'alg', 'kid', 'x5u', 'x5t', 'x5t#S256']
const lists = ['key_ops', 'x5c']

/** What is wrong with a set of public keys (RFC 7517 section 5); null if nothing is. */
export function jwksFault(value: unknown): string | null {
  const keys = isObject(value) ? value.keys : null
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) {
    return `must be {"keys": [...]} with 1 to ${maxKeys} keys`
  }
  for (const [index, key] of keys.entries()) {
    const fault = keyFault(key)
    if (fault !== null) return `has at ${index + 1} ${fault}`
  }
  return null
}

function keyFault(value: unknown): string | null {
  if (!isObject(value)) return 'no key'
  if (privateMembers.some((name) => name in value)) return 'a private key: give the public one'
  const member = memberOfOtherType(value)
  if (member !== undefined) return `a key whose "${member}" is of a wrong type`
  try {
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = createPublicKey({
      key: value, // what is no key throws
      format: 'jwk',
    })
    if (kind === 'rsa' && (details?.modulusLength ?? 0) < minRsaBits) {
      return `a key of less than ${minRsaBits} bits`
    }
    const isKnown =
      kind === 'rsa' ||
      kind === 'ed25519' ||
      (kind === 'ec' && curves.includes(details?.namedCurve ?? ''))
    return isKnown ? null : 'a key of a kind that is not supported'
  } catch {
    return 'no public key'
  }
}

function memberOfOtherType(key: Readonly<Record<string, unknown>>): string | undefined {
  const isText = (value: unknown) => typeof value === 'string'
  const isList = (value: unknown) => Array.isArray(value) && value.every(isText)
  return (
    texts.find((name) => key[name] !== undefined && !isText(key[name])) ??
    lists.find((name) => key[name] !== undefined && !isList(key[name]))
  )
}
