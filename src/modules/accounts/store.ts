import {
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  sql,
  type UpdateObject,
} from 'kysely'
import type { EmailAddress } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isOnPage, minDeepOffset } from '../../core/database/list-query.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { Username } from '../../core/lib/username.ts'
import { type Role, type RoleName, sortRoles } from '../../core/policy/principal.ts'
import { type Account, splitRoles } from '../authentication/account.ts'
import type { PresentAccount } from '../authentication/completion.ts'
import { changePassword, storePasswords } from '../passwords/passwords.ts'
import { countedAccounts } from './standing-store.ts'

export type NewAccount = Pick<
  Account,
  'userId' | 'username' | 'passwordHash' | 'roles' | 'mustChange' | 'createdAt'
> &
  Partial<Pick<Account, 'locked' | 'active' | 'language' | 'isService'>> & {
    /** Epoch milliseconds; null without a password, or for an imported password. */
    readonly passwordChangedAt: number | null
  }

export type ImportedAccount = NewAccount & {
  readonly line: number
  /** As another product verified it. */
  readonly verifiedEmail?: EmailAddress
  readonly secondFactor?: boolean
}

export interface AccountChanges {
  readonly passwordHash?: string
  readonly roles?: readonly RoleName[]
  /** `false` also ends the lockout. */
  readonly locked?: boolean
  readonly active?: boolean
  readonly mustChange?: boolean
  readonly secondFactor?: boolean
}

export interface AccountFilter {
  readonly role?: Role | undefined
  /** By an administrator or the lockout. Epoch milliseconds. */
  readonly lockedAt?: number | undefined
  readonly active?: boolean | undefined
}

export interface EndedTokens {
  readonly access: boolean
  readonly refresh: boolean
}

/** The flag `active` as administrators set it. */
export const activeFlag = sql<number>`coalesce(accounts.active_kept, accounts.active)`

const accounts = (db: DatabaseOrTransaction) =>
  db
    .selectFrom('accounts')
    .innerJoin('token_versions', 'token_versions.user_id', 'accounts.user_id')
    .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
    .selectAll('accounts')
    .select(['access_version', 'refresh_version', 'passwords.hash', 'passwords.must_change'])
    .select(roleNamesOfAccount.as('roles'))
    .where(isPresentAccount)

const byUsername = prepared((db, { username }: Parameters<{ username: string }>) =>
  accounts(db).where('username', '=', username),
)
const byUserId = prepared((db, { userId }: Parameters<{ userId: number }>) =>
  accounts(db).where('accounts.user_id', '=', userId),
)
const byEmail = prepared((db, { key }: Parameters<{ key: string }>) =>
  accounts(db).where('verified_email_key', '=', key),
)
const deepPage = prepared((db, place: Parameters<{ offset: number; limit: number }>) =>
  accounts(db)
    .where(isOnPage(db, { table: 'accounts', id: 'user_id', count: 'accounts total' }, place))
    .orderBy('accounts.user_id'),
)
const sessionsOfAccount = (eb: ExpressionBuilder<Schema, 'accounts'>) =>
  eb
    .selectFrom('sessions')
    .whereRef('sessions.user_id', '=', 'accounts.user_id')
    .select(({ fn }) => fn.countAll<number>().as('sessions'))
    .as('sessions')
const present = prepared((db, { userId }: Parameters<{ userId: number }>) =>
  accounts(db).select(sessionsOfAccount).where('accounts.user_id', '=', userId),
)
interface Login {
  readonly userId: number
  readonly now: number
  /** Null for a login without a password. */
  readonly passwordAt: number | null
}
// The update replaces the read. Subselects, because `returning` differs between the databases.
const presentAtLogin = prepared((db, { userId, now, passwordAt }: Parameters<Login>) =>
  db
    .updateTable('accounts')
    .set((eb) => ({
      last_login_at: now,
      last_password_login_at: eb.fn.coalesce(passwordAt, 'last_password_login_at'),
    }))
    .where('user_id', '=', userId)
    .where(isPresentAccount)
    .returningAll()
    .returning((eb) => {
      const version = eb
        .selectFrom('token_versions')
        .whereRef('token_versions.user_id', '=', 'accounts.user_id')
      const password = eb
        .selectFrom('passwords')
        .whereRef('passwords.account', '=', 'accounts.user_id')
      return [
        version.select('access_version').$asScalar().$notNull().as('access_version'),
        version.select('refresh_version').$asScalar().$notNull().as('refresh_version'),
        password.select('hash').as('hash'),
        password.select('must_change').as('must_change'),
        sessionsOfAccount(eb),
        roleNamesOfAccount.as('roles'),
      ]
    }),
)

