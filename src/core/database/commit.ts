import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, DatabaseOrTransaction } from './database.ts'

/** `unknown`: the commit failed, or only its answer was lost. */
export type TransactionEnd = 'committed' | 'rolled back' | 'unknown'

interface Commit {
  /** Inside the transaction. */
  readonly before: ((trx: DatabaseOrTransaction) => Promise<void>)[]
  /** After any end. */
  readonly ends: ((end: TransactionEnd) => void)[]
  readonly work: (() => void)[]
  readonly mayConflict: boolean
  isOpen: boolean
  isCommitting: boolean
}

// By asynchronous context: Kysely creates several `trx` objects per transaction.
const commits = new AsyncLocalStorage<Commit>()

/**
 * Runs work after the commit, in call order; never after a rollback. A retry registers its own
 * work.
 * @throws Error outside a transaction
 */
export function afterCommit(trx: DatabaseOrTransaction, work: () => void): void {
  openCommit(trx).work.push(work)
}

/**
 * Runs work inside the transaction, in call order; errors roll back. @throws Error outside a
 * transaction
 */
export function beforeCommit(
  trx: DatabaseOrTransaction,
  work: (trx: DatabaseOrTransaction) => Promise<void>,
): void {
  openCommit(trx).before.push(work)
}

/** Runs before the work of `afterCommit`. @throws Error outside a transaction */
export function atEnd(trx: DatabaseOrTransaction, ended: (end: TransactionEnd) => void): void {
  openCommit(trx).ends.push(ended)
}

/** An object that identifies this attempt. @throws Error outside a transaction */
export function attemptOf(trx: DatabaseOrTransaction): object {
  return openCommit(trx)
}

/** Whether a conflict costs little and is retried. @throws Error outside a transaction */
export function mayConflict(trx: DatabaseOrTransaction): boolean {
  return openCommit(trx).mayConflict
}

function openCommit(trx: DatabaseOrTransaction): Commit {
  const commit = commits.getStore()
  if (!trx.isTransaction || !commit?.isOpen) throw new Error('there is no transaction to commit')
  return commit
}

/**
 * For callers without locks or retries.
 * @throws errors of `attempt`; Error if work after the commit threw, once all has run
 */
export async function committing<T>(
  db: Database,
  attempt: (trx: DatabaseOrTransaction) => Promise<T>,
  { mayConflict = false } = {},
): Promise<T> {
  const state = { mayConflict, isOpen: true, isCommitting: false }
  const commit: Commit = { before: [], ends: [], work: [], ...state }
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
  // The server rolls back unless COMMIT was sent.
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
