import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { SliceStart } from '../http/routes/listing.ts'
import { type ChangeConditions, changeAsSeen } from '../http/routes/resource.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Principal, userIdOf } from '../kernel/principal.ts'
import { userExists } from '../users/users.ts'
import type { Asked } from './allowed.ts'
import { postCreated, postDeleted, postLocked, postUnlocked, postUpdated } from './events.ts'
import type { Post, PostChanges, PostText } from './post.ts'
import { type PostStore, postStore } from './store.ts'

/** The posts resource. Spec 2.7, 3.4, 4.3. Ids are never given twice. */
export interface Posts {
  byId(id: number): Promise<Post | null>
  count(): Promise<number>
  slice(limit: number, from: SliceStart): Promise<Post[]>
  /**
   * In the transaction of whoever asks. @throws ApiError accessDenied where the caller has no user, or
   * not any more
   */
  create(trx: DatabaseOrTransaction, text: PostText, caller: Principal): Promise<Post>
  /**
   * Merges what is given into the post. @throws ApiError postNotFound; accessDenied where the post, as
   * it is when it is written, is not the caller's to change; preconditionFailed
   */
  update(id: number, changes: PostChanges, how: ChangeOfPost): Promise<Post>
  /** Answers the post as it was. @throws ApiError as `update` does */
  remove(id: number, how: ChangeOfPost): Promise<Post>
  /**
   * Locks or unlocks; a second time changes nothing. @throws ApiError postNotFound,
   * preconditionFailed
   */
  setLocked(id: number, locked: boolean, how: ChangeConditions<Post>): Promise<Post>
}

/** The statement asks the rule once more: the lock may have changed meanwhile. */
export interface ChangeOfPost extends ChangeConditions<Post>, Asked {}

export interface PostsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
}

export function createPosts({ db, clock, events }: PostsDeps): Posts {
  const { byId, count, slice } = postStore(db)
  return {
    byId,
    count,
    slice,

    async create(trx, { title, body }, caller) {
      const authorId = authorIdOf(caller)
      if (!(await userExists(trx, authorId))) throw new ApiError('accessDenied')
      const id = await postStore(trx).insert({ title, body, authorId, createdAt: clock.now() })
      return recorded(trx, postCreated, await present(trx, id))
    },

    update(id, changes, how) {
      const isChange = changes.title !== undefined || changes.body !== undefined
      return changing(postUpdated, id, how, async (store, as, seen) => {
        const { title = as.title, body = as.body } = changes
        const updatedAt = isChange ? clock.now() : as.updatedAt
        const wanted = { ...as, title, body, updatedAt }
        return (await store.update(wanted, how, seen)) ? wanted : null
      })
    },

    remove(id, how) {
      return changing(postDeleted, id, how, async (store, as, seen) =>
        (await store.remove(id, how, seen)) ? as : null,
      )
    },

    setLocked(id, locked, how) {
      return changing(locked ? postLocked : postUnlocked, id, how, async (store, as, seen) =>
        (await store.setLocked(id, locked, seen)) ? { ...as, locked } : null,
      )
    },
  }

  /** `write` answers the post that follows from `as`; null where it is refused, or not as `seen`. */
  function changing(
    type: typeof postCreated,
    id: number,
    how: ChangeConditions<Post>,
    write: (store: PostStore, as: Post, seen: Post | undefined) => Promise<Post | null>,
  ): Promise<Post> {
    const work = async (trx: DatabaseOrTransaction) => {
      const store = postStore(trx)
      const changed = await changeAsSeen(how, {
        hold: () => store.held(id),
        write: (as, isHeld) => write(store, as, isHeld ? undefined : as),
      })
      return recorded(trx, type, found(changed))
    }
    return transact(db, [], work, how.guard)
  }

  async function recorded(
    trx: DatabaseOrTransaction,
    type: typeof postCreated,
    post: Post,
  ): Promise<Post> {
    await events.record(trx, type, { post_id: post.id, author_id: post.authorId })
    return post
  }
}

/** The user that a post of this caller belongs to. @throws ApiError accessDenied where it has none */
export function authorIdOf(caller: Principal): number {
  const id = userIdOf(caller)
  if (id === null) throw new ApiError('accessDenied')
  return id
}

async function present(trx: DatabaseOrTransaction, id: number): Promise<Post> {
  return found(await postStore(trx).byId(id))
}

function found(post: Post | null): Post {
  if (!post) throw new ApiError('postNotFound')
  return post
}
