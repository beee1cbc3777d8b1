import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { durableQueue } from '../../core/queue/queue.ts'

/**
 * Mail sealed under a person's key uses `ready_at` and `lease_until`; its old columns hold `never`,
 * so that versions before 0.8.0 skip the row.
 */

/** The maximum JavaScript date, epoch milliseconds. */
export const never = 8_640_000_000_000_000

/** Matches an index expression. */
export const readyAt = sql<number>`coalesce(ready_at, due_at)`

const leasedUntil = sql<number | null>`coalesce(lease_until, locked_until)`

/** Exceeds the total timeout of a mail (`smtpTimeouts`), so that no other worker sends it too. */
const leaseMs = 240_000
const dayMs = 86_400_000

export function dueOfNew(now: number, isOfPerson: boolean) {
  return isOfPerson ? { due_at: never, ready_at: now } : { due_at: now, ready_at: null }
}

export const dueAt = (at: number) => ({
  due_at: ofPerson<number>(sql.lit(never), at),
  ready_at: ofPerson<number | null>(at, sql`null`),
})

const leaseUntil = (until: number) => ({
  locked_until: ofPerson<number | null>(sql.lit(never), until),
  lease_until: ofPerson<number | null>(until, sql`null`),
})

export const noLease = { locked_by: null, locked_until: null, lease_until: null } as const

export const mailQueue = durableQueue({
  table: 'mails',
  key: 'id',
  owner: 'locked_by',
  // Literally as in the index: SQLite requires it.
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

export type LeasedMail = Selectable<Schema['mails']>

export type FinalState = Exclude<Schema['mails']['state'], 'waiting' | 'sending'>

export interface MailClaim {
  readonly owner: string
  readonly now: number
  /** Messages whose share of the rate limit is used up: shares.ts. */
  readonly heldBack?: readonly string[]
  /** Skips more urgent mail. */
  readonly fromPriority?: number
  readonly id?: string
}

export function mailStore(db: DatabaseOrTransaction) {
  const queue = mailQueue(db)
  return {
    ...queue,

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

    /** Expires mail, and wipes what cannot be sent any more; up to `limit` rows. */
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
     * Marks the account's verified address, if unchanged; null: mail has arrived. Returns whether
     * this is new.
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

    async oldestWaiting(): Promise<number | null> {
      const row = await db
        .selectFrom('mails')
        .select((eb) => eb.fn.min('created_at').as('at'))
        .where('state', 'in', ['waiting', 'sending'])
        .executeTakeFirst()
      return row?.at ?? null
    },

    async lateNotice(dueBefore: number): Promise<number | null> {
      const row = await db
        .selectFrom('mails')
        .select(readyAt.as('since'))
        .where(sql<boolean>`state in ('waiting', 'sending')`) // as in the index
        .where('state', '=', 'waiting')
        .where('kind', '=', 'notice')
        .where(readyAt, '<=', dueBefore)
        .limit(1)
        .executeTakeFirst()
      return row ? Number(row.since) : null
    },
  }
}
