import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Database } from '../src/core/database/database.ts'
import type { Someone, TestApp } from './app.ts'
import { verified } from './audit-log.ts'

/** Runs a job of a service. */
export const runJob = async ({ app }: TestApp, name: string) => {
  const job = app.jobs.find((one) => one.name === name) ?? assert.fail(name)
  await job.run()
}

/** The name of a person's key in records. */
export const keyOf = async (db: Database, { userId }: Pick<Someone, 'userId'>) => {
  const row = await db
    .selectFrom('audit_subjects')
    .select('pseudonym')
    .where('subject', '=', String(userId))
    .executeTakeFirstOrThrow()
  return row.pseudonym
}

/** Removes the key of a person and the indexes of the records: the attack without the audit keys. */
export async function erasePerson(
  db: Database,
  { userId }: Pick<Someone, 'userId'>,
): Promise<void> {
  const name = await keyOf(db, { userId })
  await sql`update audit_records set actor_index = null, address_index = null
    where actor_key = ${name}`.execute(db)
  await sql`update audit_records set target_index = null where target_key = ${name}`.execute(db)
  await sql`delete from audit_subjects where subject = ${String(userId)}`.execute(db)
}

/** The lists of closed keys in the records, by the type of the event. */
export async function listsOf(db: Database) {
  const rows = await db
    .selectFrom('audit_records')
    .select(['type', 'facts'])
    .orderBy('number')
    .execute()
  return rows.flatMap(({ type, facts }) => {
    const { closed } = JSON.parse(facts)
    return closed ? [{ type, closed: closed as string[] }] : []
  })
}

/** What a verification finds wrong, by kind. */
export const whats = async (app: TestApp) =>
  (await verified(app.deps)).problems.map(({ what }) => what)
