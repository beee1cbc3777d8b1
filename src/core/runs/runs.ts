import { hostname } from 'node:os'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { databaseTime } from '../database/database-time.ts'
import type { Schema } from '../database/schema.ts'
import { type Guard, transact } from '../database/transactions.ts'
import { type Clock, isoTimeOrNull } from '../lib/clock.ts'
import { durableQueue } from '../queue/queue.ts'

/** A run is one execution of a long-running job. */
export interface RunColumns {
  id: Generated<number>
  /** Modules may add final states. */
  state: string
  /** Last attempt's start; identifies the owner. */
  started_at: number | null
  finished_at: number | null
  /** Working host, or the host of the request. */
  node: string
  /** Lease end by database clock; 0: none. */
  locked_until: number
  /** Reason of failure or restart. */
  detail: string | null
}

type RunRow = Selectable<RunColumns>
type RunTable = {
  [Table in keyof Schema]: keyof RunColumns extends keyof Schema[Table] ? Table : never
}[keyof Schema]

/** Without renewal for this time, a process is dead. */
export const leaseMs = 30_000
/** Interval of lease renewal and progress. */
export const heartbeatMs = 2000
/** Maximum lease before 0.11.0; old nodes may share the database. */
const maxLeaseMs = 120_000

export interface RunCall<Row> {
  /** Aborted by shutdown, lost lease or timeout. */
  readonly signal: AbortSignal
  /** Stored at the next heartbeat. */
  readonly progress: (values: Partial<Row>) => void
  /** Stored immediately. @throws Error if the lease was lost */
  readonly save: (values: Partial<Row>) => Promise<void>
}

/** One run per kind at a time, across nodes. */
export interface RunKind<Row> {
  readonly table: RunTable
  /** Serializes requests and claims. */
  readonly lockName: string
  readonly requested: (at: number) => Partial<Row>
  readonly started?: (at: number) => Partial<Row>
  readonly restarted: Partial<Row>
  readonly failed?: Partial<Row>
  /** Completes "the node ended before ...". */
  readonly goal: string
  readonly limit?: { readonly ms: number; readonly detail: string }
  /** Due without a request. */
  readonly isDue?: (db: DatabaseOrTransaction, at: number) => Promise<boolean>
  /** Whether a dead node's work is complete; cleans up if not. */
  readonly isComplete?: (run: Row) => Promise<boolean>
  readonly work: (run: Row, call: RunCall<Row>) => Promise<Partial<Row>>
  /** Called after the work; `isOurs`: lease still held. */
  readonly afterwards?: (run: Row, isOurs: boolean) => Promise<void>
  readonly detailOf: (error: unknown) => string
  /** Records events in the same transaction. */
  readonly onRequested: (trx: DatabaseOrTransaction, run: Row) => Promise<void>
  readonly onDone: (trx: DatabaseOrTransaction, run: Row) => Promise<void>
  readonly onFailed: (trx: DatabaseOrTransaction, run: Row) => Promise<void>
}

export interface Runs<Row> {
  /** Returns an existing open run if any. */
  request(guard?: Guard): Promise<Row>
  /** Skipped while another run is active. */
  run(stop?: AbortSignal): Promise<void>
  /**
   * Claims a run at once, for work that needs what only this process has; null while another run is
   * active. `make` follows.
   */
  begin(guard?: Guard): Promise<Row | null>
  make(run: Row, stop: AbortSignal): Promise<void>
}

