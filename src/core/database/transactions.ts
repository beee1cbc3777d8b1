import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery, PostgresAdapter, type SelectQueryBuilder } from 'kysely'
import { digest } from '../crypto/digest.ts'
import { committing } from './commit.ts'
import { confirmedLater, confirming } from './confirmations.ts'
import type { Database, DatabaseOrTransaction, QueryHints } from './database.ts'
import { TransactionConflict } from './errors.ts'
import { Deadline, Mutex } from './mutex.ts'

const maxAttempts = 3

// Shares one deadline between the waits for a lock name and for a connection; Kysely has no
// parameter for it.
const deadlines = new AsyncLocalStorage<Deadline>()

/** Undefined if the transaction has not waited for a lock name. */
export function deadlineToBegin(): Deadline | undefined {
  return deadlines.getStore()
}

/** Decides inside a transaction, before its work begins, whether the work is still allowed. */
export interface Guard {
  /** Held shared from the decision to the end of the transaction. */
  lockNames(): readonly string[]
  /** Throws to reject. `db` is the transaction, or the database if nothing is committed. */
  authorize(db: DatabaseOrTransaction): Promise<void>
}

/**
 * Runs the work in a transaction with exclusive advisory locks on `lockNames`, across all nodes.
 * The transaction is retried after a conflict, so the work must only read and write the database.
 * On SQLite, a writing transaction excludes all others. On PostgreSQL, no node keeps the previous
 * version of a changed row when this resolves; within `confirming`, when `confirming` resolves.
 */
export function transact<T>(
  db: Database,
  lockNames: readonly string[],
  work: (trx: DatabaseOrTransaction) => Promise<T>,
  guard?: Guard,
): Promise<T> {
  return confirming(() => lockedAttempts(db, lockNames, work, guard))
}

