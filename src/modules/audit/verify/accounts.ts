import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { type Findings, generalProblem } from './report.ts'
import { usersWithoutKey } from './without-key.ts'

/** Detects emptied tables and missing keys. */
export async function verifyAccounts(
  snapshot: DatabaseOrTransaction,
  { records, tombstones }: { readonly records: number; readonly tombstones: number },
  findings: Findings,
): Promise<void> {
  if (records === 0 && tombstones === 0) {
    const accounts = await countAccounts(snapshot)
    if (accounts === 0) return
    const there = accounts === 1 ? 'there is 1 account' : `there are ${accounts} accounts`
    const detail = `the tables of the audit log are empty, although ${there}`
    findings.add(generalProblem('missing', detail), 0)
    return
  }
  for (const id of await erasedAndThere(snapshot)) {
    const detail = `the key of user ${id} was erased, although the user exists`
    findings.add(generalProblem('erasure', detail))
  }
  for (const id of (await usersWithoutKey(snapshot)) ?? []) {
    const detail = `the account of user ${id} exists and has signed in, and its key is gone`
    findings.add(generalProblem('erasure', detail))
  }
}

async function countAccounts(db: DatabaseOrTransaction): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where(sql<boolean>`(import_id is null or import_id > 0)`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Existing users listed in `erasures`. */
async function erasedAndThere(db: DatabaseOrTransaction): Promise<number[]> {
  const rows = await db
    .selectFrom('erasures')
    .innerJoin('users', 'users.id', 'erasures.user_id')
    .select('users.id')
    .distinct()
    .where(sql<boolean>`(users.import_id is null or users.import_id > 0)`)
    .orderBy('users.id')
    .limit(100)
    .execute()
  return rows.map(({ id }) => id)
}
