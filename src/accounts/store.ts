import { type ExpressionBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { DatabaseOrTransaction } from '../database/connect.ts'
import type { Schema } from '../database/schema.ts'
import { type Role, sortRoles } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'
import { type Account, splitRoles } from './account.ts'

export type NewAccount = Pick<
  Account,
  'userId' | 'username' | 'passwordHash' | 'roles' | 'mustChange' | 'createdAt'
>

export interface AccountChanges {
  readonly passwordHash?: string
  readonly roles?: readonly Role[]
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

/** An account that has failed to log in, for the automatic lock. */
export interface FailingAccount {
  readonly username: Username
  readonly failures: number
  /** Epoch milliseconds; null where it is not locked. */
  readonly lockedUntil: number | null
}

/** Counts of accounts. */
export interface AccountTally {
  readonly total: number
  readonly byRole: Readonly<Record<Role, number>>
  readonly locked: number
  readonly disabled: number
  readonly secondFactor: number
  readonly mustChange: number
}

export function accountStore(db: DatabaseOrTransaction) {
  const accounts = () =>
    db
      .selectFrom('accounts')
      .innerJoin('token_versions', 'token_versions.user_id', 'accounts.user_id')
      .selectAll('accounts')
      .select(['access_version', 'refresh_version'])

  const failing = (now: number) =>
    db
      .selectFrom('accounts')
      .where(isFailing)
      .where((eb) => eb.or([eb('failed_logins', '>', 0), eb('locked_until', '>', now)]))

  return {
    async byUsername(username: Username): Promise<Account | null> {
      const row = await accounts().where('username', '=', username).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async byUserId(userId: number): Promise<Account | null> {
      const row = await accounts().where('accounts.user_id', '=', userId).executeTakeFirst()
      return row ? toAccount(row) : null
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
      if (role) query = query.where('roles', 'like', `%${role}%`)
      if (active !== undefined) query = query.where('active', '=', Number(active))
      if (lockedAt !== undefined) {
        query = query.where((eb) =>
          eb.or([eb('locked', '=', 1), eb('locked_until', '>', lockedAt)]),
        )
      }
      const rows = await query.orderBy('accounts.user_id').limit(limit).execute()
      return rows.map(toAccount)
    },

    async count(): Promise<number> {
      const { total } = await db
        .selectFrom('accounts')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Read from an index alone. */
    async tally(): Promise<AccountTally> {
      const rows = await db
        .selectFrom('accounts')
        .select(['roles', 'locked', 'active', 'must_change', 'second_factor'])
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .groupBy(['roles', 'locked', 'active', 'must_change', 'second_factor'])
        .execute()
      const sum = (counts: (row: (typeof rows)[number]) => boolean) =>
        rows.reduce((so_far, row) => so_far + (counts(row) ? row.total : 0), 0)
      const having = (role: Role) => sum((row) => splitRoles(row.roles).includes(role))
      return {
        total: sum(() => true),
        byRole: { USER: having('USER'), EDITOR: having('EDITOR'), ADMIN: having('ADMIN') },
        locked: sum((row) => row.locked === 1),
        disabled: sum((row) => row.active === 0),
        secondFactor: sum((row) => row.second_factor === 1),
        mustChange: sum((row) => row.must_change === 1),
      }
    },

    async countLocked(now: number): Promise<number> {
      const { total } = await db
        .selectFrom('accounts')
        .where(isFailing)
        .where('locked_until', '>', now)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    async countFailing(now: number): Promise<number> {
      const { total } = await failing(now)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** The latest locks first, then whoever failed most. */
    async failing(now: number, offset: number, limit: number): Promise<FailingAccount[]> {
      const rows = await failing(now)
        .select(['username', 'failed_logins', 'locked_until'])
        .orderBy(
          (eb) =>
            eb.case().when('locked_until', '>', now).then(eb.ref('locked_until')).else(0).end(),
          'desc',
        )
        .orderBy('failed_logins', 'desc')
        .orderBy('user_id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map((row) => ({
        username: row.username as Username, // canonical since it was stored
        failures: row.failed_logins,
        lockedUntil: row.locked_until !== null && row.locked_until > now ? row.locked_until : null,
      }))
    },

    /** @throws UniqueViolation where the username is taken or the user has an account */
    async insert(account: NewAccount): Promise<void> {
      await db
        .insertInto('accounts')
        .values({
          user_id: account.userId,
          username: account.username,
          password_hash: account.passwordHash,
          roles: joinRoles(account.roles),
          must_change: Number(account.mustChange),
          created_at: account.createdAt,
          locked: 0,
          active: 1,
        })
        .execute()
      await db
        .insertInto('token_versions')
        .values({ user_id: account.userId, access_version: 1, refresh_version: 1 })
        .onConflict((conflict) => conflict.doNothing()) // of an earlier account of this user
        .execute()
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
        .where('roles', 'like', '%ADMIN%')
        .where('active', '=', 1)
        .where('locked', '=', 0)
        .where('user_id', '!=', userId)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

/** The very condition of the index accounts_failing, so that it is used. */
function isFailing(eb: ExpressionBuilder<Schema, 'accounts'>) {
  return eb.or([eb('failed_logins', '>', sql.lit(0)), eb('locked_until', 'is not', null)])
}

function joinRoles(roles: readonly Role[]): string {
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
