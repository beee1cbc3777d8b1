import type { DatabaseOrTransaction } from '../database/database.ts'
import { isPresentAccount } from '../database/staged.ts'
import { forNoKeyUpdate } from '../database/transactions.ts'
import type { SliceStart } from '../http/routes/listing.ts'
import { type Asked, allowed } from './allowed.ts'
import type { Post, PostChanges } from './post.ts'

export interface NewPost {
  readonly title: string
  readonly body: string
  readonly authorId: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

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

    /** False where the rule, or the lock that is there by now, does not let the caller. */
    async update(
      id: number,
      { title, body, updatedAt }: PostChanges & { readonly updatedAt: number },
      asked: Asked,
    ): Promise<boolean> {
      const row = await db
        .updateTable('posts')
        .set({
          updated_at: updatedAt,
          ...(title !== undefined && { title }),
          ...(body !== undefined && { body }),
        })
        .where('id', '=', id)
        .where((eb) => allowed(eb, asked))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** False where the rule does not let the caller. */
    async remove(id: number, asked: Asked): Promise<boolean> {
      const row = await db
        .deleteFrom('posts')
        .where('id', '=', id)
        .where((eb) => allowed(eb, asked))
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    async setLocked(id: number, locked: boolean): Promise<void> {
      await db
        .updateTable('posts')
        .set({ locked: Number(locked) })
        .where('id', '=', id)
        .execute()
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

function toPost(row: Omit<Post, 'locked'> & { readonly locked: number }): Post {
  return { ...row, locked: row.locked === 1 }
}
