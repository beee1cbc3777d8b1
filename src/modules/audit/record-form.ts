import { createHmac } from 'node:crypto'
import type { Selectable } from 'kysely'
import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Schema } from '../../core/database/schema.ts'

/** A record as the table holds it. */
export type AuditRecord = Selectable<Schema['audit_records']>

/** What the mac of a record authenticates: all but its number, its indexes and the mac itself. */
export type AuthenticatedRecord = Omit<
  AuditRecord,
  'number' | 'actor_index' | 'target_index' | 'address_index' | 'mac'
>

/**
 * The value in place of the mac before the first record of a chain: base64url, under the chain key.
 */
export function firstPrevious(chainKey: Uint8Array, chain: string): string {
  return keyedDigest(chainKey, `begin ${chain}`)
}

/**
 * The mac of a record: HMAC-SHA-256, under the chain key, of the mac before it and the canonical
 * JSON (RFC 8785) of its fields as an array in their order; base64url.
 */
export function macOf(chainKey: Uint8Array, previous: string, record: AuthenticatedRecord): string {
  // JSON.stringify is canonical for an array of texts, whole numbers and nulls.
  const fields = JSON.stringify([
    record.chain,
    record.place,
    record.id,
    record.at,
    record.type,
    record.level,
    record.outcome,
    record.reason,
    record.request_id,
    record.facts,
    record.actor_key,
    record.actor_sealed,
    record.target_key,
    record.target_sealed,
  ])
  return createHmac('sha256', chainKey).update(previous).update(fields).digest('base64url')
}
