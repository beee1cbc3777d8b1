import type { Config } from '../config.ts'
import type { Database, DatabaseOrTransaction } from '../database/connect.ts'
import { UniqueViolation } from '../database/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Role } from '../kernel/principal.ts'
import type { Username } from '../kernel/username.ts'
import type { NewUser } from '../users/user.ts'
import { insertUser, userExists } from '../users/users.ts'
import { type Account, isAdministrator, isUsable } from './account.ts'
import { assertAcceptablePassword } from './password-rules.ts'
import type { Passwords } from './passwords.ts'
import { type AccountChanges, accountStore } from './store.ts'

/** Accounts and what must stay true of them. Spec 2.2, 3.4; decisions.md section 8. */
export interface Accounts {
  byUsername(username: Username): Promise<Account | null>
  byUserId(userId: number): Promise<Account | null>
  page(offset: number, limit: number): Promise<Account[]>
  count(): Promise<number>
  /**
   * An account for a user that exists, or for one that is made with it.
   * @throws ApiError validationFailed, userNotFound, usernameExists, userHasAccount
   */
  create(wanted: WantedAccount): Promise<Account>
  /**
   * Changes an account, and ends what the change must end in the same transaction; null where it is
   * gone. `keepSession` names the session that goes on: the one that asked for the change.
   * @throws ApiError validationFailed, lastAdministrator
   */
  change(userId: number, wanted: WantedChange, keepSession?: string): Promise<Account | null>
  /** Removes the account and keeps the user. @throws ApiError lastAdministrator */
  remove(userId: number): Promise<Account | null>
  /** For whoever removes a user in a transaction of its own. @throws ApiError lastAdministrator */
  assertDispensable(trx: DatabaseOrTransaction, userId: number): Promise<void>
}

export interface WantedAccount {
  readonly username: Username
  readonly password: string
  readonly roles: readonly Role[]
  readonly mustChange: boolean
  readonly user: { readonly id: number } | NewUser
}

export interface WantedChange {
  readonly roles?: readonly Role[] | undefined
  readonly locked?: boolean | undefined
  readonly active?: boolean | undefined
  readonly mustChange?: boolean | undefined
  readonly password?: { readonly text: string; readonly field: string } | undefined
}

/** What other rooms do when an account ends its logins; filled by app.ts. */
export interface AccountHooks {
  /** Inside the transaction: end the sessions of the account, all but one. */
  readonly ending: readonly ((
    trx: DatabaseOrTransaction,
    userId: number,
    keepSession: string | undefined,
  ) => Promise<void>)[]
}

export interface AccountsDeps {
  readonly config: Pick<Config, 'password'>
  readonly db: Database
  readonly clock: Clock
  readonly passwords: Passwords
  readonly hooks: AccountHooks
}

export function createAccounts({ config, db, clock, passwords, hooks }: AccountsDeps): Accounts {
  const { byUsername, byUserId, page, count } = accountStore(db)

  return {
    byUsername,
    byUserId,
    page,
    count,

    async create({ username, password, roles, mustChange, user }) {
      assertAcceptablePassword(password, 'password', config)
      // Asked before the costly hash; the unique index has the last word.
      if (await byUsername(username)) throw new ApiError('usernameExists')
      const passwordHash = await passwords.hash(password)
      return db.transaction().execute(async (trx) => {
        const store = accountStore(trx)
        const userId =
          'id' in user ? await freeUser(trx, user.id) : (await insertUser(trx, user)).id
        const account = {
          userId,
          username,
          passwordHash,
          roles,
          mustChange,
          createdAt: clock.now(),
        }
        await store.insert(account).catch((error: unknown) => {
          throw error instanceof UniqueViolation ? new ApiError('usernameExists') : error
        })
        return present(await store.byUserId(userId))
      })
    },

    async change(userId, wanted, keepSession) {
      const { password } = wanted
      if (password) assertAcceptablePassword(password.text, password.field, config)
      const passwordHash = password && (await passwords.hash(password.text))
      return db.transaction().execute(async (trx) => {
        const store = accountStore(trx)
        const before = await store.byUserId(userId)
        if (!before) return null
        const changes = changesOf(before, wanted, passwordHash)
        if (isAdministrator(before) && !isAdministrator({ ...before, ...changes })) {
          await assertAnotherAdministrator(trx, userId)
        }
        await store.update(userId, changes)
        if (changes.endRefreshTokens) {
          for (const ending of hooks.ending) await ending(trx, userId, keepSession)
        }
        return present(await store.byUserId(userId))
      })
    },

    async remove(userId) {
      return db.transaction().execute(async (trx) => {
        const store = accountStore(trx)
        const account = await store.byUserId(userId)
        if (!account) return null
        if (isAdministrator(account)) await assertAnotherAdministrator(trx, userId)
        await store.remove(userId)
        return account
      })
    },

    async assertDispensable(trx, userId) {
      const account = await accountStore(trx).byUserId(userId)
      if (account && isAdministrator(account)) await assertAnotherAdministrator(trx, userId)
    },
  }
}

/**
 * What a change does to the tokens given out: a new role set ends access tokens alone, so that
 * /refresh shows the new roles (spec 4.1); a lock, a disabling or a new password ends all.
 */
function changesOf(
  before: Account,
  { roles, locked, active, mustChange }: WantedChange,
  passwordHash: string | undefined,
): AccountChanges {
  const ends =
    passwordHash !== undefined ||
    (locked === true && !before.locked) ||
    (active === false && before.active)
  return {
    ...(roles && { roles }),
    ...(locked !== undefined && { locked }),
    ...(active !== undefined && { active }),
    ...(mustChange !== undefined && { mustChange }),
    ...(passwordHash !== undefined && { passwordHash }),
    endAccessTokens: ends || (roles !== undefined && !sameRoles(roles, before.roles)),
    endRefreshTokens: ends,
  }
}

function sameRoles(left: readonly Role[], right: readonly Role[]): boolean {
  const names = new Set(left)
  return names.size === right.length && right.every((role) => names.has(role))
}

/**
 * For whoever gives out a login after a verification that took its time: whether the account is
 * still what was verified. @throws ApiError invalidCredentials where it was locked, disabled,
 * deleted or given another password meanwhile
 */
export async function reread(trx: DatabaseOrTransaction, verified: Account): Promise<Account> {
  const account = await accountStore(trx).byUserId(verified.userId)
  if (!account || !isUsable(account) || account.refreshVersion !== verified.refreshVersion) {
    throw new ApiError('invalidCredentials')
  }
  return account
}

async function freeUser(trx: DatabaseOrTransaction, userId: number): Promise<number> {
  if (!(await userExists(trx, userId))) throw new ApiError('userNotFound')
  if (await accountStore(trx).byUserId(userId)) throw new ApiError('userHasAccount')
  return userId
}

async function assertAnotherAdministrator(
  trx: DatabaseOrTransaction,
  userId: number,
): Promise<void> {
  if (!(await accountStore(trx).hasOtherAdministrator(userId)))
    throw new ApiError('lastAdministrator')
}

function present(account: Account | null): Account {
  if (!account) throw new Error('an account vanished inside its own transaction')
  return account
}
