import type { ExpressionBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentUser } from '../database/staged.ts'
import { forNoKeyUpdate } from '../database/transactions.ts'
import type { Username } from '../kernel/username.ts'

/** A name on a line that makes no account, and the user where the line names one by its id. */
export interface ReadName {
  readonly username: Username
  readonly line: number
  readonly userId: number | null
}

/** Somebody who has a name already, or is the user's account. */
export interface Holder {
  readonly username: string
  readonly userId: number
  /** The import under way that holds it, or one that failed; null: an account that can be seen. */
  readonly unseen: {
    readonly importId: number
    readonly line: number | null
    readonly isOpen: boolean
  } | null
}

/** Imports under way. What they made is nobody's to see until their state is `done`. */
export function importStore(db: DatabaseOrTransaction) {
  return {
    async open(now: number): Promise<number> {
      const { id } = await db
        .insertInto('imports')
        .values({ state: 'open', seen_at: now })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** Tells that the import goes on; false where it was given up as dead. */
    async touch(id: number, now: number): Promise<boolean> {
      const row = await db
        .updateTable('imports')
        .set({ seen_at: now })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * The one step that makes all of an import seen, whatever its size; false where a name of it is
     * another's by now.
     */
    async finish(id: number, newUsers: number): Promise<boolean> {
      const row = await db
        .updateTable('imports')
        .set({ state: 'done' })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .where('lost', '=', 0)
        .returning('id')
        .executeTakeFirst()
      if (!row) return false
      await db
        .updateTable('row_counts')
        .set((eb) => ({ total: eb('total', '+', newUsers) }))
        .where('name', '=', 'users')
        .execute()
      return true
    },

    async fail(id: number): Promise<void> {
      await db
        .updateTable('imports')
        .set({ state: 'failed' })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .execute()
    },

    /** Gives up imports that nobody has seen since: their process died. */
    async failUnseenSince(time: number): Promise<void> {
      await db
        .updateTable('imports')
        .set({ state: 'failed' })
        .where('state', '=', 'open')
        .where('seen_at', '<', time)
        .execute()
    },

    /** An import whose rows are still to be cleared away; null where there is none. */
    async oldestEnded(): Promise<number | null> {
      const row = await db
        .selectFrom('imports')
        .select('id')
        .where('state', '!=', 'open')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row?.id ?? null
    },

    /**
     * Removes up to `most` rows of an ended import: of one that failed its accounts and users, then the
     * names it had read, then itself. Answers how many. In a transaction: nobody writes down a loss of an
     * import that goes meanwhile.
     */
    async clear(id: number, most: number): Promise<number> {
      const query = db.selectFrom('imports').select('state').where('id', '=', id)
      const row = await forNoKeyUpdate(db, 'imports', query).executeTakeFirst()
      if (!row || row.state === 'open') return 0
      if (row.state === 'failed') {
        const removed = (await removeAccounts(id, most)) || (await removeUsers(id, most))
        if (removed > 0) return removed
      }
      const names = await removeNames(id, most)
      if (names > 0) return names
      const { numDeletedRows } = await db
        .deleteFrom('imports')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },

    async addNames(id: number, names: readonly ReadName[]): Promise<void> {
      if (names.length === 0) return
      await db
        .insertInto('import_names')
        .values(
          names.map(({ username, line, userId }) => ({
            import_id: id,
            username,
            line,
            user_id: userId,
          })),
        )
        .execute()
    },

    /** Where the same import has read these names, or users, on lines that made no account. */
    async read(id: number, usernames: readonly Username[], userIds: readonly number[]) {
      return db
        .selectFrom('import_names')
        .select(['username', 'user_id', 'line'])
        .where('import_id', '=', id)
        .where((eb) =>
          eb.or([
            ...(usernames.length > 0 ? [eb('username', 'in', usernames)] : []),
            ...(userIds.length > 0 ? [eb('user_id', 'in', userIds)] : []),
          ]),
        )
        .execute()
    },

    /** The first lines that lost their name to somebody else: all there are, where none was refused. */
    async lost(id: number, most: number): Promise<number[]> {
      const rows = await db
        .selectFrom('import_names')
        .select('line')
        .where('import_id', '=', id)
        .orderBy('line')
        .limit(most)
        .execute()
      return rows.map(({ line }) => line)
    },

    /**
     * Keeps younger imports that hold these names, or users, from being done before the end of the
     * transaction: they are about to lose them.
     */
    async keepOpen(
      id: number,
      usernames: readonly Username[],
      userIds: readonly number[],
    ): Promise<void> {
      const younger = db
        .selectFrom('imports')
        .select('id')
        .where('id', '>', id)
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('accounts')
            .select('import_id')
            .where((or) => isOneOf(or, usernames, userIds)),
        )
        .orderBy('id')
      await forNoKeyUpdate(db, 'imports', younger).execute()
    },

    async holders(usernames: readonly Username[], userIds: readonly number[]): Promise<Holder[]> {
      const rows = await db
        .selectFrom('accounts')
        .leftJoin('imports', 'imports.id', 'accounts.import_id')
        .select(['username', 'user_id', 'import_id', 'import_line', 'state'])
        .where((eb) => isOneOf(eb, usernames, userIds))
        .execute()
      return rows.map(({ username, user_id, import_id, import_line, state }) => ({
        username,
        userId: user_id,
        unseen:
          import_id === null || state === null || state === 'done'
            ? null
            : { importId: import_id, line: import_line, isOpen: state === 'open' },
      }))
    },

    async presentUsers(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return []
      const rows = await db
        .selectFrom('users')
        .select('id')
        .where('id', 'in', ids)
        .where(isPresentUser)
        .execute()
      return rows.map(({ id }) => id)
    },
  }

  async function removeAccounts(id: number, most: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('accounts')
      .where('user_id', 'in', (eb) =>
        eb.selectFrom('accounts').select('user_id').where('import_id', '=', id).limit(most),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }

  async function removeUsers(id: number, most: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('users')
      .where('id', 'in', (eb) =>
        eb.selectFrom('users').select('id').where('import_id', '=', id).limit(most),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }

  async function removeNames(id: number, most: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('import_names')
      .where('import_id', '=', id)
      .where('username', 'in', (eb) =>
        eb.selectFrom('import_names').select('username').where('import_id', '=', id).limit(most),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }
}

function isOneOf(
  eb: ExpressionBuilder<Schema, 'accounts'>,
  usernames: readonly Username[],
  userIds: readonly number[],
) {
  return eb.or([
    ...(usernames.length > 0 ? [eb('username', 'in', usernames)] : []),
    ...(userIds.length > 0 ? [eb('user_id', 'in', userIds)] : []),
  ])
}
