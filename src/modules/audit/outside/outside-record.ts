import type { AuditRecord } from '../record-form.ts'

/**
 * Keyed digests replace persons and addresses; no sealed fields. Without keys, a reader sees only
 * which records concern the same person.
 */
export interface OutsideRecord {
  readonly chain: string
  readonly place: number
  readonly number: number
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly type: string
  readonly level: AuditRecord['level']
  readonly outcome: AuditRecord['outcome']
  readonly reason: string | null
  readonly request_id: string | null
  readonly facts: unknown
  readonly actor: string | null
  readonly target: string | null
  readonly address: string | null
  readonly mac: string
}

export function outsideRecord(record: AuditRecord): OutsideRecord {
  const { chain, place, number, id, at, type, level, outcome, reason, request_id, mac } = record
  return {
    ...{ chain, place, number, id, at, type, level, outcome, reason, request_id },
    facts: factsOf(record.facts),
    actor: record.actor_index,
    target: record.target_index,
    address: record.address_index,
    mac,
  }
}

function factsOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // sent unchanged: `audit verify` reports it
  }
}
