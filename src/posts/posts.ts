import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { SliceStart } from '../http/routes/listing.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Principal, userIdOf } from '../kernel/principal.ts'
import { userExists } from '../users/users.ts'
import type { Asked } from './allowed.ts'
import { postCreated, postDeleted, postLocked, postUnlocked, postUpdated } from './events.ts'
import type { Post, PostChanges, PostText } from './post.ts'
import { postStore } from './store.ts'

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
   * it is when it is written, is not the caller's to change; whatever `assertWanted` throws
   */
  update(id: number, changes: PostChanges, asked: AskedOfPost): Promise<Post>
  /** Answers the post as it was. @throws ApiError as `update` does */
  remove(id: number, asked: AskedOfPost): Promise<Post>
  /**
   * Locks or unlocks; a second time changes nothing. @throws ApiError postNotFound; whatever
   * `assertWanted` throws
   */
  setLocked(
    id: number,
    locked: boolean,
    how: { readonly assertWanted: AssertWanted | undefined; readonly guard: Guard | undefined },
  ): Promise<Post>
}

/** Looks at the post as it is, inside the transaction; refuses by throwing. */
type AssertWanted = (current: Post) => void

export interface AskedOfPost extends Asked {
  readonly assertWanted?: AssertWanted | undefined
  /** Judges the caller in the same transaction. */
  readonly guard: Guard | undefined
}

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

    update(id, changes, { assertWanted, guard, ...asked }) {
      const work = async (trx: DatabaseOrTransaction) => {
        const before = await held(trx, id)
        const isChange = changes.title !== undefined || changes.body !== undefined
        const updatedAt = isChange ? clock.now() : before.updatedAt
        const isDone = await postStore(trx).update(id, { ...changes, updatedAt }, asked)
        if (!isDone) throw new ApiError('accessDenied')
        assertWanted?.(before) // 403 comes before 412
        return recorded(trx, postUpdated, await present(trx, id))
      }
      return transact(db, [], work, guard)
    },

    remove(id, { assertWanted, guard, ...asked }) {
      const work = async (trx: DatabaseOrTransaction) => {
        const before = await held(trx, id)
        if (!(await postStore(trx).remove(id, asked))) throw new ApiError('accessDenied')
        assertWanted?.(before)
        return recorded(trx, postDeleted, before)
      }
      return transact(db, [], work, guard)
    },

    setLocked(id, locked, { assertWanted, guard }) {
      const work = async (trx: DatabaseOrTransaction) => {
        assertWanted?.(await held(trx, id))
        await postStore(trx).setLocked(id, locked)
        return recorded(trx, locked ? postLocked : postUnlocked, await present(trx, id))
      }
      return transact(db, [], work, guard)
    },
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

/** As it is, and stays until the transaction ends. @throws ApiError postNotFound */
async function held(trx: DatabaseOrTransaction, id: number): Promise<Post> {
  return found(await postStore(trx).held(id))
}

async function present(trx: DatabaseOrTransaction, id: number): Promise<Post> {
  return found(await postStore(trx).byId(id))
}

function found(post: Post | null): Post {
  if (!post) throw new ApiError('postNotFound')
  return post
}
