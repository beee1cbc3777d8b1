import { createPublicKey } from 'node:crypto'
import type { Words } from '../../core/lib/languages.ts'
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
export function jwksFault(value: unknown): Words | null {
  const keys = isObject(value) ? value.keys : null
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) {
    return {
      en: `must be {"keys": [...]} with 1 to ${maxKeys} keys`,
      de: `muss {"keys": [...]} mit 1 bis ${maxKeys} Schlüsseln sein`,
    }
  }
  for (const [index, key] of keys.entries()) {
    const fault = keyFault(key)
    if (fault !== null)
      return { en: `has at ${index + 1} ${fault.en}`, de: `hat an Stelle ${index + 1} ${fault.de}` }
  }
  return null
}

function keyFault(value: unknown): Words | null {
  if (!isObject(value)) return { en: 'no key', de: 'keinen Schlüssel' }
  if (privateMembers.some((name) => name in value))
    return {
      en: 'a private key: give the public one',
      de: 'einen privaten Schlüssel: Geben Sie den öffentlichen an',
    }
  const member = memberOfOtherType(value)
  if (member !== undefined)
    return {
      en: `a key whose "${member}" is of a wrong type`,
      de: `einen Schlüssel, dessen „${member}“ vom falschen Typ ist`,
    }
  try {
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = createPublicKey({
      key: value, // what is no key throws
      format: 'jwk',
    })
    if (kind === 'rsa' && (details?.modulusLength ?? 0) < minRsaBits) {
      return {
        en: `a key of less than ${minRsaBits} bits`,
        de: `einen Schlüssel mit weniger als ${minRsaBits} Bits`,
      }
    }
    const isKnown =
      kind === 'rsa' ||
      kind === 'ed25519' ||
      (kind === 'ec' && curves.includes(details?.namedCurve ?? ''))
    return isKnown
      ? null
      : {
          en: 'a key of a kind that is not supported',
          de: 'einen Schlüssel einer Art, die nicht unterstützt wird',
        }
  } catch {
    return { en: 'no public key', de: 'keinen öffentlichen Schlüssel' }
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
