import assert from 'node:assert/strict'
import type { DatabaseOrTransaction } from '../src/core/database/database.ts'
import {
  openFields,
  openSubjectKey,
  type PersonalFields,
  pseudonymOf,
  type Side,
  serviceKeyName,
} from '../src/modules/audit/persons.ts'
import { type AuditRecord, firstPrevious, macOf } from '../src/modules/audit/record-form.ts'
import { type AuditKeys, readAuditKeys } from '../src/modules/keys/audit-keys.ts'
import type { TestApp } from './app.ts'

/** A record with its fields opened. */
export interface OpenRecord extends AuditRecord {
  readonly plain: Record<string, unknown>
  readonly actor: PersonalFields | null
  readonly target: PersonalFields | null
}

/** Records all events that wait, as the job does. */
export async function recordTold({ app }: Pick<TestApp, 'app'>): Promise<void> {
  const job = app.jobs.find(({ name }) => name === 'audit records')
  assert.ok(job)
  await job.run()
}

/** All records in the order of insertion, opened; the chains are verified first. */
export function auditRecords({ deps }: Pick<TestApp, 'deps'>): Promise<OpenRecord[]> {
  return auditRecordsIn(deps.db, deps)
}

/** The same, of a database or a snapshot. What names an erased person is null, if there may be one. */
export async function auditRecordsIn(
  db: DatabaseOrTransaction,
  deps: Parameters<typeof readAuditKeys>[1],
  { mayBeErased = false } = {},
): Promise<OpenRecord[]> {
  const keys = await readAuditKeys(db, deps)
  const records = await db.selectFrom('audit_records').selectAll().orderBy('number').execute()
  await assertChainsWhole(db, keys)
  const subjects = await db.selectFrom('audit_subjects').selectAll().execute()
  const byPseudonym = new Map<string | null, Uint8Array>([[serviceKeyName, keys.service]])
  for (const { subject, sealed } of subjects) {
    const key = openSubjectKey(keys.data, subject, sealed)
    byPseudonym.set(pseudonymOf(key), key)
  }
  const open = (id: string, side: Side, name: string | null, sealed: string | null) => {
    const key = byPseudonym.get(name)
    if (sealed === null || (!key && mayBeErased)) return null
    assert.ok(key, `${side} of ${id}: the key of its person is there`)
    return openFields(key, { id, side }, sealed)
  }
  return records.map((record) => ({
    ...record,
    plain: JSON.parse(record.facts),
    actor: open(record.id, 'actor', record.actor_key, record.actor_sealed),
    target: open(record.id, 'target', record.target_key, record.target_sealed),
  }))
}

/** Asserts that each chain has no gap, is told of, and authenticates; answers how many there are. */
export async function assertChainsWhole(
  db: DatabaseOrTransaction,
  keys: AuditKeys,
): Promise<number> {
  const records = await db
    .selectFrom('audit_records')
    .selectAll()
    .orderBy('chain')
    .orderBy('place')
    .execute()
  const byChain = Map.groupBy(records, ({ chain }) => chain)
  for (const [chain, all] of byChain) {
    let previous = firstPrevious(keys.chain, chain)
    for (const [index, record] of all.entries()) {
      assert.equal(record.place, index + 1, `${chain}: no gap`)
      assert.equal(record.mac, macOf(keys.chain, previous, record), `${chain} ${record.place}`)
      previous = record.mac
    }
  }
  const chains = await db.selectFrom('audit_chains').select('chain').execute()
  assert.deepEqual(chains.map(({ chain }) => chain).toSorted(), [...byChain.keys()].toSorted())
  return byChain.size
}