async function lockedAttempts<T>(
  db: Database,
  lockNames: readonly string[],
  work: (trx: DatabaseOrTransaction) => Promise<T>,
  guard: Guard | undefined,
): Promise<T> {
  const guarded = async (trx: DatabaseOrTransaction) => {
    await guard?.authorize(trx)
    return work(trx)
  }
  const locks = { lockNames, shared: guard?.lockNames() ?? [] }
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

/**
 * For an answer that something has ended, of a change that found it ended: the end may be committed
 * by an earlier request, or by a node that was killed, and not be confirmed yet. Inside `transact` the
 * end of `transact` waits.
 */
export async function confirmEarlierEnd(db: DatabaseOrTransaction): Promise<void> {
  const { adapter } = db.getExecutor()
  if (adapter instanceof QueuedAdapter) await confirmedLater(adapter.confirmed())
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
  const attempt = async (trx: DatabaseOrTransaction) => {
    await takeLocks(trx, locks)
    return work(trx)
  }
  for (let count = 1; ; count += 1) {
    // After a wait for a lock, a conflict with the transaction that held the lock is likely.
    const mayConflict = count === 1 && locks.lockNames.length === 0
    try {
      return await committing(db, attempt, { mayConflict })
    } catch (error) {
      if (!(error instanceof TransactionConflict) || count === maxAttempts) throw error
    }
  }
}

/**
 * Call before the first read, so that later reads see the commits of earlier holders. Held until
 * the transaction ends.
 */
export async function takeExclusiveLocks(
  trx: DatabaseOrTransaction,
  ...lockNames: readonly string[]
): Promise<void> {
  await takeLocks(trx, { lockNames, shared: [] })
}

async function takeLocks(trx: DatabaseOrTransaction, { lockNames, shared }: Locks): Promise<void> {
  if (!isPostgres(trx) || lockNames.length + shared.length === 0) return
  if (!trx.isTransaction) throw new Error('an advisory lock needs a transaction')
  const exclusive = new Set(lockNames.map(lockKey))
  // A fixed order prevents deadlocks.
  const keys = [...exclusive.union(new Set(shared.map(lockKey)))].sort((a, b) => (a < b ? -1 : 1))
  const [names, modes] = [keys.map(String), keys.map((key) => exclusive.has(key))]
  const hints: QueryHints = { isKept: true, isDeferred: true }
  await trx.executeQuery({ ...CompiledQuery.raw(lockStatement, [names, modes]), ...hints })
}

const lockStatement = `
  select case when is_exclusive then pg_advisory_xact_lock(key)
              else pg_advisory_xact_lock_shared(key) end
  from unnest($1::bigint[], $2::boolean[]) as locks (key, is_exclusive)`

export const lockName = {
  schema: 'schema',
  keys: 'keys',
  /** For changes that must leave at least one administrator. */
  administrators: 'administrators',
  revocations: 'revocations',
  /** Also for the retention of the audit log. */
  auditCheckpoints: 'audit checkpoints',
  /** For the fan-out of events to webhook endpoints. */
  webhookOutbox: 'webhook outbox',
  /** For the removal of references to removed users. */
  removedUsers: 'removed users',
  /** For the steps that follow an erasure. */
  erasures: 'erasures',
  /** For the start of an automatic backup. */
  backups: 'backups',
  auditVerifications: 'audit verifications',
  /** For the limit of kept rejections. */
  refusals: 'refusals',
  account: (userId: number | string) => `account ${userId}`,
  username: (username: string) => `username ${username}`,
  invitation: (addressIndex: string) => `invitation ${addressIndex}`,
  /** For the sessions at application hosts that belong to a session. */
  hostSessions: (sessionId: string) => `host sessions ${sessionId}`,
  idempotencyKey: (id: string) => `idempotency key ${id}`,
  /** For mailed tokens of one purpose and name, or typed codes of an account. */
  confirmations: (of: string) => `confirmations ${of}`,
  throttle: (key: string) => `throttle ${key}`,
  /** For mail limits of an address, a client or an account. */
  mail: (key: string) => `mail ${key}`,
  token: (jti: string) => `token ${jti}`,
}

/**
 * Locks a row with PostgreSQL's `for no key update`: waits for concurrent changes, then reads the
 * row. Inserts of rows that refer to the row stay possible.
 */
export function forNoKeyUpdate<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forNoKeyUpdate(table) : query
}

/** Also waits for inserts of rows that refer to the row. */
export function forUpdate<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forUpdate() : query
}

/** Prevents deletion of the row until the transaction ends. */
export function forKeyShare<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forKeyShare(table) : query
}

export function isPostgres(db: DatabaseOrTransaction): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Queues transactions of this process that wait for the same lock name before they take a
 * connection, so that waiters do not exhaust the pool.
 */
export class QueuedAdapter extends PostgresAdapter {
  /** See `ChangeFeed`: resolves when each node knows what was committed before the call. */
  readonly confirmed: () => Promise<void>
  readonly #timeoutMs: number
  readonly #queues = new Map<string, { readonly mutex: Mutex; users: number }>()

  constructor(timeoutMs: number, confirmed: () => Promise<void>) {
    super()
    this.#timeoutMs = timeoutMs
    this.confirmed = confirmed
  }

  deadline(): Deadline {
    return new Deadline(this.#timeoutMs)
  }

  /** Returns the function that releases the names. @throws DatabaseUnavailable at the deadline */
  async enter(lockNames: readonly string[], deadline: Deadline): Promise<() => void> {
    const left: (() => void)[] = []
    const leave = () => {
      for (const done of left) done()
    }
    try {
      for (const name of [...new Set(lockNames)].sort()) {
        const queue = this.#queues.get(name) ?? { mutex: new Mutex(), users: 0 }
        this.#queues.set(name, queue)
        queue.users += 1
        left.push(() => {
          queue.users -= 1
          if (queue.users === 0) this.#queues.delete(name)
        })
        left.push(await queue.mutex.enter(deadline))
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
