import { sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { forUpdate } from './transactions.ts'

/** A table with references to a user, and the effect of the user's deletion. */
export interface Trace {
  readonly table: string
  /** The first column of the primary key. */
  readonly key: string
  readonly column: string
  readonly onDelete: 'delete' | 'set-null'
  /** Whether rows may be cleared after the deletion: see `Person`. */
  readonly inSteps: boolean
}

/** A row can have 80 kB. */
const maxRowsPerStep = 20

// A pending deletion is a staged row of an endless import: see pending-import.ts.
const endless = Number.MAX_SAFE_INTEGER

/** Negative, so that the row itself marks the deletion. */
const importOf = (userId: number) => -userId

/** Whether there are too many references for one statement. */
export async function hasManyTraces(
  trx: DatabaseOrTransaction,
  traces: readonly Trace[],
  userId: number,
): Promise<boolean> {
  for (const { table, column } of traces.filter(({ inSteps }) => inSteps)) {
    const { rows } = await sql`select 1 from ${sql.table(table)}
      where ${sql.ref(column)} = ${userId} limit 1 offset ${maxRowsPerStep}`.execute(trx)
    if (rows.length > 0) return true
  }
  return false
}

/**
 * Turns the user into a staged, uncounted row without name and e-mail. Other rows are deleted now,
 * except those for `clearPendingDeletion`.
 */
export async function hideUser(
  trx: DatabaseOrTransaction,
  traces: readonly Trace[],
  userId: number,
): Promise<void> {
  // Waits for transactions that refer to the row, like a deletion.
  const row = trx.selectFrom('users').select('id').where('id', '=', userId)
  await forUpdate(trx, row).execute()
  const id = importOf(userId)
  await trx.insertInto('imports').values({ id, state: 'open', seen_at: endless }).execute()
  const nothing = { name: '', email: '', name_key: '', email_key: '' }
  await trx
    .updateTable('users')
    .set({ ...nothing, import_id: id })
    .where('id', '=', userId)
    .execute()
  for (const { table, column, onDelete, inSteps } of traces) {
    if (inSteps) continue
    const [name, isNamed] = [sql.table(table), sql`where ${sql.ref(column)} = ${userId}`]
    if (onDelete === 'delete') await sql`delete from ${name} ${isNamed}`.execute(trx)
    else await sql`update ${name} set ${sql.ref(column)} = null ${isNamed}`.execute(trx)
  }
  await trx.insertInto('leaving_users').values({ user_id: userId, import_id: id }).execute()
  await trx
    .updateTable('row_counts')
    .set((eb) => ({ total: eb('total', '-', 1) }))
    .where('name', '=', 'users')
    .execute()
}

/**
 * Clears up to `batchSize` rows of a hidden user, then deletes the user. Returns `batchSize` if
 * more may remain, otherwise 0.
 */
export async function clearPendingDeletion(
  trx: DatabaseOrTransaction,
  traces: readonly Trace[],
  batchSize: number,
): Promise<number> {
  const user = await trx
    .selectFrom('leaving_users')
    .select(['user_id as id', 'import_id as importId'])
    .limit(1)
    .executeTakeFirst()
  if (!user) return 0
  const rows = Math.min(batchSize, maxRowsPerStep)
  for (const { table, key, column } of traces.filter(({ inSteps }) => inSteps)) {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = null where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)}
        where ${sql.ref(column)} = ${user.id} limit ${rows})`.execute(trx)
    if (numAffectedRows > 0n) return batchSize
  }
  await trx.deleteFrom('users').where('id', '=', user.id).execute()
  await trx.deleteFrom('imports').where('id', '=', user.importId).execute()
  return batchSize
}

export async function pendingDeletions(db: DatabaseOrTransaction): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('leaving_users').select('user_id').execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Whether the column names a hidden user. */
export function isPendingDeletion(column: 'posts.author_id') {
  return sql<boolean>`exists (
    select 1 from leaving_users where leaving_users.user_id = ${sql.ref(column)})`
}
