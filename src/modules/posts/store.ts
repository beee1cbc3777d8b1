import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isOnPage, minDeepOffset } from '../../core/database/list-query.ts'
import { isPendingDeletion } from '../../core/database/pending-deletion.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate } from '../../core/database/transactions.ts'
import type { SliceStart } from '../../core/http/lists/listing.ts'
import { type AccessRequest, allowed } from './allowed.ts'
import type { Post } from './post.ts'

export interface NewPost {
  readonly title: string
  readonly body: string
  readonly authorId: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

// Posts keep a deleted user's id until cleared. An author with an account exists.
const authorId = sql<number | null>`case
  when accounts.user_id is null and ${isPendingDeletion('posts.author_id')} then null
  else posts.author_id end`

const posts = (db: DatabaseOrTransaction) =>
  db
    .selectFrom('posts')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.user_id', '=', 'posts.author_id').on(isPresentAccount),
    )
    .select([
      'posts.id',
      'posts.title',
      'posts.body',
      'accounts.username as author',
      'posts.locked',
      'posts.created_at as createdAt',
      'posts.updated_at as updatedAt',
    ])
    .select(authorId.as('authorId'))

const byId = prepared((db, { id }: Parameters<{ id: number }>) =>
  posts(db).where('posts.id', '=', id),
)
const afterId = prepared((db, { id, limit }: Parameters<{ id: number; limit: number }>) =>
  posts(db).where('posts.id', '>', id).orderBy('posts.id').limit(limit),
)
// Skips ids in an index: faster than skipping posts.
const fromOffset = prepared(
  (db, { offset, limit }: Parameters<{ offset: number; limit: number }>) =>
    posts(db)
      .where('posts.id', 'in', (eb) =>
        eb.selectFrom('posts').select('id').orderBy('id').limit(limit).offset(offset),
      )
      .orderBy('posts.id'),
)
const deepPage = prepared((db, place: Parameters<{ offset: number; limit: number }>) =>
  posts(db)
    .where(isOnPage(db, { table: 'posts', id: 'id', count: 'posts' }, place))
    .orderBy('posts.id'),
)
const total = prepared((db) =>
  db.selectFrom('row_counts').select('total').where('name', '=', 'posts'),
)

export type PostStore = ReturnType<typeof postStore>

export function postStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: number): Promise<Post | null> {
      const row = await byId.first(db, { id })
      return row ? toPost(row) : null
    },

    /** Locks the row. */
    async byIdForUpdate(id: number): Promise<Post | null> {
      const row = await forNoKeyUpdate(
        db,
        'posts',
        posts(db).where('posts.id', '=', id),
      ).executeTakeFirst()
      return row ? toPost(row) : null
    },

    async insert({ title, body, authorId, createdAt }: NewPost): Promise<number> {
      const times = { created_at: createdAt, updated_at: createdAt }
      const { id } = await db
        .insertInto('posts')
        .values({ title, body, author_id: authorId, ...times })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** False if the rule denies (also by a new lock), or the post differs from `seen`. */
    async update(
      { id, title, body, updatedAt }: Pick<Post, 'id' | 'title' | 'body' | 'updatedAt'>,
      asked: AccessRequest,
      seen?: Post,
    ): Promise<boolean> {
      const row = await db
        .updateTable('posts')
        .set({ title, body, updated_at: updatedAt })
        .where('id', '=', id)
        .where((eb) => eb.and([allowed(eb, asked), isAsSeen(eb, seen)]))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** False if the rule denies, or the post differs from `seen`. */
    async remove(id: number, asked: AccessRequest, seen?: Post): Promise<boolean> {
      const row = await db
        .deleteFrom('posts')
        .where('id', '=', id)
        .where((eb) => eb.and([allowed(eb, asked), isAsSeen(eb, seen)]))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** False if missing, or different from `seen`. */
    async setLocked(id: number, locked: boolean, seen?: Post): Promise<boolean> {
      const row = await db
        .updateTable('posts')
        .set({ locked: Number(locked) })
        .where('id', '=', id)
        .where((eb) => isAsSeen(eb, seen))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Constant cost. */
    async count(): Promise<number> {
      return (await total.one(db, {})).total
    },

    /** By id, from `offset` or after an id. */
    async slice(limit: number, from: SliceStart): Promise<Post[]> {
      if ('afterId' in from) return (await afterId.all(db, { limit, id: from.afterId })).map(toPost)
      const { offset } = from
      const deep = offset < minDeepOffset ? [] : await deepPage.all(db, { limit, offset })
      const rows = deep.length > 0 ? deep : await fromOffset.all(db, { limit, offset })
      return rows.map(toPost)
    },
  }
}

/** Includes the author's name. */
function isAsSeen(
  eb: ExpressionBuilder<Schema, 'posts'>,
  seen: Post | undefined,
): Expression<SqlBool> {
  if (!seen) return eb.lit(true)
  const author = eb
    .selectFrom('accounts')
    .select('accounts.username')
    .whereRef('accounts.user_id', '=', 'posts.author_id')
    .where(isPresentAccount)
  return eb.and([
    eb('posts.title', '=', seen.title),
    eb('posts.body', '=', seen.body),
    eb('posts.author_id', 'is not distinct from', seen.authorId),
    eb(author, 'is not distinct from', seen.author),
    eb('posts.locked', '=', Number(seen.locked)),
    eb('posts.created_at', '=', seen.createdAt),
    eb('posts.updated_at', '=', seen.updatedAt),
  ])
}

function toPost(row: Omit<Post, 'locked'> & { readonly locked: number }): Post {
  return { ...row, locked: row.locked === 1 }
}
