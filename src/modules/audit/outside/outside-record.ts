import type { AuditRecord } from '../record-form.ts'

/**
 * A record as it leaves the service: keyed digests in place of persons and addresses, and no sealed
 * field. A reader without the keys sees only that two records are of the same person.
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

/** Answers what of a record may leave the service. */
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
    return text // a changed row is sent as it is: `audit verify` names it
  }
}
