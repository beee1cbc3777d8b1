import type { EmailAddress } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import {
  confirmEarlierEnd,
  type Guard,
  lockName,
  takeExclusiveLocks,
  transact,
} from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Username } from '../../core/lib/username.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { type Account, isAdministrator } from '../authentication/account.ts'
import type { Stage } from '../authentication/requirement-table.ts'
import { assertAcceptablePassword } from '../passwords/rules.ts'
import { userCreated } from '../users/events.ts'
import type { NewUser } from '../users/user.ts'
import { insertUser, userEmail, userExists } from '../users/users.ts'
import {
  type AccountUpdate,
  changesOf,
  endedBy,
  endTokensWith,
  everything,
  type PasswordInput,
} from './account-update.ts'
import {
  accountDeletionCancelled,
  accountDeletionRequested,
  adminAction,
  fieldsOf,
  passwordChange,
  permissionsChange,
} from './events.ts'
import { userHasAccount } from './problems.ts'
import { standingStore } from './standing-store.ts'
import { accountStore } from './store.ts'

/** Spec 2.2, 3.4. */
export type Accounts = ReturnType<typeof createAccounts>

export interface AccountInput {
  readonly username: Username
  /** Null: login only through an identity provider. */
  readonly password: string | null
  readonly roles: readonly Role[]
  readonly mustChange: boolean
  readonly user: { readonly id: number } | NewUser
  readonly language?: string
  /** An account of a program, without password. */
  readonly isService?: boolean
  /** The identity provider that authenticated the owner. */
  readonly issuer?: string
  /** Runs in the same transaction. */
  readonly also?: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
}

export interface ChangeOptions {
  /** The session of the caller, which does not end. */
  readonly keepSession?: string | undefined
  /** Throws to reject the change. */
  readonly assertWanted?: ((current: Account) => void) | undefined
  /** Reauthorizes the caller in the transaction; absent on the command line. */
  readonly guard?: Guard | undefined
}

export interface OwnPassword extends PasswordInput, Omit<ChangeOptions, 'assertWanted'> {
  /** `commit` by default; `change` if a failed-login lockout must not block the owner. */
  readonly stage?: Stage
  /** Runs before the costly hash; throws to reject. */
  readonly prove?: () => Promise<void>
  /** Whether the keys of the account end, too. */
  readonly endsKeys?: boolean
  /** Runs first in the transaction; throws to reject. */
  readonly first?: (trx: DatabaseOrTransaction) => Promise<void>
  /** Runs in the same transaction. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

export interface EndOptions extends Omit<ChangeOptions, 'assertWanted'> {
  /** Runs in the same transaction, after the logins have ended. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

export interface RequestDeletionOptions
  extends Omit<ChangeOptions, 'assertWanted' | 'keepSession'> {
  readonly mail: (trx: DatabaseOrTransaction, account: Account) => Promise<number>
}

export interface FactorChange extends Omit<ChangeOptions, 'assertWanted'> {
  /** Returns whether the account has a factor afterwards. */
  readonly work: (trx: DatabaseOrTransaction) => Promise<boolean>
}

export interface AccountHooks {
  readonly ended: HookPoints['onAccountEnded']
  readonly changed: HookPoints['onAccountChanged']
}

type AccountsNeeds = Pick<
  Needs,
  'clock' | 'config' | 'db' | 'events' | 'isBreached' | 'passwords' | 'requirements'
>

