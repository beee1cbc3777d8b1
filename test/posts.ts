import type { TestApp } from './app.ts'

interface Seed {
  readonly authorId?: number | null
  readonly locked?: boolean
  readonly title?: string
}

const batchSize = 1000

/** Inserts posts in few statements; answers their ids. */
export async function seedPosts(
  { deps }: Pick<TestApp, 'deps'>,
  count: number,
  { authorId = 1, locked = false, title }: Seed = {},
): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const rows = Array.from({ length: Math.min(batchSize, count - ids.length) }, (_, index) => ({
      title: title ?? `Title ${ids.length + index}`,
      body: `"Body"\\ 😀 ${ids.length + index}`,
      author_id: authorId,
      locked: Number(locked),
      created_at: deps.clock.now(),
      updated_at: deps.clock.now(),
    }))
    const made = await deps.db.insertInto('posts').values(rows).returning('id').execute()
    ids.push(...made.map(({ id }) => id))
  }
  return ids
}
