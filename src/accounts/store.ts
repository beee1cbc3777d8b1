import {
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  sql,
  type Updateable,
} from 'kysely'
import { type Account, splitRoles } from '../authentication/account.ts'
import type { PresentAccount } from '../authentication/completion.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentAccount } from '../database/staged.ts'
import { forNoKeyUpdate } from '../database/transactions.ts'
import { type Role, type RoleName, sortRoles } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'
import { countedStates } from './standing-store.ts'

export type NewAccount = Pick<
  Account,
  'userId' | 'username' | 'passwordHash' | 'roles' | 'mustChange' | 'createdAt'
> &
  Partial<Pick<Account, 'locked' | 'active'>>

/** With the line of the import that asked for it. */
export type ImportedAccount = NewAccount & { readonly line: number }

export interface AccountChanges {
  readonly passwordHash?: string
  readonly roles?: readonly RoleName[]
  /** `false` lifts the automatic lock as well. */
  readonly locked?: boolean
  readonly active?: boolean
  readonly mustChange?: boolean
  readonly secondFactor?: boolean
}

/** Which accounts are listed; all where nothing is given. */
export interface AccountFilter {
  readonly role?: Role | undefined
  /** Those that are locked then, by an administrator or automatically. Epoch milliseconds. */
  readonly lockedAt?: number | undefined
  readonly active?: boolean | undefined
}

/** Which of the tokens given out so far end. */
export interface EndedTokens {
  readonly access: boolean
  readonly refresh: boolean
}

