import { createHmac } from 'node:crypto'
import type { Selectable } from 'kysely'
import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Schema } from '../../core/database/schema.ts'

export type AuditRecord = Selectable<Schema['audit_records']>

/** Without number, indexes, mac, and whether the record is indexed. */
export type AuthenticatedRecord = Omit<
  AuditRecord,
  'number' | 'actor_index' | 'target_index' | 'address_index' | 'mac' | 'indexed'
>

/** Replaces the previous mac for the first record of a chain; base64url. */
export function firstPrevious(chainKey: Uint8Array, chain: string): string {
  return keyedDigest(chainKey, `begin ${chain}`)
}

/**
 * HMAC-SHA-256 of the previous mac and the fields as canonical JSON array (RFC 8785); base64url.
 */
export function macOf(chainKey: Uint8Array, previous: string, record: AuthenticatedRecord): string {
  // Canonical for strings, integers and nulls.
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