export function createAccounts(deps: AccountsNeeds & { readonly hooks: AccountHooks }) {
  const { config, db, clock, events, passwords, hooks, requirements } = deps
  const { byUsername, byUserId, byEmail, page, after, count } = accountStore(db)
  const endTokens = endTokensWith(hooks.ended)

  return {
    byUsername,
    byUserId,
    byEmail,
    page,
    after,
    count,
    tally: () => standingStore(db).tally(config.roles),

    /** @throws ApiError as `prepare` */
    create: async (wanted: AccountInput): Promise<Account> => (await prepare(wanted))(),
    prepare,
    reread,

    /**
     * Also ends affected tokens and sessions. Null if not found. @throws ApiError validationFailed,
     * lastAdministrator
     */
    async change(
      userId: number,
      wanted: AccountUpdate,
      { keepSession, assertWanted, guard }: ChangeOptions = {},
    ): Promise<Account | null> {
      const account = await byUserId(userId)
      if (!account) return null
      if (wanted.password && account.isService) throw noPasswordOfService(account)
      const passwordHash = wanted.password && (await hashNew(account, wanted.password))
      const work = async (trx: DatabaseOrTransaction) => {
        const store = accountStore(trx)
        const before = await store.byUserId(userId)
        if (!before) return null
        assertWanted?.(before)
        await confirmEarlierEnd(trx) // for flags and roles that the account has already
        const changes = changesOf(wanted, passwordHash)
        if (isAdministrator(before) && !isAdministrator({ ...before, ...changes })) {
          await assertAnotherAdministrator(trx, userId)
        }
        await store.update(userId, changes, clock.now())
        await endTokens(trx, userId, endedBy(before, wanted), { keepSession })
        return recorded(trx, wanted, present(await store.byUserId(userId)))
      }
      return changing(userId, work, { lockNames: lockNamesOf(wanted), guard })
    },

    /**
     * For a caller whose current password was verified. @throws ApiError validationFailed,
     * invalidCredentials if the account has changed since
     */
    async replacePassword(
      verified: Account,
      { keepSession, endsKeys = false, guard, also, first, ...more }: OwnPassword,
    ): Promise<Account> {
      const { stage = 'commit', prove, ...password } = more
      const { userId } = verified
      const wanted: AccountUpdate = { password, mustChange: false }
      const passwordHash = await hashNew(verified, password, prove)
      const work = async (trx: DatabaseOrTransaction) => {
        await first?.(trx)
        const before = await reread(trx, verified, stage)
        await accountStore(trx).update(userId, changesOf(wanted, passwordHash), clock.now())
        await endTokens(trx, userId, endedBy(before, wanted), { keepSession, endsKeys })
        const after = present(await accountStore(trx).byUserId(userId))
        await events.emitInTransaction(trx, passwordChange, fieldsOf(after))
        await also?.(trx)
        return after
      }
      return changing(userId, work, { guard })
    },

    /** The keys end, too. False if the account does not exist. */
    async endLogins(
      userId: number,
      { keepSession, guard, also }: EndOptions = {},
    ): Promise<boolean> {
      const work = async (trx: DatabaseOrTransaction) => {
        if (!(await accountStore(trx).byUserId(userId))) return false
        await endTokens(trx, userId, everything, { keepSession, endsKeys: true })
        await also?.(trx)
        return true
      }
      return changing(userId, work, { guard })
    },

    /** For `factors` alone. Ends all other logins. */
    async changeSecondFactor(
      userId: number,
      { keepSession, guard, work }: FactorChange,
    ): Promise<void> {
      const change = async (trx: DatabaseOrTransaction) => {
        const secondFactor = await work(trx)
        await accountStore(trx).update(userId, { secondFactor }, clock.now())
        await endTokens(trx, userId, everything, { keepSession })
      }
      await changing(userId, change, { guard })
    },

    /**
     * Ends all logins. `mail` runs in the transaction and returns the time of erasure, epoch
     * milliseconds. @throws ApiError lastAdministrator, invalidCredentials if the account has changed
     */
    async requestDeletion(
      verified: Account,
      { guard, mail }: RequestDeletionOptions,
    ): Promise<number> {
      const { userId } = verified
      const work = async (trx: DatabaseOrTransaction) => {
        const before = await reread(trx, verified)
        if (isAdministrator(before)) await assertAnotherAdministrator(trx, userId)
        // Before the mail: a node of the previous version would otherwise revoke its link.
        await endTokens(trx, userId, everything, { endsKeys: true })
        const account = present(await accountStore(trx).byUserId(userId))
        const deletionAt = await mail(trx, account)
        await accountStore(trx).requestDeletion(userId, deletionAt)
        const payload = { ...fieldsOf(account), deletion_at: isoTime(deletionAt) }
        await events.emitInTransaction(trx, accountDeletionRequested, payload)
        return deletionAt
      }
      return changing(userId, work, { lockNames: [lockName.administrators], guard })
    },

    /** Keeps the flags that administrators set. Returns whether a deletion was pending. */
    async cancelDeletion(trx: DatabaseOrTransaction, userId: number): Promise<boolean> {
      const isBack = await accountStore(trx).cancelDeletion(userId)
      if (isBack) await events.emitInTransaction(trx, accountDeletionCancelled, { user_id: userId })
      return isBack
    },

    /** The users whose accounts are due for erasure. */
    dueDeletions: (limit: number) => accountStore(db).dueDeletions(clock.now(), limit),

    /** Keeps the user. @throws ApiError lastAdministrator */
    async remove(
      userId: number,
      { assertWanted, guard }: Omit<ChangeOptions, 'keepSession'> = {},
    ): Promise<Account | null> {
      const work = async (trx: DatabaseOrTransaction) => {
        const account = await accountStore(trx).byUserId(userId)
        if (!account) return null
        assertWanted?.(account)
        await removeAccount(trx, account)
        await events.emitInTransaction(trx, adminAction, {
          ...fieldsOf(account),
          what: 'account_deleted',
        })
        return account
      }
      return changing(userId, work, { lockNames: [lockName.administrators], guard })
    },

    /** @throws ApiError lastAdministrator */
    async removeWithUser(trx: DatabaseOrTransaction, userId: number): Promise<void> {
      await takeExclusiveLocks(trx, lockName.administrators, lockName.account(userId))
      const account = await accountStore(trx).byUserId(userId)
      if (account) await removeAccount(trx, account)
      await accountStore(trx).removeStaged([], [userId])
    },
  }

  /**
   * Reads a verified account again and checks the requirements of a stage. @throws ApiError of the
   * stage; invalidCredentials if the account does not exist
   */
  async function reread(
    trx: DatabaseOrTransaction,
    verified: Account,
    stage: Stage = 'change',
  ): Promise<Account> {
    const account = await accountStore(trx).byUserId(verified.userId)
    if (!account) {
      const reason = { code: 'account_gone', facts: { user_id: verified.userId } } as const
      throw new ApiError('invalidCredentials', { reason })
    }
    requirements.refuse(stage, { account, since: { now: account, before: verified } })
    return account
  }

  /**
   * Checks and hashes the password before the transaction. The returned function creates the
   * account. @throws ApiError validationFailed, userNotFound, usernameExists, userHasAccount
   */
  async function prepare({ username, password, roles, mustChange, user, ...more }: AccountInput) {
    const { also, isService = false, issuer, language = null } = more
    const email = 'id' in user ? await userEmail(db, user.id) : user.email
    if (password !== null) {
      await assertAcceptablePassword({ text: password, field: 'password', username, email }, deps)
    }
    // Avoids the costly hash; the unique index decides.
    if (await byUsername(username)) throw usernameTaken()
    const passwordHash = password === null ? null : await passwords.hash(password)
    const lockNames = [
      lockName.username(username),
      ...('id' in user ? [lockName.account(user.id)] : []),
    ]
    const make = async (trx: DatabaseOrTransaction) => {
      await takeExclusiveLocks(trx, ...lockNames)
      const store = accountStore(trx)
      const userId = 'id' in user ? await freeUser(trx, user.id) : (await insertUser(trx, user)).id
      const now = clock.now()
      const times = { createdAt: now, passwordChangedAt: passwordHash === null ? null : now }
      const account = {
        userId,
        username,
        passwordHash,
        roles,
        mustChange,
        language,
        isService,
        ...times,
      }
      await store.insert(account).catch((error: unknown) => {
        throw error instanceof UniqueViolation ? usernameTaken() : error
      })
      await also?.(trx, userId)
      const made = present(await store.byUserId(userId))
      const vouched = issuer === undefined ? {} : { issuer }
      const fields = { ...fieldsOf(made), ...vouched }
      await events.emitInTransaction(trx, userCreated, fields, { isNewPerson: !('id' in user) })
      return made
    }
    return (trx?: DatabaseOrTransaction) => (trx ? make(trx) : transact(db, lockNames, make))
  }

  /** @throws ApiError validationFailed */
  async function hashNew(
    { userId, username }: Pick<Account, 'userId' | 'username'>,
    password: PasswordInput,
    prove?: () => Promise<void>,
  ): Promise<string> {
    const email = await userEmail(db, userId)
    await assertAcceptablePassword({ ...password, username, email }, deps)
    await prove?.()
    return passwords.hash(password.text)
  }

  async function recorded(
    trx: DatabaseOrTransaction,
    { roles, locked, active, password, mustChange }: AccountUpdate,
    account: Account,
  ): Promise<Account> {
    const fields = fieldsOf(account)
    const changesPermissions = [roles, locked, active].some((wanted) => wanted !== undefined)
    if (changesPermissions) await events.emitInTransaction(trx, permissionsChange, fields)
    if (password !== undefined) {
      const reset = mustChange === true ? ({ what: 'reset' } as const) : {}
      await events.emitInTransaction(trx, passwordChange, { ...fields, ...reset })
    } else if (mustChange !== undefined) {
      await events.emitInTransaction(trx, adminAction, { ...fields, what: 'must_change' })
    }
    return account
  }

  /** Locks the account, then runs the `changed` hooks. */
  async function changing<T>(
    userId: number,
    work: (trx: DatabaseOrTransaction) => Promise<T>,
    { lockNames = [], guard }: { lockNames?: readonly string[]; guard?: Guard | undefined },
  ): Promise<T> {
    const done = await transact(db, [lockName.account(userId), ...lockNames], work, guard)
    await hooks.changed(userId)
    return done
  }

  async function removeAccount(trx: DatabaseOrTransaction, account: Account): Promise<void> {
    if (isAdministrator(account)) await assertAnotherAdministrator(trx, account.userId)
    await endTokens(trx, account.userId, everything, { isRemoved: true })
    await accountStore(trx).remove(account.userId)
  }
}

