import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { isPresentAccount } from '../database/staged.ts'
import { forNoKeyUpdate } from '../database/transactions.ts'
import type { SliceStart } from '../http/routes/listing.ts'
import { type Asked, allowed } from './allowed.ts'
import type { Post } from './post.ts'

export interface NewPost {
  readonly title: string
  readonly body: string
  readonly authorId: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export type PostStore = ReturnType<typeof postStore>

export function postStore(db: DatabaseOrTransaction) {
  const posts = () =>
    db
      .selectFrom('posts')
      .leftJoin('accounts', (join) =>
        join.onRef('accounts.user_id', '=', 'posts.author_id').on(isPresentAccount),
      )
      .select([
        'posts.id',
        'posts.title',
        'posts.body',
        'posts.author_id as authorId',
        'accounts.username as author',
        'posts.locked',
        'posts.created_at as createdAt',
        'posts.updated_at as updatedAt',
      ])

  return {
    async byId(id: number): Promise<Post | null> {
      const row = await posts().where('posts.id', '=', id).executeTakeFirst()
      return row ? toPost(row) : null
    },

    /** The same inside a transaction: it stays so until the end. */
    async held(id: number): Promise<Post | null> {
      const row = await forNoKeyUpdate(
        db,
        'posts',
        posts().where('posts.id', '=', id),
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

    /**
     * False where the rule, or the lock that is there by now, does not let the caller, and where the
     * post is not as it was seen.
     */
    async update(
      { id, title, body, updatedAt }: Pick<Post, 'id' | 'title' | 'body' | 'updatedAt'>,
      asked: Asked,
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

    /** False where the rule does not let the caller, and where the post is not as it was seen. */
    async remove(id: number, asked: Asked, seen?: Post): Promise<boolean> {
      const row = await db
        .deleteFrom('posts')
        .where('id', '=', id)
        .where((eb) => eb.and([allowed(eb, asked), isAsSeen(eb, seen)]))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** False where there is no such post, and where it is not as it was seen. */
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

    /** How many posts there are; costs the same at any number. */
    async count(): Promise<number> {
      const row = await db
        .selectFrom('row_counts')
        .select('total')
        .where('name', '=', 'posts')
        .executeTakeFirstOrThrow()
      return row.total
    },

    /** Posts in id order from `offset`, or after an id. */
    async slice(limit: number, from: SliceStart): Promise<Post[]> {
      const query = posts().orderBy('posts.id')
      const rows =
        'afterId' in from
          ? await query.where('posts.id', '>', from.afterId).limit(limit).execute()
          : await query
              // Their ids first: passing over so many whole posts would take its time.
              .where('posts.id', 'in', (eb) =>
                eb.selectFrom('posts').select('id').orderBy('id').limit(limit).offset(from.offset),
              )
              .execute()
      return rows.map(toPost)
    },
  }
}

/** Whether a post is still what was shown, its author's name with it. */
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