const roleOf = prepared((db, { userId, role }: Parameters<{ userId: number; role: Role }>) =>
  db
    .selectFrom('role_assignments')
    .innerJoin('accounts', 'accounts.user_id', 'role_assignments.account')
    .select('role')
    .where('account', '=', userId)
    .where('role', '=', role)
    .where(isPresentAccount),
)

export function accountStore(db: DatabaseOrTransaction) {
  async function insertAll<Wanted extends NewAccount>(
    wanted: readonly Wanted[],
    rowOf: (account: Wanted) => Insertable<Schema['accounts']>,
  ): Promise<void> {
    await db.insertInto('accounts').values(wanted.map(rowOf)).execute()
    await db
      .insertInto('token_versions')
      .values(wanted.map(({ userId }) => ({ ...firstVersions, user_id: userId })))
      .onConflict((conflict) => conflict.doNothing()) // a previous account left a row
      .execute()
    await assignRoles(wanted)
    await storePasswords(db, wanted.flatMap(passwordOf))
  }

  async function assignRoles(wanted: readonly Pick<Account, 'userId' | 'roles'>[]): Promise<void> {
    const rows = wanted.flatMap(({ userId: account, roles }) =>
      sortRoles(roles).map((role) => ({ account, role })),
    )
    if (rows.length === 0) return
    await db
      .insertInto('role_assignments')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async function changeRoles(userId: number, roles: readonly RoleName[]): Promise<void> {
    await db
      .deleteFrom('role_assignments')
      .where('account', '=', userId)
      .$if(roles.length > 0, (query) => query.where('role', 'not in', roles))
      .execute()
    await assignRoles([{ userId, roles }])
  }

  /**
   * Deletes staged accounts that would collide with a new account, invisibly to its caller. The
   * loss is counted in the row of the import, which then cannot finish. An import passes its id as
   * `after` to spare older imports, unless failed. The transaction must hold the locks of usernames
   * and users.
   */
  async function removeStaged(
    usernames: readonly Username[],
    userIds: readonly number[],
    after = 0,
  ): Promise<void> {
    const isConflicting = (eb: ExpressionBuilder<Schema, 'accounts'>) =>
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
    // Row locks: imports must not finish before the loss is counted.
    const affected = await forNoKeyUpdate(
      db,
      'imports',
      db
        .selectFrom('imports')
        .select('id')
        .where('id', 'in', (eb) =>
          eb.selectFrom('accounts').select('import_id').where(isConflicting),
        )
        .orderBy('id'),
    ).execute()
    if (affected.length === 0) return
    const removed = await db
      .deleteFrom('accounts')
      .where(isConflicting)
      .returning(['import_id', 'import_line', 'username'])
      .execute()
    for (const { import_id, import_line, username } of removed) {
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
    removeStaged,

    async byUsername(username: Username): Promise<Account | null> {
      const row = await byUsername.first(db, { username })
      return row ? toAccount(row) : null
    },

    /** By the canonical verified address. */
    async byEmail(key: string): Promise<Account | null> {
      const row = await byEmail.first(db, { key })
      return row ? toAccount(row) : null
    },

    async byUserId(userId: number): Promise<Account | null> {
      const row = await byUserId.first(db, { userId })
      return row ? toAccount(row) : null
    },

    /** One statement, because every login reads both. */
    async present(userId: number): Promise<PresentAccount | null> {
      const row = await present.first(db, { userId })
      return row ? { account: toAccount(row), sessions: Number(row.sessions) } : null
    },

    /** Also stores the time of the last login. */
    async presentAtLogin(
      userId: number,
      now: number,
      byPassword: boolean,
    ): Promise<PresentAccount | null> {
      const passwordAt = byPassword ? now : null
      const row = await presentAtLogin.first(db, { userId, now, passwordAt })
      return row ? { account: toAccount(row), sessions: Number(row.sessions) } : null
    },

    /** By user id. */
    async page(offset: number, limit: number): Promise<Account[]> {
      const deep = offset < minDeepOffset ? [] : await deepPage.all(db, { offset, limit })
      if (deep.length > 0) return deep.map(toAccount)
      // The subquery skips rows without reading their passwords and roles.
      const ids = db
        .selectFrom('accounts')
        .select('user_id')
        .where(isPresentAccount)
        .orderBy('user_id')
        .limit(limit)
        .offset(offset)
      const rows = await accounts(db)
        .where('accounts.user_id', 'in', ids)
        .orderBy('accounts.user_id')
        .execute()
      return rows.map(toAccount)
    },

    /** By user id; constant cost at any depth. */
    async after(userId: number, limit: number, filter: AccountFilter = {}): Promise<Account[]> {
      const { role, lockedAt, active } = filter
      // Ordered by the index in use, to read at most `limit` rows.
      let query = role
        ? accounts(db)
            .innerJoin('role_assignments', 'role_assignments.account', 'accounts.user_id')
            .where('role_assignments.role', '=', role)
            .where('role_assignments.account', '>', userId)
            .orderBy('role_assignments.account')
        : accounts(db).where('accounts.user_id', '>', userId).orderBy('accounts.user_id')
      if (active !== undefined) query = query.where(activeFlag, '=', Number(active))
      if (lockedAt !== undefined) {
        query = query.where((eb) =>
          eb.or([eb('locked', '=', 1), eb('locked_until', '>', lockedAt)]),
        )
      }
      const rows = await query.limit(limit).execute()
      return rows.map(toAccount)
    },

    /** Constant cost. */
    async count(): Promise<number> {
      return (await countedAccounts(db)).get('total') ?? 0
    },

    /** @throws UniqueViolation if the username is taken or the user has an account */
    async insert(account: NewAccount): Promise<void> {
      await removeStaged([account.username], [account.userId])
      await insertAll([account], rowOf)
    },

    /** Staged accounts are invisible until the import finishes. @throws UniqueViolation */
    async insertStaged(accounts: readonly ImportedAccount[], importId: number): Promise<void> {
      if (accounts.length === 0) return
      await insertAll(accounts, (account) => ({
        ...rowOf(account),
        import_id: importId,
        import_line: account.line,
        second_factor: Number(account.secondFactor ?? false),
        verified_email: account.verifiedEmail?.address ?? null,
        verified_email_key: account.verifiedEmail?.key ?? null,
        email_verified_at: account.verifiedEmail ? account.createdAt : null,
      }))
    },

    async update(userId: number, changes: AccountChanges, now: number): Promise<void> {
      const { passwordHash: hash, mustChange, roles } = changes
      const columns = columnsOf(changes)
      if (Object.keys(columns).length > 0) {
        await db.updateTable('accounts').set(columns).where('user_id', '=', userId).execute()
      }
      if (roles) await changeRoles(userId, roles)
      await changePassword(db, userId, { hash, mustChange }, now)
    },

    /** Only without a verified address. @throws UniqueViolation */
    async verifyEmail(userId: number, { address, key }: EmailAddress, now: number): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ verified_email: address, verified_email_key: key, email_verified_at: now })
        .where('user_id', '=', userId)
        .where('verified_email_key', 'is', null)
        .execute()
    },

    /** Ends older tokens; returns the new access version. */
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

    /** Keeps the token versions for a later account of the user. */
    async remove(userId: number): Promise<void> {
      await db.deleteFrom('accounts').where('user_id', '=', userId).execute()
    },

    /** Epoch milliseconds. */
    async lastPasswordLogin(userId: number): Promise<number | null> {
      const row = await db
        .selectFrom('accounts')
        .select('last_password_login_at')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row?.last_password_login_at ?? null
    },

    async hasOtherAdministrator(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('role_assignments')
        .select('account')
        .where('role', '=', 'ADMIN')
        .where('account', '!=', userId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('accounts')
              .select('user_id')
              .whereRef('user_id', '=', 'role_assignments.account')
              .where('active', '=', 1)
              .where('locked', '=', 0)
              .where('service', '=', 0)
              .where('deletion_at', 'is', null)
              .where(isPresentAccount),
          ),
        )
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async requestDeletion(userId: number, deletionAt: number): Promise<void> {
      await db
        .updateTable('accounts')
        .set((eb) => ({ deletion_at: deletionAt, active_kept: eb.ref('active'), active: 0 }))
        .where('user_id', '=', userId)
        .where('deletion_at', 'is', null)
        .execute()
    },

    /** Returns whether a deletion was pending. */
    async cancelDeletion(userId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('accounts')
        .set({ deletion_at: null, active: activeFlag, active_kept: null })
        .where('user_id', '=', userId)
        .where('deletion_at', 'is not', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Longest overdue first. */
    async dueDeletions(now: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('accounts')
        .select('user_id')
        .where('deletion_at', '<=', now)
        .where(isPresentAccount)
        .orderBy('deletion_at')
        .orderBy('user_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.user_id)
    },

    async hasRole(userId: number, role: Role): Promise<boolean> {
      const row = await roleOf.first(db, { userId, role })
      return row !== undefined
    },
  }
}

function rowOf({ locked = false, active = true, language = null, ...account }: NewAccount) {
  return {
    language,
    service: Number(account.isService ?? false),
    user_id: account.userId,
    username: account.username,
    locked: Number(locked),
    active: Number(active),
    created_at: account.createdAt,
  }
}

const firstVersions = { access_version: 1, refresh_version: 1 }

function passwordOf({ userId: account, passwordHash: hash, ...more }: NewAccount) {
  const { mustChange, passwordChangedAt: changedAt } = more
  return hash === null ? [] : [{ account, hash, mustChange, changedAt }]
}

function columnsOf(changes: AccountChanges): UpdateObject<Schema, 'accounts'> {
  return {
    ...(changes.locked !== undefined && { locked: Number(changes.locked) }),
    ...(changes.locked === false && { locked_until: null, failed_logins: 0 }),
    ...(changes.active !== undefined && flagOf(changes.active)),
    ...(changes.secondFactor !== undefined && {
      second_factor: Number(changes.secondFactor),
    }),
  }
}

/** During a pending deletion, sets the flag that a cancellation restores. */
function flagOf(isActive: boolean) {
  const flag = sql.lit(Number(isActive))
  return {
    active: sql<number>`case when deletion_at is null then ${flag} else 0 end`,
    active_kept: sql<number | null>`case when deletion_at is null then null else ${flag} end`,
  }
}

type AccountRow = Selectable<Schema['accounts']> &
  Pick<Selectable<Schema['token_versions']>, 'access_version' | 'refresh_version'> & {
    readonly hash: string | null
    readonly must_change: number | null
    readonly roles: string | null
  }

function toAccount(row: AccountRow): Account {
  return {
    userId: row.user_id,
    username: row.username as Username,
    passwordHash: row.hash,
    roles: splitRoles(row.roles),
    locked: row.locked === 1,
    active: (row.active_kept ?? row.active) === 1,
    deletionAt: row.deletion_at,
    failedLogins: row.failed_logins,
    lockedUntil: row.locked_until,
    secondFactor: row.second_factor === 1,
    mustChange: row.must_change === 1,
    accessVersion: row.access_version,
    refreshVersion: row.refresh_version,
    createdAt: row.created_at,
    email: row.verified_email,
    language: row.language,
    isService: row.service === 1,
  }
}