/** A change that could remove the last administrator locks all administrators. */
function lockNamesOf({ roles, locked, active }: AccountUpdate): string[] {
  return roles || locked === true || active === false ? [lockName.administrators] : []
}

/** The statements of other modules, in their transactions. */
export function accountsIn(
  trx: DatabaseOrTransaction,
): Pick<
  ReturnType<typeof accountStore>,
  'insertStaged' | 'lastPasswordLogin' | 'present' | 'presentAtLogin' | 'removeStaged' | 'update'
> {
  return accountStore(trx)
}

/**
 * As another product verified the address of an account that has none. @throws UniqueViolation if
 * another account has the address
 */
export function verifyEmailOf(
  trx: DatabaseOrTransaction,
  userId: number,
  address: EmailAddress,
  now: number,
): Promise<void> {
  return accountStore(trx).verifyEmail(userId, address, now)
}

/** Null if the account does not exist. */
export function accountIn(db: DatabaseOrTransaction, userId: number): Promise<Account | null> {
  return accountStore(db).byUserId(userId)
}

/** Includes locked accounts. */
export function isAdministratorsUser(db: DatabaseOrTransaction, userId: number): Promise<boolean> {
  return accountStore(db).hasRole(userId, 'ADMIN')
}

/** The last usable ADMIN can be neither deleted nor demoted. */
export async function isLastAdministrator(
  db: DatabaseOrTransaction,
  account: Account,
): Promise<boolean> {
  return isAdministrator(account) && !(await accountStore(db).hasOtherAdministrator(account.userId))
}

async function freeUser(trx: DatabaseOrTransaction, userId: number): Promise<number> {
  if (!(await userExists(trx, userId))) {
    throw new ApiError('userNotFound', { reason: { code: 'no_such_user' } })
  }
  if (await accountStore(trx).byUserId(userId)) {
    const reason = { code: 'user_has_account', facts: { user_id: userId } } as const
    throw new ApiError(userHasAccount, { reason })
  }
  return userId
}

async function assertAnotherAdministrator(
  trx: DatabaseOrTransaction,
  userId: number,
): Promise<void> {
  if (await accountStore(trx).hasOtherAdministrator(userId)) return
  const reason = { code: 'last_administrator', facts: { user_id: userId } } as const
  throw new ApiError('lastAdministrator', { reason })
}

function noPasswordOfService({ userId }: Account): ApiError {
  const facts = { user_id: userId, asked_of: 'change' }
  return new ApiError('accessDenied', { reason: { code: 'account_of_service', facts } })
}

function usernameTaken(): ApiError {
  return new ApiError('usernameExists', { reason: { code: 'username_taken' } })
}

function present(account: Account | null): Account {
  if (!account) throw new Error('an account vanished inside its own transaction')
  return account
}
