import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, DatabaseOrTransaction } from './database.ts'

/**
 * How an attempt at a transaction has ended; `unknown`: its commit failed, or only the answer to it
 * was lost.
 */
export type TransactionEnd = 'committed' | 'rolled back' | 'unknown'

/** The work of an attempt at a transaction; `isOpen` until that ends. */
interface Commit {
  /** In the transaction, just before its commit. */
  readonly before: ((trx: DatabaseOrTransaction) => Promise<void>)[]
  /** When it has ended, in whatever way. */
  readonly ends: ((end: TransactionEnd) => void)[]
  /** After the commit. */
  readonly work: (() => void)[]
  isOpen: boolean
  isCommitting: boolean
}

// Kept by asynchronous context and not by `trx`: Kysely makes several objects for one transaction.
const commits = new AsyncLocalStorage<Commit>()

/**
 * Does work after the transaction is committed, outside it and in the order of the calls. Does
 * nothing if the transaction is rolled back; an attempt that is begun anew registers its own work.
 * @throws Error outside a transaction
 */
export function afterCommit(trx: DatabaseOrTransaction, work: () => void): void {
  openCommit(trx).work.push(work)
}

/**
 * Does work in the transaction, just before its commit and in the order of the calls; what it throws
 * rolls the transaction back. @throws Error outside a transaction
 */
export function beforeCommit(
  trx: DatabaseOrTransaction,
  work: (trx: DatabaseOrTransaction) => Promise<void>,
): void {
  openCommit(trx).before.push(work)
}

/** Calls when this attempt has ended, before the work of `afterCommit`. @throws as `afterCommit` */
export function atEnd(trx: DatabaseOrTransaction, ended: (end: TransactionEnd) => void): void {
  openCommit(trx).ends.push(ended)
}

/** Answers an object that stands for this attempt at the transaction. @throws as `afterCommit` */
export function attemptOf(trx: DatabaseOrTransaction): object {
  return openCommit(trx)
}

function openCommit(trx: DatabaseOrTransaction): Commit {
  const commit = commits.getStore()
  if (!trx.isTransaction || !commit?.isOpen) throw new Error('there is no transaction to commit')
  return commit
}

/**
 * Makes one attempt at a transaction, with the work that is registered for its commit. For callers
 * that need neither locks nor another attempt.
 * @throws what `attempt` throws; Error if work after the commit threw, once all of it has run
 */
export async function committing<T>(
  db: Database,
  attempt: (trx: DatabaseOrTransaction) => Promise<T>,
): Promise<T> {
  const commit: Commit = { before: [], ends: [], work: [], isOpen: true, isCommitting: false }
  const whole = async (trx: DatabaseOrTransaction) => {
    const result = await attempt(trx)
    for (const work of commit.before) await work(trx)
    commit.isCommitting = true
    return result
  }
  const result = await ending(commit, () =>
    commits.run(commit, () => db.transaction().execute(whole)),
  )
  const failures: unknown[] = []
  for (const work of commit.work) {
    try {
      work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new Error('committed, but not finished', { cause: failures[0] })
  return result
}

async function ending<T>(commit: Commit, attempt: () => Promise<T>): Promise<T> {
  // Without a COMMIT that was sent, the server rolls back, whatever has become of the connection.
  let end: TransactionEnd = 'rolled back'
  try {
    const result = await attempt()
    end = 'committed'
    return result
  } catch (error) {
    if (commit.isCommitting) end = 'unknown'
    throw error
  } finally {
    commit.isOpen = false
    for (const ended of commit.ends) ended(end)
  }
}
