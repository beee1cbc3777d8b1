import { type Selectable, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { longestLeaseMs, longestPauseMs, longestWaitMs } from './back-off.ts'
import type { EndpointRow } from './store.ts'

export type Lane = Schema['webhook_queues']['lane']
export const lanes = ['new', 'quick', 'slow', 'failing'] as const satisfies readonly Lane[]

/** The lease of an endpoint: only its holder sends to the endpoint until the lease expires. */
export interface Lease {
  readonly endpoint: string
  readonly failures: number
  /** How often the endpoint was notified. */
  readonly notifications: number
}

/** A delivery that may be sent: no older one of its endpoint and order key waits. */
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

// As the indexes of open deliveries have it: both databases compare the texts.
const isOpen = sql<SqlBool>`state = 'waiting'`
/** How many due deliveries are looked at for one that has no older one before it. */
const lookedAt = 64
/** Nodes may differ by less; an event of later was not. */
const aheadMs = 60_000
/** How many refused deliveries are tried at once when their endpoint has changed. */
const retriedAtOnce = 500

/** The statements of the sender. */
export function queueStore(db: DatabaseOrTransaction) {
  const mine = (endpoint: string, worker: string) =>
    db
      .updateTable('webhook_queues')
      .where('endpoint', '=', endpoint)
      .where('locked_by', '=', worker)

  return {
    /**
     * Makes endpoints due at `at`, or when their pause ends. The holder of a lease notices new
     * deliveries by the number of notifications.
     */
    async notify(endpoints: readonly string[], at: number): Promise<void> {
      if (endpoints.length === 0) return
      await sql`insert into webhook_queues (endpoint, lane, due_at)
        select id, 'new', ${sql.lit(at)} from webhook_endpoints
        where id in (${sql.join(endpoints)}) and state = 'enabled' order by id
        on conflict (endpoint) do update set
          wakes = webhook_queues.wakes + 1,
          due_at = case
            when webhook_queues.locked_by is not null
              or webhook_queues.due_at <= excluded.due_at
              or webhook_queues.due_at <= webhook_queues.paused_until
            then webhook_queues.due_at
            when webhook_queues.paused_until > excluded.due_at then webhook_queues.paused_until
            else excluded.due_at end`.execute(db)
    },

    /** Notifies an endpoint and ends its pause, so that its failed deliveries are retried at once. */
    async retryNow(endpoint: string, at: number): Promise<void> {
      await this.notify([endpoint], at)
      await db
        .updateTable('webhook_queues')
        .set({ failures: 0, paused_until: 0, due_at: at })
        .where('endpoint', '=', endpoint)
        .where('locked_by', 'is', null)
        .execute()
    },

    /** Leases the next due endpoint of a lane to a worker; null if none is due. Workers do not wait for each other. */
    async take(
      lane: Lane,
      {
        worker,
        now,
        until,
      }: { readonly worker: string; readonly now: number; readonly until: number },
    ): Promise<Lease | null> {
      const next = sql`select endpoint from webhook_queues
        where lane = ${lane} and due_at is not null and due_at <= ${now} order by due_at limit 1`
      // An array: PostgreSQL may evaluate a subselect of `in` again for each row.
      const isNext = isPostgres(db)
        ? sql`= any(array(${next} for update skip locked))`
        : sql`in (${next})`
      const { rows } = await sql<Lease>`update webhook_queues
        set locked_by = ${worker}, due_at = ${until}
        where endpoint ${isNext} returning endpoint, failures, wakes as notifications`.execute(db)
      return rows[0] ?? null
    },

    /** Renews a lease. Returns the number of notifications, or null if another process holds the lease. */
    async renew(endpoint: string, worker: string, until: number): Promise<number | null> {
      const row = await mine(endpoint, worker)
        .set({ due_at: until })
        .returning('wakes')
        .executeTakeFirst()
      return row?.wakes ?? null
    },

    /** Ends a lease. `notifications` is the number from before the queue was read. */
    async end(
      endpoint: string,
      worker: string,
      next: {
        readonly lane: Lane
        readonly failures: number
        readonly pausedUntil: number
        readonly dueAt: number | null
        readonly now: number
        readonly notifications: number
      },
    ): Promise<void> {
      const { lane, failures, pausedUntil, dueAt, now, notifications } = next
      const added = Math.min(dueAt ?? Number.MAX_SAFE_INTEGER, Math.max(now, pausedUntil))
      await mine(endpoint, worker)
        .set((eb) => ({
          lane,
          failures,
          paused_until: pausedUntil,
          locked_by: null,
          due_at: eb.case().when('wakes', '=', notifications).then(dueAt).else(added).end(),
        }))
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

    /** Whether an endpoint is enabled, and as it was when `sealed` was read: any change seals it anew. */
    async isAsRead(id: string, sealed: string): Promise<boolean> {
      const row = await db
        .selectFrom('webhook_endpoints')
        .select('id')
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .where('state', '=', 'enabled')
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * Has those tried at once that an endpoint refused, up to `retriedAtOnce` of them: it is another one now,
     * or mended. What is due already comes first by its order.
     */
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
     * The due deliveries of an endpoint that no older one of their order key precedes, up to `limit`.
     * One that waits behind another becomes due with that, so that it is looked at once.
     */
    async next(endpoint: string, now: number, limit: number): Promise<DueDelivery[]> {
      for (;;) {
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
        const free = rows.filter(({ behind }) => behind === null).slice(0, limit)
        if (free.length > 0 || rows.length === 0) return free
        const early = rows.filter(({ behind, due_at }) => behind !== null && behind > due_at)
        if (early.length === 0) return [] // what precedes them is due as well, and comes first
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
    },

    /** When the next delivery of an endpoint is due; null if none waits. */
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

    /** Ends deliveries that were taken. */
    async delivered(ids: readonly number[], status: number, now: number): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set((eb) => ({
          state: 'delivered',
          attempts: eb('attempts', '+', 1),
          status,
          detail: null,
          sealed: null,
          finished_at: now,
        }))
        .where('id', 'in', ids)
        .where(isOpen)
        .execute()
    },

    /** Notes a failed attempt: it waits until `dueAt`, or ends. */
    async failed(
      id: number,
      attempt: {
        readonly end: 'failed' | 'cancelled' | null
        readonly dueAt: number
        readonly status: number | null
        readonly detail: string
        readonly sealed: string | null
        readonly now: number
      },
    ): Promise<void> {
      const { end, dueAt, status, detail, sealed, now } = attempt
      await db
        .updateTable('webhook_deliveries')
        .set((eb) => ({
          attempts: eb('attempts', '+', 1),
          due_at: dueAt,
          ...{ status, detail, sealed },
          ...(end && { state: end, finished_at: now }),
        }))
        .where('id', '=', id)
        .where(isOpen)
        .execute()
    },

    /** Has those wait no longer that waited behind deliveries which have ended. */
    async free(endpoint: string, orderKeys: readonly string[], now: number): Promise<void> {
      if (orderKeys.length === 0) return
      await db
        .updateTable('webhook_deliveries')
        .set({ due_at: now })
        .where('endpoint', '=', endpoint)
        .where('order_key', 'in', orderKeys)
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

    /** Disables an endpoint that takes nothing; answers whether it was enabled, and as it was read. */
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
     * Makes endpoints due that a clock has put off which was ahead, and was set back since; up to `limit`
     * of their deliveries are due again.
     */
    async putRight(endpoints: readonly string[], now: number, limit: number): Promise<void> {
      if (endpoints.length === 0) return
      const ahead = db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('endpoint', 'in', endpoints)
        .where(isOpen)
        .where('due_at', '>', now)
        .where((eb) =>
          eb.or([eb('at', '>', now + aheadMs), eb('due_at', '>', now + longestWaitMs)]),
        )
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

    /**
     * Of up to `limit` endpoints after one, in their order: those with deliveries and no lease, and those
     * that a clock has put off which was ahead; and the last of those looked at.
     */
    async findForgotten(
      after: string,
      now: number,
      limit: number,
    ): Promise<{ forgotten: string[]; ahead: string[]; last: string | null }> {
      const { rows } = await sql<{ id: string; waits: number; ahead: number }>`
        select endpoints.id, case when queues.due_at is null and exists (
            select 1 from webhook_deliveries as open
            where open.endpoint = endpoints.id and open.state = 'waiting')
          then 1 else 0 end as waits,
          case when queues.paused_until > ${now + longestPauseMs}
            or (queues.locked_by is not null and queues.due_at > ${now + longestLeaseMs})
            or queues.due_at > ${now + longestWaitMs}
            or exists (select 1 from webhook_deliveries as open
              where open.endpoint = endpoints.id and open.state = 'waiting'
                and open.at > ${now + aheadMs} and open.due_at > ${now})
          then 1 else 0 end as ahead
        from webhook_endpoints as endpoints
        left join webhook_queues as queues on queues.endpoint = endpoints.id
        where endpoints.id > ${after} and endpoints.state = 'enabled'
        order by endpoints.id limit ${limit}`.execute(db)
      return {
        forgotten: rows.filter(({ waits }) => waits === 1).map(({ id }) => id),
        ahead: rows.filter(({ ahead }) => ahead === 1).map(({ id }) => id),
        last: rows.length === limit ? (rows.at(-1)?.id ?? null) : null,
      }
    },

    /** Deletes deliveries that ended at `until` or before. */
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
