import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from '../keys/seal.ts'
import { canonicalJson, type Json } from './canonical-json.ts'

export type Side = 'actor' | 'target'

/** Used when no person is known. */
export const serviceKeyName = 'service'

export type PersonalFields = { readonly [name: string]: Json | undefined }

const subjectKeyBytes = 32

/** A user id, or `issuer#sub` of a provider. */
export function isPerson(subject: string): boolean {
  return /^[1-9][0-9]*$/.test(subject) || /^https?:.*#/s.test(subject)
}

export function newSubjectKey(random: Random): Uint8Array {
  return random.bytes(subjectKeyBytes)
}

/** Bound to the subject's row. */
export function sealSubjectKey(
  random: Random,
  dataKey: Uint8Array,
  subject: string,
  key: Uint8Array,
): string {
  return seal(random, dataKey, `audit subject ${subject}`, key)
}

/** @throws Error for a changed or foreign key */
export function openSubjectKey(dataKey: Uint8Array, subject: string, sealed: string): Uint8Array {
  return unseal(dataKey, `audit subject ${subject}`, sealed)
}

/** Does not reveal the person. */
export function pseudonymOf(subjectKey: Uint8Array): string {
  return keyedDigest(subjectKey, 'subject')
}

/** base64url. */
export function personIndex(subjectKey: Uint8Array, side: Side): string {
  return keyedDigest(subjectKey, side)
}

/** For subjects such as `cli`, `job` or `client:id`; base64url. */
export function serviceIndex(indexKey: Uint8Array, subject: string, side: Side): string {
  return keyedDigest(indexKey, `${side} ${subject}`)
}

/** Keyed digest, because people type passwords as names. Also the target's index. */
export function typedName(indexKey: Uint8Array, name: string): string {
  return keyedDigest(indexKey, `typed ${name}`)
}

/** Canonical form (addresses/address.ts). */
export function addressIndex(indexKey: Uint8Array, address: string): string {
  return keyedDigest(indexKey, `address ${address}`)
}

/** Opens only on this side of this record. */
export function sealFields(
  random: Random,
  key: Uint8Array,
  place: { readonly id: string; readonly side: Side },
  fields: PersonalFields,
): string {
  return seal(random, key, contextOf(place), Buffer.from(canonicalJson(fields)))
}

/** @throws Error for a wrong key or changed fields */
export function openFields(
  key: Uint8Array,
  place: { readonly id: string; readonly side: Side },
  sealed: string,
): PersonalFields {
  return JSON.parse(unseal(key, contextOf(place), sealed).toString())
}

function contextOf({ id, side }: { readonly id: string; readonly side: Side }): string {
  return `audit ${side} ${id}`
}