export function accountStore(db: DatabaseOrTransaction) {
  const accounts = () =>
    db
      .selectFrom('accounts')
      .innerJoin('token_versions', 'token_versions.user_id', 'accounts.user_id')
      .selectAll('accounts')
      .select(['access_version', 'refresh_version'])
      .where(isPresentAccount)

  async function insertRows(rows: readonly Insertable<Schema['accounts']>[]): Promise<void> {
    await db.insertInto('accounts').values(rows).execute()
    await db
      .insertInto('token_versions')
      .values(rows.map(({ user_id }) => ({ user_id, access_version: 1, refresh_version: 1 })))
      .onConflict((conflict) => conflict.doNothing()) // of an earlier account of this user
      .execute()
  }

  /**
   * Takes names and users back from imports that are not done, so that an account which is made
   * meanwhile never meets what nobody can see; such an import can no longer be done. An older
   * import has its way with younger ones: `after` is its id. In a transaction that has the words of the
   * names and users.
   */
  async function dislodge(
    usernames: readonly Username[],
    userIds: readonly number[],
    after = 0,
  ): Promise<void> {
    const inTheWay = (eb: ExpressionBuilder<Schema, 'accounts'>) =>
      eb.and([
        eb.or([
          ...(usernames.length > 0 ? [eb('username', 'in', usernames)] : []),
          ...(userIds.length > 0 ? [eb('user_id', 'in', userIds)] : []),
        ]),
        eb('import_id', 'in', (imports) =>
          imports
            .selectFrom('imports')
            .select('id')
            .where('state', '!=', 'done')
            .where((or) => or.or([or('id', '>', after), or('state', '=', 'failed')])),
        ),
      ])
    // None of them is done before it has heard of its loss.
    const robbed = await forNoKeyUpdate(
      db,
      'imports',
      db
        .selectFrom('imports')
        .select('id')
        .where('id', 'in', (eb) => eb.selectFrom('accounts').select('import_id').where(inTheWay))
        .orderBy('id'),
    ).execute()
    if (robbed.length === 0) return
    const taken = await db
      .deleteFrom('accounts')
      .where(inTheWay)
      .returning(['import_id', 'import_line', 'username'])
      .execute()
    for (const { import_id, import_line, username } of taken) {
      if (import_id === null) continue
      await db
        .insertInto('import_names')
        .values({ import_id, username, line: import_line ?? 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await db
        .updateTable('imports')
        .set((eb) => ({ lost: eb('lost', '+', 1) }))
        .where('id', '=', import_id)
        .execute()
    }
  }

  return {
    dislodge,

    async byUsername(username: Username): Promise<Account | null> {
      const row = await accounts().where('username', '=', username).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async byUserId(userId: number): Promise<Account | null> {
      const row = await accounts().where('accounts.user_id', '=', userId).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    /** The same with how many sessions are stored for it: one statement, as every login asks. */
    async present(userId: number): Promise<PresentAccount | null> {
      const row = await accounts()
        .select((eb) =>
          eb
            .selectFrom('sessions')
            .whereRef('sessions.user_id', '=', 'accounts.user_id')
            .select(({ fn }) => fn.countAll<number>().as('sessions'))
            .as('sessions'),
        )
        .where('accounts.user_id', '=', userId)
        .executeTakeFirst()
      return row ? { account: toAccount(row), sessions: Number(row.sessions) } : null
    },

    /** Accounts in the order of their users' ids. */
    async page(offset: number, limit: number): Promise<Account[]> {
      const rows = await accounts()
        .orderBy('accounts.user_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(toAccount)
    },

    /** Up to `limit` accounts after a user's id, in that order; costs the same at any depth. */
    async after(userId: number, limit: number, filter: AccountFilter = {}): Promise<Account[]> {
      const { role, lockedAt, active } = filter
      let query = accounts().where('accounts.user_id', '>', userId)
      if (role) query = query.where(hasRole(role))
      if (active !== undefined) query = query.where('active', '=', Number(active))
      if (lockedAt !== undefined) {
        query = query.where((eb) =>
          eb.or([eb('locked', '=', 1), eb('locked_until', '>', lockedAt)]),
        )
      }
      const rows = await query.orderBy('accounts.user_id').limit(limit).execute()
      return rows.map(toAccount)
    },

    /** How many accounts there are; costs the same at any number. */
    async count(): Promise<number> {
      return (await countedStates(db)).reduce((sum, { total }) => sum + total, 0)
    },

    /** @throws UniqueViolation where the username is taken or the user has an account */
    async insert(account: NewAccount): Promise<void> {
      await dislodge([account.username], [account.userId])
      await insertRows([rowOf(account)])
    },

    /**
     * Accounts of an import, nobody's to see until it is done.
     * @throws UniqueViolation where a username is taken or a user has an account
     */
    async insertUnseen(accounts: readonly ImportedAccount[], importId: number): Promise<void> {
      if (accounts.length === 0) return
      await insertRows(
        accounts.map((account) => ({
          ...rowOf(account),
          import_id: importId,
          import_line: account.line,
        })),
      )
    },

    async update(userId: number, changes: AccountChanges): Promise<void> {
      const columns = columnsOf(changes)
      if (Object.keys(columns).length > 0) {
        await db.updateTable('accounts').set(columns).where('user_id', '=', userId).execute()
      }
    },

    /** Answers the access version as it is then. */
    async raiseVersions(userId: number, { access, refresh }: EndedTokens): Promise<number> {
      const { access_version } = await db
        .updateTable('token_versions')
        .set((eb) => ({
          access_version: eb('access_version', '+', access ? 1 : 0),
          refresh_version: eb('refresh_version', '+', refresh ? 1 : 0),
        }))
        .where('user_id', '=', userId)
        .returning('access_version')
        .executeTakeFirstOrThrow()
      return access_version
    },

    /** Replaces a hash by a better one of the same password, unless it was replaced meanwhile. */
    async replaceHash(userId: number, from: string, to: string): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ password_hash: to })
        .where('user_id', '=', userId)
        .where('password_hash', '=', from)
        .execute()
    },

    /** The token versions stay: a second account of the user goes on from them. */
    async remove(userId: number): Promise<void> {
      await db.deleteFrom('accounts').where('user_id', '=', userId).execute()
    },

    /** Whether anyone else can administer. */
    async hasOtherAdministrator(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('accounts')
        .select('user_id')
        .where(hasRole('ADMIN'))
        .where('active', '=', 1)
        .where('locked', '=', 0)
        .where('user_id', '!=', userId)
        .where(isPresentAccount)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

function rowOf({ locked = false, active = true, ...account }: NewAccount) {
  return {
    user_id: account.userId,
    username: account.username,
    password_hash: account.passwordHash,
    roles: joinRoles(account.roles),
    locked: Number(locked),
    active: Number(active),
    must_change: Number(account.mustChange),
    created_at: account.createdAt,
  }
}

/** A whole name of the list, never a part of one: `SUPERADMIN` is not `ADMIN`. */
function hasRole(role: Role) {
  const name = role.replaceAll('_', '\\_')
  return sql<boolean>`',' || roles || ',' like ${`%,${name},%`} escape '\\'`
}

function joinRoles(roles: readonly RoleName[]): string {
  return sortRoles(roles).join(',')
}

function columnsOf(changes: AccountChanges): Updateable<Schema['accounts']> {
  return {
    ...(changes.passwordHash !== undefined && { password_hash: changes.passwordHash }),
    ...(changes.roles && { roles: joinRoles(changes.roles) }),
    ...(changes.locked !== undefined && { locked: Number(changes.locked) }),
    ...(changes.locked === false && { locked_until: null, failed_logins: 0 }),
    ...(changes.active !== undefined && { active: Number(changes.active) }),
    ...(changes.secondFactor !== undefined && {
      second_factor: Number(changes.secondFactor),
    }),
    ...(changes.mustChange !== undefined && { must_change: Number(changes.mustChange) }),
  }
}

type AccountRow = Selectable<Schema['accounts']> &
  Pick<Selectable<Schema['token_versions']>, 'access_version' | 'refresh_version'>

function toAccount(row: AccountRow): Account {
  return {
    userId: row.user_id,
    username: row.username as Username, // canonical since it was stored
    passwordHash: row.password_hash,
    roles: splitRoles(row.roles),
    locked: row.locked === 1,
    active: row.active === 1,
    failedLogins: row.failed_logins,
    lockedUntil: row.locked_until,
    secondFactor: row.second_factor === 1,
    mustChange: row.must_change === 1,
    accessVersion: row.access_version,
    refreshVersion: row.refresh_version,
    createdAt: row.created_at,
  }
}
