import type { Deps } from '../src/core/runtime/deps.ts'
import {
  openFields,
  openSubjectKey,
  pseudonymOf,
  type Side,
  serviceKeyName,
} from '../src/modules/audit/persons.ts'
import { readAuditKeys } from '../src/modules/keys/audit-keys.ts'

/** A record of the audit log with its sealed fields open. */
export interface OpenedRecord {
  readonly number: number
  readonly chain: string
  readonly place: number
  readonly id: string
  readonly at: number
  readonly type: string
  readonly level: string
  readonly outcome: string
  readonly reason: string | null
  readonly request_id: string | null
  readonly facts: Record<string, unknown>
  readonly actor: Record<string, unknown> | null
  readonly target: Record<string, unknown> | null
}

/** The number of the last record. */
export async function lastNumber({ db }: Pick<Deps, 'db'>): Promise<number> {
  const row = await db
    .selectFrom('audit_records')
    .select((eb) => eb.fn.max('number').as('last'))
    .executeTakeFirst()
  return row?.last ?? 0
}

/** Opens the records after a number, in the order of their insertion. */
export async function recordsAfter(
  deps: Pick<Deps, 'config' | 'db' | 'random'>,
  number: number,
): Promise<OpenedRecord[]> {
  const { db } = deps
  const rows = await db
    .selectFrom('audit_records')
    .selectAll()
    .where('number', '>', number)
    .orderBy('number')
    .execute()
  if (rows.length === 0) return []
  const keys = await readAuditKeys(db, deps)
  const persons = new Map<string, Uint8Array>([[serviceKeyName, keys.service]])
  for (const { subject, sealed } of await db.selectFrom('audit_subjects').selectAll().execute()) {
    const key = openSubjectKey(keys.data, subject, sealed)
    persons.set(pseudonymOf(key), key)
  }
  const open = (id: string, side: Side, name: string | null, sealed: string | null) => {
    const key = persons.get(name ?? '')
    return sealed === null || !key ? null : { ...openFields(key, { id, side }, sealed) }
  }
  return rows.map(({ number, chain, place, id, at, type, level, outcome, ...row }) => ({
    ...{ number, chain, place, id, at, type, level, outcome },
    reason: row.reason,
    request_id: row.request_id,
    facts: JSON.parse(row.facts),
    actor: open(id, 'actor', row.actor_key, row.actor_sealed),
    target: open(id, 'target', row.target_key, row.target_sealed),
  }))
}
