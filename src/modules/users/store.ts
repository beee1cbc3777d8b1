import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forKeyShare, forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { SliceStart } from '../../core/http/lists/listing.ts'
import { caseFold } from '../../core/lib/text.ts'
import { type Part, present, readPart, readSlice, shown, toUser } from './lists.ts'
import type { NewUser, User, UserChanges } from './user.ts'

const byId = prepared((db, { id }: Parameters<{ id: number }>) =>
  present(db).select(shown).where('id', '=', id),
)
const total = prepared((db) =>
  db.selectFrom('row_counts').select('total').where('name', '=', 'users'),
)
const inserted = prepared((db, { name, email, name_key, email_key }: Parameters<UserRow>) =>
  db.insertInto('users').values({ name, email, name_key, email_key }).returning(shown),
)

export function userStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: number): Promise<User | null> {
      const row = await byId.first(db, { id })
      return row ? toUser(row) : null
    },

    async byIdForUpdate(id: number): Promise<User | null> {
      const query = forNoKeyUpdate(db, 'users', present(db).select(shown).where('id', '=', id))
      const row = await query.executeTakeFirst()
      return row ? toUser(row) : null
    },

    /** Locks an existing row until the transaction ends. */
    async existsForKeyShare(id: number): Promise<boolean> {
      const query = forKeyShare(db, 'users', present(db).select('id').where('id', '=', id))
      return (await query.executeTakeFirst()) !== undefined
    },

    async insert(user: NewUser): Promise<User> {
      return toUser(await inserted.one(db, rowOf(user)))
    },

    /** Returns ids in the given order. */
    async insertStaged(users: readonly NewUser[], importId: number): Promise<number[]> {
      if (users.length === 0) return []
      const rows = await db
        .insertInto('users')
        .values(users.map((user) => ({ ...rowOf(user), import_id: importId })))
        .returning(shown)
        .execute()
      // No database guarantees row order; users with equal texts are interchangeable.
      const ids = Map.groupBy(
        rows.toSorted((one, other) => one.id - other.id),
        textOf,
      )
      return users.map((user) => {
        const row = ids.get(textOf(user))?.shift()
        if (!row) throw new Error('a user was inserted and not answered')
        return row.id
      })
    },

    /** Null if not found, or different from `seen`. */
    async merge(id: number, { name, email }: UserChanges, seen?: User): Promise<User | null> {
      const row = await db
        .updateTable('users')
        .set({
          id: sql<number>`id`, // avoids an empty set clause
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
     * Includes account and sessions. Returns the old row; null if not found, or different from
     * `seen`.
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

    /** Constant cost. */
    async count(): Promise<number> {
      return (await total.one(db, {})).total
    },

    slice: (limit: number, from: SliceStart): Promise<User[]> => readSlice(db, limit, from),

    list: (part: Part): Promise<User[]> => readPart(db, part),
  }
}

type UserRow = ReturnType<typeof rowOf>

function rowOf({ name, email }: NewUser) {
  return { name, email, name_key: caseFold(name), email_key: caseFold(email) }
}

function isAsSeen(
  eb: ExpressionBuilder<Schema, 'users'>,
  seen: User | undefined,
): Expression<SqlBool> {
  return seen ? eb.and({ name: seen.name, email: seen.email }) : eb.lit(true)
}

function textOf({ name, email }: NewUser): string {
  return JSON.stringify([name, email])
}
