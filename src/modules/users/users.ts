import type { Config } from '../../core/config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  clearPendingDeletion,
  hasManyTraces,
  hideUser,
  pendingDeletions,
  type Trace,
} from '../../core/database/pending-deletion.ts'
import { type Guard, isPostgres, lockName, transact } from '../../core/database/transactions.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  preconditionFailed,
} from '../../core/http/changes/resource.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { userCreated, userDeleted, userUpdated } from './events.ts'
import type { FindUsers } from './lists.ts'
import { searchPostgres } from './search-postgres.ts'
import { searchSqlite } from './search-sqlite.ts'
import { userStore } from './store.ts'
import type { NewUser, User, UserChanges } from './user.ts'

/** Spec 2.1, 4.2. Ids are never reused. */
export type Users = ReturnType<typeof createUsers>

/** Checked inside the transaction. */
export interface Checks extends ChangeConditions<User> {
  /** Throws to reject. Called between guard and precondition, with the current ADMIN status. */
  readonly assertMay?: ((privileged: boolean) => void) | undefined
}

export interface RemovalChecks extends Omit<Checks, 'guard'> {
  readonly guard?: Guard | undefined
  /** Runs in the same transaction, after the removal. */
  readonly also?: ((trx: DatabaseOrTransaction) => Promise<unknown>) | undefined
}

/** Hooks of other modules. */
export interface UserHooks {
  readonly isPrivileged: HookPoints['isPrivileged']
  /** May throw to reject. */
  readonly removing: HookPoints['onUserRemoved']
  /** Tables with data of removed users. */
  readonly traces: readonly Trace[]
  readonly changed: HookPoints['onUserChanged']
}

export function createUsers({
  config,
  db,
  asyncCommitDb,
  events,
  hooks,
}: Pick<Deps, 'asyncCommitDb' | 'config' | 'db' | 'events'> & { readonly hooks: UserHooks }) {
  const store = userStore(db)
  async function make(trx: DatabaseOrTransaction, user: NewUser): Promise<User> {
    const made = await insertUser(trx, user)
    await events.emitInTransaction(trx, userCreated, { user_id: made.id }, { isNewPerson: true })
    return made
  }

  return {
    byId: store.byId,
    count: store.count,
    slice: store.slice,
    list: store.list,
    find: createFindUsers(db, config.database),
    /**
     * Clears up to `batchSize` rows of removed users with much data. Returns `batchSize` if more may
     * remain, else 0.
     */
    async purgeRemoved(batchSize: number): Promise<number> {
      if ((await pendingDeletions(db)).size === 0) return 0 // avoids a transaction every second
      const work = (trx: DatabaseOrTransaction) =>
        clearPendingDeletion(trx, hooks.traces, batchSize)
      return transact(asyncCommitDb, [lockName.removedUsers], work)
    },

    /** Default: a separate transaction. */
    create: (user: NewUser, trx?: DatabaseOrTransaction): Promise<User> =>
      trx ? make(trx, user) : transact(db, [], (own) => make(own, user)),

    /** The account has the role ADMIN. */
    isPrivileged: (id: number): Promise<boolean> => hooks.isPrivileged(db, id),

    /** Null if not found. */
    async merge(id: number, changes: UserChanges, checks: Checks = {}): Promise<User | null> {
      const { assertMay, guard, isWanted } = checks
      const work = async (trx: DatabaseOrTransaction) => {
        const store = userStore(trx)
        if (assertMay) assertMay(await hooks.isPrivileged(trx, id))
        const merged = await changeAsSeen(checks, {
          lock: () => store.byIdForUpdate(id),
          write: (as, isLocked) => store.merge(id, changes, isWanted && !isLocked ? as : undefined),
        })
        if (merged) await events.emitInTransaction(trx, userUpdated, { user_id: id })
        return merged
      }
      const user = await transact(db, assertMay ? [lockName.account(id)] : [], work, guard)
      await hooks.changed(id)
      return user
    },

    /**
     * Includes account, sessions and tokens, in one transaction. Returns the old user. @throws
     * ApiError lastAdministrator
     */
    async remove(id: number, checks: RemovalChecks = {}): Promise<User | null> {
      const { also, assertMay, guard, isWanted } = checks
      // Locks of the `removing` hooks, taken before the first read.
      const lockNames = [lockName.administrators, lockName.account(id)]
      const work = async (trx: DatabaseOrTransaction) => {
        const store = userStore(trx)
        if (assertMay) assertMay(await hooks.isPrivileged(trx, id))
        const removed = await changeAsSeen(checks, {
          lock: () => store.byIdForUpdate(id),
          async write(as, isLocked) {
            // 412 before 409 of the hooks.
            if (isLocked && isWanted?.(as) === false) throw preconditionFailed()
            await hooks.removing(trx, id)
            const seen = isWanted && !isLocked ? as : undefined
            if (!(await hasManyTraces(trx, hooks.traces, id))) return store.remove(id, seen)
            const found = await store.byIdForUpdate(id)
            if (!found || (seen && !isSameUser(found, seen))) return null
            await hideUser(trx, hooks.traces, id)
            return found
          },
        })
        if (removed) {
          await events.emitInTransaction(trx, userDeleted, { user_id: id })
          await also?.(trx)
        }
        return removed
      }
      const user = await transact(db, lockNames, work, guard)
      await hooks.changed(id)
      return user
    },
  }
}

function isSameUser(one: User, other: User): boolean {
  return one.name === other.name && one.email === other.email
}

export function insertUser(trx: DatabaseOrTransaction, user: NewUser): Promise<User> {
  return userStore(trx).insert(user)
}

/** See `isPresentUser`. Returns ids in the given order. */
export function insertStagedUsers(
  trx: DatabaseOrTransaction,
  users: readonly NewUser[],
  importId: number,
): Promise<number[]> {
  return userStore(trx).insertStaged(users, importId)
}

/** For the check that a password does not contain the address. */
export async function userEmail(
  db: DatabaseOrTransaction,
  id: number,
): Promise<string | undefined> {
  return (await userStore(db).byId(id))?.email
}

/** An existing user stays until the transaction ends. */
export async function userExists(trx: DatabaseOrTransaction, id: number): Promise<boolean> {
  return userStore(trx).existsForKeyShare(id)
}

export function createFindUsers(
  db: Database,
  { poolMax, timeoutMs }: Config['database'],
): FindUsers {
  return isPostgres(db) ? searchPostgres(db, poolMax) : searchSqlite(db, timeoutMs)
}
