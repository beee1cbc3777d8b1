import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { seal, unseal } from '../keys/seal.ts'
import { canonicalJson, type Json } from './canonical-json.ts'

/** The fields of a record that name a person: of the one who acted, or of the one concerned. */
export type Side = 'actor' | 'target'

/** What `actor_key` and `target_key` hold where no person is known: the service's own key seals. */
export const serviceKeyName = 'service'

/** The fields of a side as JSON, before they are sealed. */
export type PersonalFields = { readonly [name: string]: Json | undefined }

const subjectKeyBytes = 32

/** Whether a subject is a person, who has a key: a user's id, or `issuer#sub` of a provider. */
export function isPerson(subject: string): boolean {
  return /^[1-9][0-9]*$/.test(subject) || /^https?:.*#/s.test(subject)
}

/** Makes the key of a person: 32 random bytes. */
export function newSubjectKey(random: Random): Uint8Array {
  return random.bytes(subjectKeyBytes)
}

/** Seals a person's key under the data key; it opens in the row of this subject alone. */
export function sealSubjectKey(
  random: Random,
  dataKey: Uint8Array,
  subject: string,
  key: Uint8Array,
): string {
  return seal(random, dataKey, `audit subject ${subject}`, key)
}

/** Opens the key of a person. @throws Error if it was changed, or is another subject's */
export function openSubjectKey(dataKey: Uint8Array, subject: string, sealed: string): Uint8Array {
  return unseal(dataKey, `audit subject ${subject}`, sealed)
}

/** The name of a person's key in records, which does not tell who the person is. */
export function pseudonymOf(subjectKey: Uint8Array): string {
  return keyedDigest(subjectKey, 'subject')
}

/** The index of the records in which a person acted, or which concern the person; base64url. */
export function personIndex(subjectKey: Uint8Array, side: Side): string {
  return keyedDigest(subjectKey, side)
}

/**
 * The index of the records in which a subject that is no person acted, such as `cli`, `job` or
 * `client:id`, under the index key; base64url.
 */
export function serviceIndex(indexKey: Uint8Array, subject: string, side: Side): string {
  return keyedDigest(indexKey, `${side} ${subject}`)
}

/**
 * The digest of a name that was typed and that no account has, in canonical form, under the index
 * key: people type passwords there. It is the index of the target as well.
 */
export function typedName(indexKey: Uint8Array, name: string): string {
  return keyedDigest(indexKey, `typed ${name}`)
}

/** The index of an address in its canonical form (addresses/address.ts), under the index key. */
export function addressIndex(indexKey: Uint8Array, address: string): string {
  return keyedDigest(indexKey, `address ${address}`)
}

/**
 * Seals the fields of a side of the record `id`, under a person's key or the service's; the result
 * opens only on this side of this record.
 */
export function sealFields(
  random: Random,
  key: Uint8Array,
  place: { readonly id: string; readonly side: Side },
  fields: PersonalFields,
): string {
  return seal(random, key, contextOf(place), Buffer.from(canonicalJson(fields)))
}

/** Opens the fields of a side of a record. @throws Error if the key differs, or they were changed */
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
