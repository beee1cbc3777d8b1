import type { Config } from '../../core/config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  clearPendingDeletion,
  hasManyTraces,
  hideUser,
  pendingDeletions,
  type Trace,
} from '../../core/database/pending-deletion.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  preconditionFailed,
} from '../../core/http/changes/resource.ts'
import type { SliceStart } from '../../core/http/lists/listing.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import { userCreated, userDeleted, userUpdated } from './events.ts'
import { createFindUsers } from './find-users.ts'
import type { Part } from './lists.ts'
import type { FindUsers } from './search.ts'
import { userStore } from './store.ts'
import type { NewUser, User, UserChanges } from './user.ts'

/** The users resource. Spec 2.1, 4.2. Ids are never given twice. */
export interface Users {
  byId(id: number): Promise<User | null>
  /** Creates a user, in a transaction of its own unless one is given. */
  create(user: NewUser, trx?: DatabaseOrTransaction): Promise<User>
  /** Whether the user has an account with the role ADMIN. */
  isPrivileged(id: number): Promise<boolean>
  /** Changes the given fields of a user; null if there is no such user. */
  merge(id: number, changes: UserChanges, checks?: Checks): Promise<User | null>
  /**
   * Removes a user with its account, sessions and tokens in one transaction; answers it as it was.
   * @throws ApiError lastAdministrator
   */
  remove(id: number, checks?: RemovalChecks): Promise<User | null>
  count(): Promise<number>
  slice(limit: number, from: SliceStart): Promise<User[]>
  list(part: Part): Promise<User[]>
  readonly find: FindUsers
  /**
   * A step of clearing what names removed users who had very much: up to `batchSize` rows. Answers
   * `batchSize` if there may be more to do, otherwise 0.
   */
  purgeRemoved(batchSize: number): Promise<number>
}

/** What must hold inside the transaction that changes a user. */
export interface Checks extends ChangeConditions<User> {
  /**
   * Refuses the change by throwing. It is called after the guard and before the precondition, with
   * whether the user has the account of an ADMIN at that moment.
   */
  readonly assertMay?: ((privileged: boolean) => void) | undefined
}

export interface RemovalChecks extends Omit<Checks, 'guard'> {
  readonly guard?: Guard | undefined
  /** Further work of the same transaction, after the user is gone. */
  readonly also?: ((trx: DatabaseOrTransaction) => Promise<unknown>) | undefined
}

/** The work of other modules when a user changes. */
export interface UserHooks {
  readonly isPrivileged: HookPoints['isPrivileged']
  /** May refuse by throwing. */
  readonly removing: HookPoints['onUserRemoved']
  /** The tables from which a removed user goes. */
  readonly traces: readonly Trace[]
  readonly changed: HookPoints['onUserChanged']
}

export interface UsersDeps {
  readonly config: Pick<Config, 'database'>
  readonly db: Database
  readonly asyncCommitDb: Database
  readonly events: Events
  readonly hooks: UserHooks
}

export function createUsers({ config, db, asyncCommitDb, events, hooks }: UsersDeps): Users {
  const store = userStore(db)
  async function make(trx: DatabaseOrTransaction, user: NewUser): Promise<User> {
    const made = await insertUser(trx, user)
    await events.emitInTransaction(trx, userCreated, { user_id: made.id })
    return made
  }

  return {
    byId: store.byId,
    count: store.count,
    slice: store.slice,
    list: store.list,
    find: createFindUsers(db, config.database),
    async purgeRemoved(batchSize) {
      if ((await pendingDeletions(db)).size === 0) return 0 // and no transaction each second
      const work = (trx: DatabaseOrTransaction) =>
        clearPendingDeletion(trx, hooks.traces, batchSize)
      return transact(asyncCommitDb, [lockName.removedUsers], work)
    },

    create: (user, trx) => (trx ? make(trx, user) : transact(db, [], (own) => make(own, user))),

    isPrivileged: (id) => hooks.isPrivileged(db, id),

    async merge(id, changes, checks = {}) {
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

    async remove(id, checks = {}) {
      const { also, assertMay, guard, isWanted } = checks
      // The `removing` hooks need these locks, which must be taken before the first read.
      const lockNames = [lockName.administrators, lockName.account(id)]
      const work = async (trx: DatabaseOrTransaction) => {
        const store = userStore(trx)
        if (assertMay) assertMay(await hooks.isPrivileged(trx, id))
        const removed = await changeAsSeen(checks, {
          lock: () => store.byIdForUpdate(id),
          async write(as, isLocked) {
            // Before the hooks refuse: 412 comes before 409.
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

/** Inserts a user inside the caller's transaction. */
export function insertUser(trx: DatabaseOrTransaction, user: NewUser): Promise<User> {
  return userStore(trx).insert(user)
}

/** Inserts staged users of an import, see `isPresentUser`; answers their ids in the order given. */
export function insertStagedUsers(
  trx: DatabaseOrTransaction,
  users: readonly NewUser[],
  importId: number,
): Promise<number[]> {
  return userStore(trx).insertStaged(users, importId)
}

/** Reads a user's e-mail address, which its password must not contain; undefined without a user. */
export async function userEmail(
  db: DatabaseOrTransaction,
  id: number,
): Promise<string | undefined> {
  return (await userStore(db).byId(id))?.email
}

/** Whether there is such a user; if so, it stays until the transaction ends. */
export async function userExists(trx: DatabaseOrTransaction, id: number): Promise<boolean> {
  return userStore(trx).existsForKeyShare(id)
}
