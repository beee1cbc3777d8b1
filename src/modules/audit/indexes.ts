import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { isPostgres } from '../../core/database/transactions.ts'

// On SQLite each index costs a commit a page of the write-ahead log. A record is inserted with
// `indexed` null, and the partial search indexes take many records at once. docs/adr/0093

// A batch blocks the event loop for milliseconds.
const batchSize = 250

export interface AuditIndexes {
  /** Adds a batch of the records that wait to the search indexes; returns their number. */
  fill(): Promise<number>
}

export function createAuditIndexes(asyncCommitDb: Database): AuditIndexes {
  return { fill: () => indexWaiting(asyncCommitDb, batchSize) }
}

/** Whether records wait for the search indexes. */
export function waits(db: DatabaseOrTransaction): boolean {
  return !isPostgres(db)
}

/** The value of `indexed` in a new record. */
export function indexedAtInsert(db: DatabaseOrTransaction) {
  return waits(db) ? sql<null>`null` : sql<number>`1`
}

/** Literal, because only then SQLite uses a partial index. */
export function isIndexed(eb: ExpressionBuilder<Schema, 'audit_records'>) {
  return eb('indexed', '=', sql.lit(1))
}

/** The numbers of the records that wait. */
export function waiting(db: DatabaseOrTransaction) {
  return db.selectFrom('audit_records').select('number').where('indexed', 'is', null)
}

/** Up to `limit` numbers of records with a value. */
export function numbersWith(
  db: DatabaseOrTransaction,
  column: 'type' | 'actor_index' | 'target_index',
  value: string,
  limit: number,
) {
  const all = db.selectFrom('audit_records').select('number').where(column, '=', value)
  if (!waits(db)) return all.limit(sql.lit(limit))
  const late = all.where('number', 'in', waiting(db))
  return all.where(isIndexed).unionAll(late).limit(sql.lit(limit))
}

/** The first records that wait; returns their number. */
async function indexWaiting(db: Database, limit: number): Promise<number> {
  if (!waits(db)) return 0
  if (!(await waiting(db).limit(1).executeTakeFirst())) return 0 // avoids a transaction
  const { numUpdatedRows } = await db
    .updateTable('audit_records')
    .set({ indexed: sql.lit(1) })
    .where('number', 'in', waiting(db).orderBy('number').limit(sql.lit(limit)))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
