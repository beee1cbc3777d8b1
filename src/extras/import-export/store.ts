import { type ExpressionBuilder, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount, isPresentUser } from '../../core/database/pending-import.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { Username } from '../../core/lib/username.ts'
import { durableQueue } from '../../core/queue/queue.ts'

/** A line that creates no account; the user id if given. */
export interface ReadName {
  readonly username: Username
  readonly line: number
  readonly userId: number | null
}

export interface Holder {
  readonly username: string
  readonly userId: number
  /** The staging import, running or failed; null if visible. */
  readonly staged: {
    readonly importId: number
    readonly line: number | null
    readonly isOpen: boolean
  } | null
}

/** Without renewal for this long, the process counts as dead. */
export const leaseMs = 300_000
const maxGone = 100

/** The process that reads the file holds the lease from the start: imports wait for no worker. */
const importQueue = durableQueue({
  ...({ table: 'imports', key: 'id', owner: 'id', order: sql`id` } as const),
  ...{ isOpen: sql`state = 'open'`, isLeased: sql`state = 'open'` },
  ...{ dueAt: sql`seen_at`, leasedUntil: sql`seen_at + ${sql.lit(leaseMs)}` },
  waiting: () => ({ state: 'failed' as const }),
  leased: (until) => ({ seen_at: until - leaseMs }),
  ended: {},
  ...{ leaseMs, maxDelayMs: 0, maxLeaseMs: leaseMs },
})

/** Staged rows are invisible until the state is `done`. */
export function importStore(db: DatabaseOrTransaction) {
  return {
    async open(now: number, isDryRun: boolean): Promise<number> {
      const { id } = await db
        .insertInto('imports')
        .values({ state: 'open', seen_at: now, started_at: now, dry_run: isDryRun ? 1 : 0 })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** False if another process ended the import. */
    touch: (id: number, now: number, lines: number): Promise<boolean> =>
      importQueue(db).renew({ id }, now, { lines }),

    /**
     * Makes all rows visible at once, at constant cost; false if the import lost a name or its
     * lease.
     */
    async finish(id: number, newUsers: number): Promise<boolean> {
      const query = db.selectFrom('imports').select('lost').where('id', '=', id)
      const row = await forNoKeyUpdate(db, 'imports', query).executeTakeFirst()
      if (row?.lost !== 0 || !(await importQueue(db).end({ id }, { state: 'done' }))) return false
      await db
        .updateTable('row_counts')
        .set((eb) => ({ total: eb('total', '+', newUsers) }))
        .where('name', '=', 'users')
        .execute()
      return true
    },

    /** Oldest first, without dead processes. */
    async underWay(since: number, limit: number) {
      return db
        .selectFrom('imports')
        .select(['id', 'started_at', 'seen_at', 'lines', 'dry_run'])
        .where('state', '=', 'open')
        .where('seen_at', '>=', since)
        .orderBy('id')
        .limit(limit)
        .execute()
    },

    /** Visible accounts with these names or users. */
    async present(usernames: readonly Username[], userIds: readonly number[]) {
      return db
        .selectFrom('accounts')
        .innerJoin('users', 'users.id', 'accounts.user_id')
        .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
        .select(roleNamesOfAccount.as('roles'))
        .select([
          'accounts.user_id',
          'username',
          'name',
          'email',
          'locked',
          'active',
          'must_change',
          'created_at',
          'verified_email',
        ])
        .where(isPresentAccount)
        .where((eb) => isOneOf(eb, usernames, userIds))
        .execute()
    },

    async users(ids: readonly number[]) {
      if (ids.length === 0) return []
      return db
        .selectFrom('users')
        .select(['id', 'name', 'email'])
        .where('id', 'in', ids)
        .where(isPresentUser)
        .execute()
    },

    fail: (id: number) => importQueue(db).end({ id }, { state: 'failed' }),

    /** Fails imports of dead processes. */
    failGone: (now: number) =>
      importQueue(db).changeFree(
        now,
        { where: sql`state = 'open'`, limit: maxGone },
        { state: 'failed' },
      ),

    /** The oldest ended import with remaining rows, or null. */
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
     * Deletes up to `batchSize` rows: accounts and users of a failed import, names, then the
     * import; returns how many. Locks the import, so that no transaction records a lost name
     * meanwhile.
     */
    async clear(id: number, batchSize: number): Promise<number> {
      const query = db.selectFrom('imports').select('state').where('id', '=', id)
      const row = await forNoKeyUpdate(db, 'imports', query).executeTakeFirst()
      if (!row || row.state === 'open') return 0
      const batch = { id, batchSize }
      if (row.state === 'failed') {
        const removed =
          (await remove('accounts', 'user_id', batch)) || (await remove('users', 'id', batch))
        if (removed > 0) return removed
      }
      const names = await remove('import_names', 'username', batch)
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

    /** Earlier lines of the import that created no account. */
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

    /** The first lines that lost their name to another request, if no line had an error. */
    async lost(id: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('import_names')
        .select('line')
        .where('import_id', '=', id)
        .orderBy('line')
        .limit(limit)
        .execute()
      return rows.map(({ line }) => line)
    },

    /**
     * Locks younger imports with these names or users until the transaction that takes the names
     * ends, so that they cannot complete first.
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
        staged:
          import_id === null || state === null || state === 'done'
            ? null
            : { importId: import_id, line: import_line, isOpen: state === 'open' },
      }))
    },
  }

  async function remove(
    table: 'accounts' | 'users' | 'import_names',
    key: 'user_id' | 'id' | 'username',
    { id, batchSize }: { readonly id: number; readonly batchSize: number },
  ): Promise<number> {
    const [rows, column] = [sql.table(table), sql.ref(key)]
    const { numAffectedRows = 0n } = await sql`delete from ${rows}
      where import_id = ${id} and ${column} in
        (select ${column} from ${rows} where import_id = ${id} limit ${batchSize})`.execute(db)
    return Number(numAffectedRows)
  }
}

function isOneOf(
  eb: ExpressionBuilder<Schema, 'accounts'>,
  usernames: readonly Username[],
  userIds: readonly number[],
) {
  return eb.or([
    ...(usernames.length > 0 ? [eb('accounts.username', 'in', usernames)] : []),
    ...(userIds.length > 0 ? [eb('accounts.user_id', 'in', userIds)] : []),
  ])
}
