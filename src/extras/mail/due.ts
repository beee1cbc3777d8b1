import { type RawBuilder, sql } from 'kysely'

/**
 * When a mail is due and how long it is leased. Mail that is sealed under the key of a person has
 * columns of its own for it, and in the old ones a time that never comes: a version before 0.8.0
 * beside this one knows the data key alone, and must not take what it cannot open.
 */

/** The last time that JavaScript knows, in epoch milliseconds. */
export const never = 8_640_000_000_000_000

/** When a row is due. An index has this expression. */
export const readyAt = sql<number>`coalesce(ready_at, due_at)`

/** When the lease of a row ends; null if it has none. */
export const leasedUntil = sql<number | null>`coalesce(lease_until, locked_until)`

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
export const leaseUntil = (until: number) => ({
  locked_until: ofPerson<number | null>(sql.lit(never), until),
  lease_until: ofPerson<number | null>(until, sql`null`),
})

export const noLease = { locked_by: null, locked_until: null, lease_until: null } as const

type Value = number | RawBuilder<unknown>

function ofPerson<T>(then: Value, otherwise: Value): RawBuilder<T> {
  return sql<T>`case when ready_at is null then cast(${otherwise} as bigint)
    else cast(${then} as bigint) end`
}
