import {
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentUser } from '../database/staged.ts'
import { forKeyShare, forNoKeyUpdate } from '../database/transactions.ts'
import type { SliceStart } from '../http/routes/listing.ts'
import { caseFold } from '../kernel/text.ts'
import type { NewUser, User, UserChanges } from './user.ts'

/** What a list is sorted by; every order ends with the id, so that it is total. */
export const sortKeys = ['id', 'name', 'email'] as const
export type SortKey = (typeof sortKeys)[number]

export interface Order {
  readonly key: SortKey
  readonly descending: boolean
}

/** The last user of a page: its value of the sort key (case-folded), and its id. */
export interface Position {
  readonly value: string
  readonly id: number
}

/** Part of a list in some order. */
export interface Part {
  readonly order: Order
  readonly limit: number
  readonly offset?: number
  /** Only what comes after this; costs the same at any depth. */
  readonly after?: Position | undefined
}

export const shown = ['id', 'name', 'email'] as const
const columnOf = { id: 'id', name: 'name_key', email: 'email_key' } as const

export function userStore(db: DatabaseOrTransaction) {
  const present = () => db.selectFrom('users').where(isPresentUser)

  return {
    async byId(id: number): Promise<User | null> {
      const row = await present().select(shown).where('id', '=', id).executeTakeFirst()
      return row ? toUser(row) : null
    },

    /** The same inside a transaction: it stays so until the end. */
    async held(id: number): Promise<User | null> {
      const query = forNoKeyUpdate(db, 'users', present().select(shown).where('id', '=', id))
      const row = await query.executeTakeFirst()
      return row ? toUser(row) : null
    },

    /** Whether there is such a user, inside a transaction: then there is one until the end. */
    async keeps(id: number): Promise<boolean> {
      const query = forKeyShare(db, 'users', present().select('id').where('id', '=', id))
      return (await query.executeTakeFirst()) !== undefined
    },

    async insert(user: NewUser): Promise<User> {
      const row = await db
        .insertInto('users')
        .values(rowOf(user))
        .returning(shown)
        .executeTakeFirstOrThrow()
      return toUser(row)
    },

    /** Users of an import, nobody's to see until it is done; answers their ids in the order given. */
    async insertUnseen(users: readonly NewUser[], importId: number): Promise<number[]> {
      if (users.length === 0) return []
      const rows = await db
        .insertInto('users')
        .values(users.map((user) => ({ ...rowOf(user), import_id: importId })))
        .returning(shown)
        .execute()
      // No database says in which order it answers; users that look alike may change places.
      const ids = Map.groupBy(
        rows.toSorted((one, other) => one.id - other.id),
        looks,
      )
      return users.map((user) => {
        const row = ids.get(looks(user))?.shift()
        if (!row) throw new Error('a user was inserted and not answered')
        return row.id
      })
    },

    /**
     * Changes what is given and keeps the rest; null where there is no such user, or it is not as it
     * was seen.
     */
    async merge(id: number, { name, email }: UserChanges, seen?: User): Promise<User | null> {
      const row = await db
        .updateTable('users')
        .set({
          id: sql<number>`id`, // a set clause must not be empty
          ...(name !== undefined && { name, name_key: caseFold(name) }),
          ...(email !== undefined && { email, email_key: caseFold(email) }),
        })
        .where('id', '=', id)
        .where(isPresentUser)
        .where((eb) => isAsSeen(eb, seen))
        .returning(shown)
        .executeTakeFirst()
      return row ? toUser(row) : null
    },

    /**
     * The user as it was; null where there is none, or it is not as it was seen. Its account and
     * sessions go with it.
     */
    async remove(id: number, seen?: User): Promise<User | null> {
      const row = await db
        .deleteFrom('users')
        .where('id', '=', id)
        .where(isPresentUser)
        .where((eb) => isAsSeen(eb, seen))
        .returning(shown)
        .executeTakeFirst()
      return row ? toUser(row) : null
    },

    /** How many users there are; costs the same at any number. */
    async count(): Promise<number> {
      const row = await db
        .selectFrom('row_counts')
        .select('total')
        .where('name', '=', 'users')
        .executeTakeFirstOrThrow()
      return row.total
    },

    /** Users in id order from `offset`, or after an id. */
    async slice(limit: number, from: SliceStart): Promise<User[]> {
      const query = present().select(shown).orderBy('id').limit(limit)
      const rows =
        'offset' in from
          ? await query.offset(from.offset).execute()
          : await query.where('id', '>', from.afterId).execute()
      return rows.map(toUser)
    },

    /** One page of all users, in any order. */
    async list({ order, limit, offset = 0, after }: Part): Promise<User[]> {
      const rows = await inOrder(present().select(shown), order, after)
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(toUser)
    },
  }
}

/** The query in an order, and from behind a position where one is given. */
export function inOrder<Selection>(
  query: SelectQueryBuilder<Schema, 'users', Selection>,
  order: Order,
  after: Position | undefined,
): SelectQueryBuilder<Schema, 'users', Selection> {
  const column = `users.${columnOf[order.key]}` as const
  const direction = order.descending ? 'desc' : 'asc'
  const beyond = order.descending ? '<' : '>'
  if (order.key === 'id') {
    const ordered = query.orderBy('users.id', direction)
    return after ? ordered.where('users.id', beyond, after.id) : ordered
  }
  const ordered = query.orderBy(column, direction).orderBy('users.id', direction)
  if (!after) return ordered
  return ordered.where((eb) =>
    eb(eb.refTuple(column, 'users.id'), beyond, eb.tuple(after.value, after.id)),
  )
}

/** Where a user stands in an order. */
export function positionOf(user: User, { key }: Order): Position {
  return { value: key === 'id' ? '' : caseFold(user[key]), id: user.id }
}

function rowOf({ name, email }: NewUser) {
  return { name, email, name_key: caseFold(name), email_key: caseFold(email) }
}

function isAsSeen(
  eb: ExpressionBuilder<Schema, 'users'>,
  seen: User | undefined,
): Expression<SqlBool> {
  return seen ? eb.and({ name: seen.name, email: seen.email }) : eb.lit(true)
}

function looks({ name, email }: NewUser): string {
  return JSON.stringify([name, email])
}

export function toUser({ id, name, email }: User): User {
  return { id, name, email }
}
