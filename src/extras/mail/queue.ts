import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { durableQueue } from '../../core/queue/queue.ts'

/**
 * The queue of mail. Mail that is sealed under the key of a person has the times in `ready_at` and
 * `lease_until`, and in the old columns a time that never comes, for versions before 0.8.0.
 */

/** The last time that JavaScript knows, in epoch milliseconds. */
export const never = 8_640_000_000_000_000

/** When a row is due. An index has this expression. */
export const readyAt = sql<number>`coalesce(ready_at, due_at)`

/** When the lease of a row ends; null if it has none. */
const leasedUntil = sql<number | null>`coalesce(lease_until, locked_until)`

/** Longer than a mail may take in all (`smtpTimeouts`), so that no other worker sends it meanwhile. */
const leaseMs = 240_000
const dayMs = 86_400_000

/** The columns of a new mail that is due at once. */
export function dueOfNew(now: number, isOfPerson: boolean) {
  return isOfPerson ? { due_at: never, ready_at: now } : { due_at: now, ready_at: null }
}

/** The columns of a row that is due at a time from now on. */
export const dueAt = (at: number) => ({
  due_at: ofPerson<number>(sql.lit(never), at),
  ready_at: ofPerson<number | null>(at, sql`null`),
})

/** The columns of a row that is leased until a time. */
const leaseUntil = (until: number) => ({
  locked_until: ofPerson<number | null>(sql.lit(never), until),
  lease_until: ofPerson<number | null>(until, sql`null`),
})

export const noLease = { locked_by: null, locked_until: null, lease_until: null } as const

export const mailQueue = durableQueue({
  table: 'mails',
  key: 'id',
  owner: 'locked_by',
  // As the index has it: SQLite does not use it otherwise.
  isOpen: sql`state in ('waiting', 'sending')`,
  isLeased: sql`state = 'sending'`,
  dueAt: readyAt,
  leasedUntil,
  order: sql`priority, ${readyAt}`,
  waiting: (at) => ({ state: 'waiting' as const, ...dueAt(at), ...noLease }),
  leased: (until) => ({ state: 'sending' as const, ...leaseUntil(until) }),
  ended: noLease,
  leaseMs,
  maxDelayMs: dayMs,
  maxLeaseMs: dayMs,
})

type Value = number | RawBuilder<unknown>

function ofPerson<T>(then: Value, otherwise: Value): RawBuilder<T> {
  return sql<T>`case when ready_at is null then cast(${otherwise} as bigint)
    else cast(${then} as bigint) end`
}

/** A row that its owner alone may send, until the lease ends. */
export type LeasedMail = Selectable<Schema['mails']>

export type FinalState = Exclude<Schema['mails']['state'], 'waiting' | 'sending'>

export interface MailClaim {
  readonly owner: string
  readonly now: number
  /** The messages that wait, because the server has taken as many as it may: shares.ts. */
  readonly heldBack?: readonly string[]
  /** Without what is more urgent; absent: all. */
  readonly fromPriority?: number
  /** Only this mail. */
  readonly id?: string
}

/** The statements of the workers. */
export function mailStore(db: DatabaseOrTransaction) {
  const queue = mailQueue(db)
  return {
    ...queue,

    /** Leases the most urgent row that is due. */
    lease({
      owner,
      now,
      heldBack = [],
      fromPriority = 0,
      id,
    }: MailClaim): Promise<LeasedMail | null> {
      const where = [
        sql`priority >= ${fromPriority}`,
        ...(heldBack.length > 0 ? [sql`message not in (${sql.join(heldBack)})`] : []),
        ...(id === undefined ? [] : [sql`id = ${id}`]),
      ]
      const columns = { locked_by: owner, attempts: sql`attempts + 1` }
      return queue.claim(now, columns, sql.join(where, sql` and `))
    },

    /** Ends what has expired, and wipes what no one may send any more; up to `limit` rows. */
    expire: (now: number, limit: number): Promise<LeasedMail[]> =>
      queue.changeFree(
        now,
        {
          where: sql`sealed is not null and expires_at <= ${now}`,
          order: sql`expires_at`,
          limit,
        },
        {
          sealed: null,
          finished_at: sql`coalesce(finished_at, ${now})`,
          state: sql`case when state in ('waiting', 'sending') then 'expired' else state end`,
        },
      ),

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
