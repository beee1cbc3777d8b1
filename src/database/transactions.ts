import { AsyncLocalStorage } from 'node:async_hooks'
import { PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import { digest } from '../kernel/digest.ts'
import type { Database, DatabaseOrTransaction } from './database.ts'
import { TransactionConflict } from './errors.ts'
import { Deadline, Mutex } from './mutex.ts'

const maxAttempts = 3

// The wait for a word and that for a connection are one wait to whoever asked; Kysely passes nothing on.
const deadlines = new AsyncLocalStorage<Deadline>()

/** Until when the transaction that is being begun may wait; undefined where it waited for no word. */
export function deadlineToBegin(): Deadline | undefined {
  return deadlines.getStore()
}

/** Judges inside a transaction, before its work begins, whether the work may still be done. */
export interface Guard {
  /** What others may read, but not change, from the judgement to the end of the transaction. */
  shared(): readonly string[]
  /** Reads by `db`: the transaction, or the database for no commit. Refuses by throwing. */
  judge(db: DatabaseOrTransaction): Promise<void>
}

/** What is to be done once a transaction is committed, and whether it still is to come. */
interface Commit {
  readonly work: (() => void)[]
  isOpen: boolean
}

// By the transaction that is under way, never by its `trx`: Kysely gives several objects for one.
const commits = new AsyncLocalStorage<Commit>()

/**
 * Does work once the transaction is committed, outside it and in the order of the calls: never where
 * it is undone, once where it is begun anew. @throws Error outside a transaction
 */
export function afterCommit(trx: DatabaseOrTransaction, work: () => void): void {
  const commit = commits.getStore()
  if (!trx.isTransaction || !commit?.isOpen) throw new Error('there is no transaction to commit')
  commit.work.push(work)
}

/**
 * Runs one attempt at a transaction, from its beginning to its commit, and does then what the work
 * left to `afterCommit`. For those who begin a transaction without `transact`.
 * @throws what `attempt` throws; Error where the work after the commit threw, when all of it is done
 */
export async function committing<T>(attempt: () => Promise<T>): Promise<T> {
  const commit: Commit = { work: [], isOpen: true }
  const result = await commits.run(commit, attempt).finally(() => {
    commit.isOpen = false
  })
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

/**
 * All of the work or nothing of it, alone with the lockNames: no other transaction on any node that names
 * one of them runs beside it, so that what it reads stays so until it is done. Where the database
 * ends it in favour of another one it is begun anew: the work must do nothing but read and write.
 * On SQLite a transaction is alone with everything.
 */
export async function transact<T>(
  db: Database,
  lockNames: readonly string[],
  work: (trx: DatabaseOrTransaction) => Promise<T>,
  guard?: Guard,
): Promise<T> {
  const guarded = async (trx: DatabaseOrTransaction) => {
    await guard?.judge(trx)
    return work(trx)
  }
  const locks = { lockNames, shared: guard?.shared() ?? [] }
  const { adapter } = db.getExecutor()
  if (!(adapter instanceof QueuedAdapter) || lockNames.length === 0)
    return attempts(db, locks, guarded)
  const deadline = adapter.deadline()
  const leave = await adapter.enter(lockNames, deadline)
  try {
    return await deadlines.run(deadline, () => attempts(db, locks, guarded))
  } finally {
    leave()
  }
}

interface Locks {
  readonly lockNames: readonly string[]
  readonly shared: readonly string[]
}

async function attempts<T>(
  db: Database,
  locks: Locks,
  work: (trx: DatabaseOrTransaction) => Promise<T>,
): Promise<T> {
  const attemptOnce = () =>
    db.transaction().execute(async (trx) => {
      await takeLocks(trx, locks)
      return work(trx)
    })
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await committing(attemptOnce)
    } catch (error) {
      if (!(error instanceof TransactionConflict) || attempt === maxAttempts) throw error
    }
  }
}

/**
 * The same inside a transaction, from here to its end. To come before anything is read: what is read
 * afterwards has been committed by all who had the word before.
 */
export async function exclusively(
  trx: DatabaseOrTransaction,
  ...lockNames: readonly string[]
): Promise<void> {
  await takeLocks(trx, { lockNames, shared: [] })
}

async function takeLocks(trx: DatabaseOrTransaction, { lockNames, shared }: Locks): Promise<void> {
  if (!isPostgres(trx) || lockNames.length + shared.length === 0) return
  if (!trx.isTransaction) throw new Error('outside a transaction nobody is alone with anything')
  const exclusive = new Set(lockNames.map(lockKey))
  // All in one order, so that no two wait for each other.
  const keys = [...exclusive.union(new Set(shared.map(lockKey)))].sort((a, b) => (a < b ? -1 : 1))
  const [names, modes] = [keys.map(String), keys.map((key) => exclusive.has(key))]
  await sql`
    select case when is_exclusive then pg_advisory_xact_lock(key)
                else pg_advisory_xact_lock_shared(key) end
    from unnest(${names}::bigint[], ${modes}::boolean[]) as locks (key, is_exclusive)`.execute(trx)
}

/** What rules are kept about. */
export const lockName = {
  schema: 'schema',
  keys: 'keys',
  /** That one stays. */
  administrators: 'administrators',
  revocations: 'revocations',
  account: (userId: number | string) => `account ${userId}`,
  /** Whose it becomes. */
  username: (username: string) => `username ${username}`,
  idempotencyKey: (id: string) => `idempotency key ${id}`,
  throttle: (key: string) => `throttle ${key}`,
  /** One access token, by its `jti`. */
  token: (jti: string) => `token ${jti}`,
}

/**
 * A query of one row of a table that waits until nobody else is changing it, and answers it as it is
 * then; nobody changes it before the end of the transaction. Others may still refer to it.
 */
export function forNoKeyUpdate<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forNoKeyUpdate(table) : query
}

/** The same for what is only referred to: it is not removed before the end of the transaction. */
export function forKeyShare<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forKeyShare(table) : query
}

/** For the few statements that both databases do not understand alike. */
export function isPostgres(db: DatabaseOrTransaction): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Those of this process who wait for a word do so here, one behind the other: waiting in the database
 * each would keep a connection from everybody else.
 */
export class QueuedAdapter extends PostgresAdapter {
  readonly #timeoutMs: number
  readonly #queues = new Map<string, { readonly turns: Mutex; users: number }>()

  constructor(timeoutMs: number) {
    super()
    this.#timeoutMs = timeoutMs
  }

  deadline(): Deadline {
    return new Deadline(this.#timeoutMs)
  }

  /** @throws DatabaseUnavailable where the wait takes too long */
  async enter(lockNames: readonly string[], deadline: Deadline): Promise<() => void> {
    const left: (() => void)[] = []
    const leave = () => {
      for (const done of left) done()
    }
    try {
      for (const name of [...new Set(lockNames)].sort()) {
        const queue = this.#queues.get(name) ?? { turns: new Mutex(), users: 0 }
        this.#queues.set(name, queue)
        queue.users += 1
        left.push(() => {
          queue.users -= 1
          if (queue.users === 0) this.#queues.delete(name)
        })
        left.push(await queue.turns.enter(deadline))
      }
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }
}

function lockKey(name: string): bigint {
  return Buffer.from(digest(`gatehouse ${name}`), 'base64url').readBigInt64BE()
}
