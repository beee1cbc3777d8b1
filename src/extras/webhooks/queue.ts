import { type Selectable, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { durableQueue } from '../../core/queue/queue.ts'
import type { EndpointRow } from './store.ts'

/** Only the owner sends to the endpoint until the lease expires. */
export type Lease = Selectable<Schema['webhook_queues']>

/** No older delivery with the same endpoint and order key waits. */
export type DueDelivery = Pick<
  Selectable<Schema['webhook_deliveries']>,
  (typeof dueColumns)[number]
>

const dueColumns = [
  'id',
  'message',
  'type',
  'order_key',
  'target_id',
  'chain',
  'place',
  'checkpoint',
  'at',
  'attempts',
  'created_at',
] as const

export type EndpointToSend = EndpointRow & {
  readonly failing_since: number | null
  readonly succeeded_at: number | null
}

// Must equal the index condition.
const isOpen = sql<SqlBool>`state = 'waiting'`
/** Due deliveries read per search for an unblocked delivery. */
const lookedAt = 64
/** Searches per lease, to leave the database to other endpoints. */
const maxLooks = 16
/** Maximum clock difference between nodes. */
const aheadMs = 60_000
/** Longer pauses and leases come from a node whose clock was ahead. */
const longestPauseMs = 7 * 3_600_000
/** Rejected deliveries retried after the endpoint has changed. */
const retriedAtOnce = 500

const dayMs = 86_400_000
const hourMs = 3_600_000

/** One queue per endpoint, in event order. */
const endpointQueue = durableQueue({
  table: 'webhook_queues',
  key: 'endpoint',
  owner: 'locked_by',
  isOpen: sql`due_at is not null`,
  isLeased: sql`locked_by is not null`,
  dueAt: sql`due_at`,
  leasedUntil: sql`due_at`,
  order: sql`due_at`,
  waiting: (due_at) => ({ due_at, locked_by: null }),
  leased: (due_at) => ({ due_at }),
  ended: { due_at: null, locked_by: null },
  leaseMs: 30_000, // longer than an attempt
  maxDelayMs: dayMs,
  maxLeaseMs: hourMs,
})

export function webhookQueue(db: DatabaseOrTransaction) {
  return {
    ...endpointQueue(db),

    /**
     * Due at `at`, or after the pause. Waits for a transaction that ends the lease, so that no new
     * delivery is missed.
     */
    async notify(endpoints: readonly string[], at: number): Promise<void> {
      if (endpoints.length === 0) return
      await sql`insert into webhook_queues (endpoint, lane, due_at)
        select id, 'quick', ${sql.lit(at)} from webhook_endpoints
        where id in (${sql.join(endpoints)}) and state = 'enabled' order by id
        on conflict (endpoint) do update set
          due_at = case
            when webhook_queues.locked_by is not null
              or webhook_queues.due_at <= excluded.due_at
              or webhook_queues.due_at <= webhook_queues.paused_until
            then webhook_queues.due_at
            when webhook_queues.paused_until > excluded.due_at then webhook_queues.paused_until
            else excluded.due_at end`.execute(db)
    },

    /** Ends the pause. */
    async retryNow(endpoint: string, at: number): Promise<void> {
      await this.notify([endpoint], at)
      await db
        .updateTable('webhook_queues')
        .set({ failures: 0, paused_until: 0, due_at: at })
        .where('endpoint', '=', endpoint)
        .where('locked_by', 'is', null)
        .execute()
    },

    async endpoint(id: string): Promise<EndpointToSend | null> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
        .selectAll('webhook_endpoints')
        .select(['webhook_health.failing_since', 'webhook_health.succeeded_at'])
        .where('webhook_endpoints.id', '=', id)
        .where('webhook_endpoints.state', '=', 'enabled')
        .executeTakeFirst()
      return row ?? null
    },

    /** Every change encrypts the row again. */
    async isAsRead({ id, sealed }: Pick<EndpointRow, 'id' | 'sealed'>): Promise<boolean> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .select('id')
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .where('state', '=', 'enabled')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Retries up to `retriedAtOnce` rejected deliveries after a repair or change. */
    async beginAnew(endpoint: string, at: number): Promise<void> {
      const refused = db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('endpoint', '=', endpoint)
        .where(isOpen)
        .where('due_at', '>', at)
        .orderBy('due_at')
        .limit(retriedAtOnce)
      await db
        .updateTable('webhook_deliveries')
        .set({ due_at: at })
        .where('id', 'in', refused)
        .execute()
    },

    /**
     * The oldest due delivery that no older delivery of its order key blocks. A blocked delivery
     * becomes due when the blocking delivery ends.
     */
    async next(endpoint: string, now: number): Promise<DueDelivery | null> {
      for (let looks = 0; looks < maxLooks; looks += 1) {
        const { rows } = await sql<DueDelivery & { due_at: number; behind: number | null }>`
          select ${sql.join(dueColumns.map((name) => sql.ref(`due.${name}`)))}, due.due_at,
            (select older.due_at from webhook_deliveries as older
              where older.endpoint = due.endpoint and older.order_key = due.order_key
                and older.id < due.id and older.state = 'waiting'
              order by older.id limit 1) as behind
          from webhook_deliveries as due
          where due.endpoint = ${endpoint} and due.state = 'waiting'
            and due.due_at <= ${now}
          order by due.due_at, due.id limit ${lookedAt}`.execute(db)
        const free = rows.find(({ behind }) => behind === null)
        if (free || rows.length === 0) return free ?? null
        const early = rows.filter(({ behind, due_at }) => behind !== null && behind > due_at)
        if (early.length === 0) return null // blocking deliveries are due as well, and sort first
        for (const [dueAt, held] of Map.groupBy(early, ({ behind }) => behind ?? now)) {
          await db
            .updateTable('webhook_deliveries')
            .set({ due_at: dueAt })
            .where(
              'id',
              'in',
              held.map(({ id }) => id),
            )
            .execute()
        }
      }
      return null
    },

    /** Null if none waits. */
    async nextDue(endpoint: string): Promise<number | null> {
      const row = await db
        .selectFrom('webhook_deliveries')
        .select('due_at')
        .where('endpoint', '=', endpoint)
        .where(isOpen)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst()
      return row?.due_at ?? null
    },

    async record(
      id: number,
      change: Pick<
        Selectable<Schema['webhook_deliveries']>,
        'state' | 'due_at' | 'status' | 'detail' | 'sealed' | 'finished_at'
      >,
    ): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set((eb) => ({ ...change, attempts: eb('attempts', '+', 1) }))
        .where('id', '=', id)
        .where(isOpen)
        .execute()
    },

    /** Makes deliveries due that the ended delivery blocked. */
    async free(endpoint: string, orderKey: string, now: number): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set({ due_at: now })
        .where('endpoint', '=', endpoint)
        .where('order_key', '=', orderKey)
        .where(isOpen)
        .where('due_at', '>', now)
        .execute()
    },

    async noteHealth(row: {
      readonly endpoint: string
      readonly failing_since: number | null
      readonly succeeded_at: number | null
      readonly status: number | null
    }): Promise<void> {
      const { endpoint: _, ...changed } = row
      await db
        .insertInto('webhook_health')
        .values(row)
        .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(changed))
        .execute()
    },

    /** Returns whether the endpoint was enabled and unchanged. */
    async disable(
      { id, sealed }: Pick<EndpointRow, 'id' | 'sealed'>,
      now: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('webhook_endpoints')
        .set({ state: 'failed', updated_at: now })
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .where('state', '=', 'enabled')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /**
     * Corrects deliveries postponed by a clock ahead, and makes endpoints with deliveries due.
     * Returns the last endpoint, or null.
     */
    async repair(after: string, now: number, limit: number): Promise<string | null> {
      const { rows } = await sql<{ id: string; waits: number; ahead: number }>`
        select endpoints.id, case when queues.due_at is null and exists (
            select 1 from webhook_deliveries as open
            where open.endpoint = endpoints.id and open.state = 'waiting')
          then 1 else 0 end as waits,
          case when queues.paused_until > ${now + longestPauseMs}
            or (queues.locked_by is not null and queues.due_at > ${now + hourMs})
            or queues.due_at > ${now + dayMs}
            or exists (select 1 from webhook_deliveries as open
              where open.endpoint = endpoints.id and open.state = 'waiting'
                and open.at > ${now + aheadMs} and open.due_at > ${now})
          then 1 else 0 end as ahead
        from webhook_endpoints as endpoints
        left join webhook_queues as queues on queues.endpoint = endpoints.id
        where endpoints.id > ${after} and endpoints.state = 'enabled'
        order by endpoints.id limit ${limit}`.execute(db)
      const ahead = rows.filter((row) => row.ahead === 1).map(({ id }) => id)
      if (ahead.length > 0) await this.hasten(ahead, now, limit)
      const waits = rows.filter((row) => row.waits === 1).map(({ id }) => id)
      await this.notify(waits, now)
      return rows.length === limit ? (rows.at(-1)?.id ?? null) : null
    },

    /** Used after a clock was ahead. */
    async hasten(endpoints: readonly string[], now: number, limit: number): Promise<void> {
      const ahead = db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('endpoint', 'in', endpoints)
        .where(isOpen)
        .where('due_at', '>', now)
        .where((eb) => eb.or([eb('at', '>', now + aheadMs), eb('due_at', '>', now + dayMs)]))
        .limit(limit)
      await db
        .updateTable('webhook_deliveries')
        .set({ due_at: now })
        .where('id', 'in', ahead)
        .execute()
      await db
        .updateTable('webhook_queues')
        .set({ locked_by: null, paused_until: 0, due_at: now })
        .where('endpoint', 'in', endpoints)
        .execute()
    },

    purge: (until: number, batchSize: number): Promise<number> =>
      deleteExpired(
        db,
        { table: 'webhook_deliveries', key: 'id', column: 'finished_at', until },
        batchSize,
      ),

    async checkpoint(number: number) {
      return db
        .selectFrom('audit_checkpoints')
        .selectAll()
        .where('number', '=', number)
        .executeTakeFirst()
    },
  }
}
