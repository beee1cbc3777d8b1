import { type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { dueAt as dueFrom, leasedUntil, leaseUntil, noLease, readyAt } from './due.ts'

/** A row that this worker alone may send, until its lease ends. */
export type LeasedMail = Pick<Selectable<Schema['mails']>, (typeof leasedColumns)[number]>

const leasedColumns = [
  'id',
  'message',
  'kind',
  'user_id',
  'confirmation',
  'flow',
  'sealed',
  'ready_at',
  'attempts',
  'expires_at',
  'created_at',
] as const

/** A row that is not sent any more; `expired`: it was never sent. */
export type ExpiredMail = Pick<Selectable<Schema['mails']>, 'id' | 'state' | 'message' | 'user_id'>

export type FinalState = Exclude<Schema['mails']['state'], 'waiting' | 'sending'>

export interface Lease {
  readonly worker: string
  readonly now: number
  readonly until: number
  /** The messages that wait, because the server has taken as many as it may: shares.ts. */
  readonly heldBack: readonly string[]
  /** Without what is more urgent; absent: all. */
  readonly fromPriority?: number
}

/** The statements of the workers. */
export function queueStore(db: DatabaseOrTransaction) {
  const leased = (id: string, worker: string) =>
    db
      .updateTable('mails')
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('locked_by', '=', worker)

  return {
    /**
     * Leases the most urgent row: one that is due, or whose worker is gone. Several workers never
     * get the same one, and none waits for another.
     */
    async lease({
      worker,
      now,
      until,
      heldBack,
      fromPriority = 0,
    }: Lease): Promise<LeasedMail | null> {
      // The states twice, as the index has them: SQLite does not use it otherwise.
      const free = sql`select id from mails
        where state in ('waiting', 'sending')
          and (state = 'waiting' and ${readyAt} <= ${now}
               or state = 'sending' and ${leasedUntil} <= ${now})
          ${fromPriority > 0 ? sql`and priority >= ${fromPriority}` : sql``}
          ${heldBack.length > 0 ? sql`and message not in (${sql.join(heldBack)})` : sql``}
        order by priority, ${readyAt} limit 1`
      // An array: PostgreSQL may evaluate a subselect of `in` again for each row.
      const isFree = isPostgres(db)
        ? sql`= any(array(${free} for update skip locked))`
        : sql`in (${free})`
      const { locked_until, lease_until } = leaseUntil(until)
      const { rows } = await sql<LeasedMail>`update mails
        set state = 'sending', locked_by = ${worker}, locked_until = ${locked_until},
            lease_until = ${lease_until}, attempts = attempts + 1
        where id ${isFree}
        returning ${sql.join(leasedColumns.map((name) => sql.ref(name)))}`.execute(db)
      return rows[0] ?? null
    },

    /** Leases one row, if it waits. */
    async leaseOne(
      id: string,
      { worker, until }: Pick<Lease, 'worker' | 'until' | 'now'>,
    ): Promise<LeasedMail | null> {
      const row = await db
        .updateTable('mails')
        .set((eb) => ({
          state: 'sending',
          locked_by: worker,
          ...leaseUntil(until),
          attempts: eb('attempts', '+', 1),
        }))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .returning(leasedColumns)
        .executeTakeFirst()
      return row ?? null
    },

    /** Ends a row whose lease the worker still has; answers whether it had. */
    async finish(
      { id }: Pick<LeasedMail, 'id'>,
      worker: string,
      end: { readonly state: FinalState; readonly response: string | null; readonly now: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await leased(id, worker)
        .set({
          state: end.state,
          response: end.response,
          finished_at: end.now,
          ...noLease,
          // A failed one may be sent again by an administrator, until it expires.
          ...(end.state !== 'failed' && { sealed: null }),
        })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Gives a row back: it waits until `dueAt`. */
    async release(
      { id, attempts }: Pick<LeasedMail, 'id' | 'attempts'>,
      worker: string,
      { dueAt, response }: { readonly dueAt: number; readonly response: string | null },
    ): Promise<void> {
      await leased(id, worker)
        .set({
          state: 'waiting',
          attempts,
          ...dueFrom(dueAt),
          response,
          ...noLease,
        })
        .execute()
    },

    /** How many requests for mail were sent between two times, by message. */
    async sentBetween(since: number, until: number): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('mails')
        .select((eb) => ['message', eb.fn.countAll<number>().as('total')])
        .where('finished_at', '>', since)
        .where('finished_at', '<=', until)
        .where('state', '=', 'sent')
        .where('kind', '=', 'request')
        .groupBy('message')
        .execute()
      return new Map(rows.map(({ message, total }) => [message, Number(total)]))
    },

    /** Ends what has expired, and wipes what no one may send any more; up to `batchSize` rows. */
    async expire(now: number, batchSize: number): Promise<ExpiredMail[]> {
      const over = sql`select id from mails
        where sealed is not null and expires_at <= ${now}
          and not (state = 'sending' and ${leasedUntil} > ${now})
        order by expires_at limit ${batchSize}`
      const isOver = isPostgres(db)
        ? sql`= any(array(${over} for update skip locked))`
        : sql`in (${over})`
      const { rows } = await sql<ExpiredMail>`update mails
        set sealed = null, locked_by = null, locked_until = null, lease_until = null,
            finished_at = coalesce(finished_at, ${now}),
            state = case when state in ('waiting', 'sending') then 'expired' else state end
        where id ${isOver} returning id, state, message, user_id`.execute(db)
      return rows
    },

    /**
     * Marks the verified address of an account, if it is still this one; null: mail has arrived.
     * Answers whether that is new.
     */
    async setUndeliverable(
      userId: number,
      key: string,
      mark: { readonly at: number; readonly reason: string } | null,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('accounts')
        .set({ undeliverable_at: mark?.at ?? null, undeliverable_reason: mark?.reason ?? null })
        .where('user_id', '=', userId)
        .where('verified_email_key', '=', key)
        .where('undeliverable_at', mark ? 'is' : 'is not', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** When the oldest row that waits was added; null if none waits. */
    async oldestWaiting(): Promise<number | null> {
      const row = await db
        .selectFrom('mails')
        .select((eb) => eb.fn.min('created_at').as('at'))
        .where('state', 'in', ['waiting', 'sending'])
        .executeTakeFirst()
      return row?.at ?? null
    },

    /** The earliest due time of the notices that were due at `dueBefore`; null if there are none. */
    async lateNotice(dueBefore: number): Promise<number | null> {
      const row = await db
        .selectFrom('mails')
        .select(readyAt.as('since'))
        .where(sql<boolean>`state in ('waiting', 'sending')`) // as the index has it
        .where('state', '=', 'waiting')
        .where('kind', '=', 'notice')
        .where(readyAt, '<=', dueBefore)
        .limit(1)
        .executeTakeFirst()
      return row ? Number(row.since) : null
    },
  }
}
