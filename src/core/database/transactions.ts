import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery, PostgresAdapter, type SelectQueryBuilder } from 'kysely'
import { digest } from '../crypto/digest.ts'
import { committing } from './commit.ts'
import type { Database, DatabaseOrTransaction, QueryHints } from './database.ts'
import { TransactionConflict } from './errors.ts'
import { Deadline, Mutex } from './mutex.ts'

const maxAttempts = 3

// The waits for a lock name and for a connection share one deadline. Kysely has no parameter for
// it.
const deadlines = new AsyncLocalStorage<Deadline>()

/** The deadline of the transaction that begins; undefined if it has waited for no lock name. */
export function deadlineToBegin(): Deadline | undefined {
  return deadlines.getStore()
}

/** Decides inside a transaction, before its work begins, whether the work is still allowed. */
export interface Guard {
  /** Names of locks that are held shared, from the decision to the end of the transaction. */
  lockNames(): readonly string[]
  /**
   * Reads from `db`: the transaction, or the database if nothing is committed. Throws to refuse.
   */
  authorize(db: DatabaseOrTransaction): Promise<void>
}

/**
 * Runs the work in a transaction that holds advisory locks on `lockNames`: no other transaction on
 * any node that uses one of the names runs at the same time. If the database ends the transaction
 * in favour of another one, it is begun anew, so the work must do nothing but read and write the
 * database. On SQLite a writing transaction excludes all others.
 */
export async function transact<T>(
  db: Database,
  lockNames: readonly string[],
  work: (trx: DatabaseOrTransaction) => Promise<T>,
  guard?: Guard,
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
    try {
      return await committing(db, attempt)
    } catch (error) {
      if (!(error instanceof TransactionConflict) || count === maxAttempts) throw error
    }
  }
}

/**
 * Takes advisory locks inside a transaction, from here to its end. Call it before the first read:
 * the reads that follow then see all commits of the earlier holders.
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
  // Always in the same order, so that two transactions cannot wait for each other.
  const keys = [...exclusive.union(new Set(shared.map(lockKey)))].sort((a, b) => (a < b ? -1 : 1))
  const [names, modes] = [keys.map(String), keys.map((key) => exclusive.has(key))]
  const hints: QueryHints = { isKept: true, isDeferred: true }
  await trx.executeQuery({ ...CompiledQuery.raw(lockStatement, [names, modes]), ...hints })
}

const lockStatement = `
  select case when is_exclusive then pg_advisory_xact_lock(key)
              else pg_advisory_xact_lock_shared(key) end
  from unnest($1::bigint[], $2::boolean[]) as locks (key, is_exclusive)`

/** The names of all advisory locks. */
export const lockName = {
  schema: 'schema',
  keys: 'keys',
  /** For changes that must leave at least one administrator. */
  administrators: 'administrators',
  revocations: 'revocations',
  /** For checkpoints of the audit log, and its retention. */
  auditCheckpoints: 'audit checkpoints',
  /** For the spreading of events over the endpoints of webhooks. */
  webhookOutbox: 'webhook outbox',
  /** For the steps that clear what names removed users. */
  removedUsers: 'removed users',
  /** For the steps that follow an erasure. */
  erasures: 'erasures',
  /** For the beginning of a backup that the service makes by itself. */
  backups: 'backups',
  auditVerifications: 'audit verifications',
  /** For the bound of the refusals that are kept. */
  refusals: 'refusals',
  account: (userId: number | string) => `account ${userId}`,
  /** For changes that give a username to an account. */
  username: (username: string) => `username ${username}`,
  /** For invitations to a mail address, by its digest. */
  invitation: (addressIndex: string) => `invitation ${addressIndex}`,
  /** For the sessions of a session at the hosts of applications. */
  hostSessions: (sessionId: string) => `host sessions ${sessionId}`,
  idempotencyKey: (id: string) => `idempotency key ${id}`,
  /** The confirmations by mail of one purpose and name; or the codes that are typed for an account. */
  confirmations: (of: string) => `confirmations ${of}`,
  throttle: (key: string) => `throttle ${key}`,
  /** For limits of mail: an address, a client or an account. */
  mail: (key: string) => `mail ${key}`,
  /** One access token, by its `jti`. */
  token: (jti: string) => `token ${jti}`,
}

/**
 * Adds PostgreSQL's `for no key update` to the query of a row: it waits for other transactions that
 * change the row, answers the row as they left it, and keeps it unchanged to the end of this
 * transaction. Other transactions may still insert rows that refer to it.
 */
export function forNoKeyUpdate<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forNoKeyUpdate(table) : query
}

/** Adds `for update`: it waits also for transactions that have inserted rows that refer to the row. */
export function forUpdate<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forUpdate() : query
}

/** Adds `for key share`: the row cannot be deleted before the end of the transaction. */
export function forKeyShare<DB, Table extends keyof DB, Row>(
  trx: DatabaseOrTransaction,
  table: Table & string,
  query: SelectQueryBuilder<DB, Table, Row>,
): SelectQueryBuilder<DB, Table, Row> {
  return isPostgres(trx) ? query.forKeyShare(table) : query
}

/** Whether the database is PostgreSQL; for the few statements that differ between the two. */
export function isPostgres(db: DatabaseOrTransaction): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/**
 * Queues the transactions of this process that wait for the same lock name, before they take a
 * connection: each that waited in the database would keep one from other requests.
 */
export class QueuedAdapter extends PostgresAdapter {
  readonly #timeoutMs: number
  readonly #queues = new Map<string, { readonly mutex: Mutex; users: number }>()

  constructor(timeoutMs: number) {
    super()
    this.#timeoutMs = timeoutMs
  }

  deadline(): Deadline {
    return new Deadline(this.#timeoutMs)
  }

  /**
   * Resolves to the function that releases the names. @throws DatabaseUnavailable at the deadline
   */
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