export function createRuns<Row extends RunRow>(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  kind: RunKind<Row>,
): Runs<Row> {
  const queue = runQueue<Row>(kind.table)
  const open = (reader: DatabaseOrTransaction) => openRuns<Row>(reader, kind.table)

  return {
    request: (guard) =>
      transact(
        db,
        [kind.lockName],
        async (trx) => {
          const [known] = await open(trx)
          const run = known ?? (await insert(trx))
          await kind.onRequested(trx, run)
          return run
        },
        guard,
      ),

    async begin(guard) {
      await endDead()
      return transact(
        db,
        [kind.lockName],
        async (trx) => {
          const [first] = await open(trx)
          if (first?.state === 'running') return null
          const run = first ?? (await insert(trx))
          await kind.onRequested(trx, run)
          return claimIn(trx, run.id, await now(trx))
        },
        guard,
      )
    },

    make,

    async run(stop = new AbortController().signal) {
      const waiting = await endDead()
      if (!waiting && !(await kind.isDue?.(db, await now()))) return // most checks end here
      const run = await claim()
      if (run) await make(run, stop)
    },
  }

  function now(reader: DatabaseOrTransaction = db): Promise<number> {
    return databaseTime(reader, clock)
  }

  async function insert(trx: DatabaseOrTransaction): Promise<Row> {
    const values = { ...kind.requested(await now(trx)), node: hostname() }
    const row = { ...values, state: 'waiting', locked_until: 0 }
    const [names, fields] = [Object.keys(row), Object.values(row)]
    const { rows } = await sql<Row>`insert into ${sql.table(kind.table)}
      (${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(fields)})
      returning *`.execute(trx)
    return rows[0] as Row
  }

  /**
   * Complete runs are done; others restart, and fail after a second process dies. Returns whether a
   * run is open.
   */
  async function endDead(): Promise<boolean> {
    const runs = await open(db)
    const at = runs.length > 0 ? await now() : 0
    for (const run of runs) {
      const isGone = run.locked_until <= at || run.locked_until > at + maxLeaseMs
      if (run.state !== 'running' || !isGone) continue
      const detail = `the node ${run.node} ended before ${kind.goal}`
      if (await kind.isComplete?.(run)) await finish(run)
      else if (run.detail === null) await queue(db).retry(run, at, { ...kind.restarted, detail })
      else await fail(run, detail)
    }
    return runs.length > 0
  }

  async function claim(): Promise<Row | null> {
    return transact(db, [kind.lockName], async (trx) => {
      const [first] = await open(trx)
      const at = await now(trx)
      if (first?.state === 'running' || (!first && !(await kind.isDue?.(trx, at)))) return null
      const { id } = first ?? (await insert(trx))
      return claimIn(trx, id, at)
    })
  }

  function claimIn(trx: DatabaseOrTransaction, id: number, at: number): Promise<Row | null> {
    const columns = { ...kind.started?.(at), started_at: at, node: hostname() }
    return queue(trx).claim(at, columns, sql`id = ${id}`)
  }

  async function make(run: Row, stop: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const signal = AbortSignal.any([stop, lost.signal])
    const startedAt = clock.now()
    let values: Partial<Row> = {}
    const save = async (more: Partial<Row>) => {
      values = { ...values, ...more }
      if (await queue(db).renew(run, await now(), values)) return
      const error = new Error('another node took the run over, because this one stood still')
      lost.abort(error)
      throw error
    }
    let beat: Promise<unknown> = Promise.resolve()
    const heartbeat = setInterval(() => {
      const { limit } = kind
      if (limit && clock.now() - startedAt >= limit.ms) lost.abort(new Error(limit.detail))
      // If the database is unreachable, a later heartbeat renews, or the lease expires.
      else beat = beat.then(() => save({})).catch(() => {})
    }, heartbeatMs).unref()
    const progress = (more: Partial<Row>) => {
      values = { ...values, ...more }
    }
    try {
      const work = kind.work(run, { signal, progress, save })
      const result = await work.catch((error: unknown) => ({ error }))
      clearInterval(heartbeat)
      await beat
      if ('error' in result) {
        if (stop.aborted) await queue(db).retry(run, 0, kind.restarted)
        else await fail(run, kind.detailOf(result.error))
        return
      }
      // If the database is unreachable, the run is later treated as dead.
      const isOurs = await finish(run, result)
      await kind.afterwards?.(run, isOurs)
    } finally {
      clearInterval(heartbeat)
    }
  }

  function finish(run: Row, result: Partial<Row> = {}): Promise<boolean> {
    return end(run, { ...result, state: 'done', detail: null }, kind.onDone)
  }

  function fail(run: Row, detail: string): Promise<boolean> {
    return end(run, { ...kind.failed, state: 'failed', detail }, kind.onFailed)
  }

  function end(run: Row, columns: object, record: RunKind<Row>['onDone']): Promise<boolean> {
    return transact(db, [], async (trx) => {
      const ended = { ...columns, finished_at: await now(trx) }
      const isOurs = await queue(trx).end(run, ended)
      if (isOurs) await record(trx, { ...run, ...ended })
      return isOurs
    })
  }
}

/** Oldest first. */
export async function openRuns<Row>(db: DatabaseOrTransaction, table: RunTable): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where state in ('waiting', 'running') order by id`.execute(db)
  return rows
}

/** In one of the states. */
export async function lastRun<Row>(
  db: DatabaseOrTransaction,
  table: RunTable,
  states: readonly string[],
): Promise<Row | null> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where state in (${sql.join(states)}) order by id desc limit 1`.execute(db)
  return rows[0] ?? null
}

export function runView<State extends string>(run: RunRow & { readonly state: State }) {
  const { id, state, started_at, finished_at, node, detail } = run
  const times = { started_at: isoTimeOrNull(started_at), finished_at: isoTimeOrNull(finished_at) }
  return { id, state, ...times, node, detail }
}

interface RunQueue<Row> {
  claim(now: number, columns: object, where: unknown): Promise<Row | null>
  renew(run: Row, now: number, columns?: object): Promise<boolean>
  retry(run: Row, dueAt: number, columns?: object): Promise<boolean>
  end(run: Row, columns?: object): Promise<boolean>
}

/** Only the owner can change or end a run. */
export function runQueue<Row extends RunRow>(table: RunTable) {
  const queue = durableQueue<RunTable, 'id', 'started_at'>({
    ...{ table, key: 'id', owner: 'started_at', order: sql`id`, dueAt: sql`locked_until` },
    isOpen: sql`state in ('waiting', 'running')`,
    isLeased: sql`state = 'running'`,
    leasedUntil: sql`locked_until`,
    waiting: () => ({ state: 'waiting', locked_until: 0 }),
    leased: (until) => ({ state: 'running', locked_until: until }),
    ended: { locked_until: 0 },
    ...{ leaseMs, maxDelayMs: 0, maxLeaseMs },
  })
  return queue as unknown as (db: DatabaseOrTransaction) => RunQueue<Row> // table rows
}
