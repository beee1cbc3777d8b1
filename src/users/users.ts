import type { Config } from '../config.ts'
import type { Database, DatabaseOrTransaction } from '../database/connect.ts'
import { transact, word } from '../database/transactions.ts'
import type { SliceStart } from '../http/listing.ts'
import { createFindUsers, type FindUsers } from './search.ts'
import { type Part, userStore } from './store.ts'
import type { NewUser, User, UserChanges } from './user.ts'

/** The users resource. Spec 2.1, 4.2. Ids are never given twice. */
export interface Users {
  byId(id: number): Promise<User | null>
  create(user: NewUser): Promise<User>
  /** Merges what is given into the record; null where there is no such user. */
  merge(id: number, changes: UserChanges, assertWanted?: AssertWanted): Promise<User | null>
  /**
   * Removes a user with its account, sessions and tokens in one transaction; answers it as it was.
   * @throws ApiError lastAdministrator
   */
  remove(id: number, assertWanted?: AssertWanted): Promise<User | null>
  count(): Promise<number>
  slice(limit: number, from: SliceStart): Promise<User[]>
  list(part: Part): Promise<User[]>
  readonly find: FindUsers
}

/** Looks at the user as it is, inside the transaction; refuses by throwing. */
export type AssertWanted = (current: User) => void

/** What other rooms do when a user changes; filled by services.ts, so that this room knows none of them. */
export interface UserHooks {
  /** Inside the transaction, before the user goes; may refuse by throwing. */
  readonly removing: readonly ((trx: DatabaseOrTransaction, id: number) => Promise<void>)[]
  /** After a user was changed or removed. */
  readonly changed: readonly ((id: number) => void)[]
}

export interface UsersDeps {
  readonly config: Pick<Config, 'database'>
  readonly db: Database
  readonly hooks: UserHooks
}

export function createUsers({ config, db, hooks }: UsersDeps): Users {
  const store = userStore(db)
  const tell = (id: number) => {
    for (const changed of hooks.changed) changed(id)
  }
  return {
    byId: store.byId,
    create: store.insert,
    count: store.count,
    slice: store.slice,
    list: store.list,
    find: createFindUsers(db, config.database),

    async merge(id, changes, assertWanted) {
      const user = assertWanted
        ? await transact(db, [], async (trx) => {
            await look(trx, id, assertWanted)
            return userStore(trx).merge(id, changes)
          })
        : await store.merge(id, changes)
      tell(id)
      return user
    },

    async remove(id, assertWanted) {
      // What those who go with the user ask for, before anything is read.
      const words = [word.administrators, word.account(id)]
      const user = await transact(db, words, async (trx) => {
        const user = await userStore(trx).held(id)
        if (!user) return null
        assertWanted?.(user)
        for (const removing of hooks.removing) await removing(trx, id)
        return userStore(trx).remove(id)
      })
      tell(id)
      return user
    },
  }
}

async function look(
  trx: DatabaseOrTransaction,
  id: number,
  assertWanted: AssertWanted,
): Promise<void> {
  const user = await userStore(trx).held(id)
  if (user) assertWanted(user)
}

/** Makes a user inside the transaction of whoever needs one. */
export function insertUser(trx: DatabaseOrTransaction, user: NewUser): Promise<User> {
  return userStore(trx).insert(user)
}

/** Makes the users of an import, see `isPresentUser`; answers their ids in the order given. */
export function insertUnseenUsers(
  trx: DatabaseOrTransaction,
  users: readonly NewUser[],
  importId: number,
): Promise<number[]> {
  return userStore(trx).insertUnseen(users, importId)
}

/** What a user's new password must not hold; undefined where there is no such user. */
export async function userEmail(
  db: DatabaseOrTransaction,
  id: number,
): Promise<string | undefined> {
  return (await userStore(db).byId(id))?.email
}

/** Whether there is such a user, inside a transaction: then it is there until the end. */
export async function userExists(trx: DatabaseOrTransaction, id: number): Promise<boolean> {
  return userStore(trx).keeps(id)
}
