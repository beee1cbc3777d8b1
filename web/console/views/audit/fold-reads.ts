import type { components } from '../../api/openapi.d.ts'

type AuditRecord = components['schemas']['AuditRecord']

export interface FoldedRecord {
  readonly first: AuditRecord
  readonly count: number
}

/** Reads of a person that follow each other are one row. `name` null: each record has its own. */
export function foldReads(records: readonly AuditRecord[], name: string | null): FoldedRecord[] {
  const rows: { first: AuditRecord; count: number }[] = []
  const isOwnRead = ({ actor, type }: AuditRecord) =>
    type === 'sensitive_read' && actor.username === name
  for (const record of records) {
    const last = rows.at(-1)
    if (name !== null && last && isOwnRead(record) && isOwnRead(last.first)) last.count += 1
    else rows.push({ first: record, count: 1 })
  }
  return rows
}
