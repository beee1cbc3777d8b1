import { PostgresAdapter, sql } from 'kysely'
import { digest } from '../kernel/digest.ts'
import type { Database, DatabaseOrTransaction } from './connect.ts'
import { TransactionConflict } from './errors.ts'

const mostAttempts = 3

/**
 * All of the work or nothing of it. Where the database ended the transaction in favour of another
 * one it is begun anew: the work must not do anything else than to read and to write.
 */
export async function transact<T>(
  db: Database,
  work: (trx: DatabaseOrTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!(error instanceof TransactionConflict) || attempt === mostAttempts) throw error
    }
  }
}

/**
 * Waits until no other transaction, on any node, is alone with one of these words, and is so until
 * its end. To come first in a transaction, before anything is read: what is read afterwards has been
 * committed by all who had the word before. On SQLite a transaction is alone with everything.
 */
export async function exclusively(
  trx: DatabaseOrTransaction,
  ...words: readonly string[]
): Promise<void> {
  if (!isPostgres(trx) || words.length === 0) return
  if (!trx.isTransaction) throw new Error('outside a transaction nobody is alone with anything')
  // All in one order, so that no two wait for each other.
  const keys = [...new Set(words.map(lockKey))].sort((a, b) => (a < b ? -1 : 1)).map(String)
  await sql`select pg_advisory_xact_lock(key) from unnest(${keys}::bigint[]) as key`.execute(trx)
}

/** What rules are kept about: whoever reads and then writes one of these is alone with it. */
export const word = {
  schema: 'schema',
  keys: 'keys',
  /** That one stays. */
  administrators: 'administrators',
  revocations: 'revocations',
  account: (userId: number | string) => `account ${userId}`,
  throttle: (key: string) => `throttle ${key}`,
}

/** For the few statements that both databases do not understand alike. */
export function isPostgres(db: DatabaseOrTransaction): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

function lockKey(name: string): bigint {
  return Buffer.from(digest(`gatehouse ${name}`), 'base64url').readBigInt64BE()
}
