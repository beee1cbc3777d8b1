import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import {
  type ChangeConditions,
  changeAsSeen,
  goneMeanwhile,
} from '../../core/http/changes/resource.ts'
import { type Principal, userIdOf } from '../../core/policy/principal.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { userExists } from '../users/users.ts'
import type { AccessRequest } from './allowed.ts'
import { postCreated, postDeleted, postLocked, postUnlocked, postUpdated } from './events.ts'
import type { Post, PostChanges, PostText } from './post.ts'
import { postNotFound } from './problems.ts'
import { type PostStore, postStore } from './store.ts'

/** Spec 2.7, 3.4, 4.3. Ids are never reused. */
export type Posts = ReturnType<typeof createPosts>

/** The statement applies the rule again: the lock may have changed. */
export interface ChangeOfPost extends ChangeConditions<Post>, AccessRequest {}

export function createPosts({ db, clock, events }: Pick<Deps, 'clock' | 'db' | 'events'>) {
  const { byId, count, slice } = postStore(db)
  return {
    byId,
    count,
    slice,

    /** @throws ApiError accessDenied if the caller has no user, or a deleted user */
    async create(
      trx: DatabaseOrTransaction,
      { title, body }: PostText,
      caller: Principal,
    ): Promise<Post> {
      const authorId = authorIdOf(caller)
      if (!(await userExists(trx, authorId))) {
        const reason = { code: 'author_gone', facts: { user_id: authorId } } as const
        throw new ApiError('accessDenied', { reason })
      }
      const id = await postStore(trx).insert({ title, body, authorId, createdAt: clock.now() })
      return recorded(trx, postCreated, found(await postStore(trx).byId(id)))
    },

    /**
     * @throws ApiError postNotFound; accessDenied by the rule at the time of writing;
     * preconditionFailed
     */
    update(id: number, changes: PostChanges, how: ChangeOfPost): Promise<Post> {
      const isChange = changes.title !== undefined || changes.body !== undefined
      return changing(postUpdated, id, how, async (store, as, seen) => {
        const { title = as.title, body = as.body } = changes
        const updatedAt = isChange ? clock.now() : as.updatedAt
        const wanted = { ...as, title, body, updatedAt }
        return (await store.update(wanted, how, seen)) ? wanted : null
      })
    },

    /** Returns the deleted post. @throws ApiError as `update` */
    remove(id: number, how: ChangeOfPost): Promise<Post> {
      return changing(postDeleted, id, how, async (store, as, seen) =>
        (await store.remove(id, how, seen)) ? as : null,
      )
    },

    /** Idempotent. @throws ApiError postNotFound, preconditionFailed */
    setLocked(id: number, locked: boolean, how: ChangeConditions<Post>): Promise<Post> {
      return changing(locked ? postLocked : postUnlocked, id, how, async (store, as, seen) =>
        (await store.setLocked(id, locked, seen)) ? { ...as, locked } : null,
      )
    },
  }

  /** Null if the rule denies, or `seen` has changed. */
  function changing(
    type: typeof postCreated,
    id: number,
    how: ChangeConditions<Post>,
    write: (store: PostStore, as: Post, seen: Post | undefined) => Promise<Post | null>,
  ): Promise<Post> {
    const work = async (trx: DatabaseOrTransaction) => {
      const store = postStore(trx)
      const changed = await changeAsSeen(how, {
        lock: () => store.byIdForUpdate(id),
        write: (as, isLocked) => write(store, as, isLocked ? undefined : as),
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
    await events.emitInTransaction(trx, type, { post_id: post.id, author_id: post.authorId })
    return post
  }
}

/** @throws ApiError accessDenied without a user */
export function authorIdOf(caller: Principal): number {
  const id = userIdOf(caller)
  if (id === null) throw new ApiError('accessDenied', { reason: { code: 'author_needed' } })
  return id
}

function found(post: Post | null): Post {
  if (!post) throw goneMeanwhile(postNotFound)
  return post
}
