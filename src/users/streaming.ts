import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { User } from './user.ts'

/** Answers up to `limit` users of the slice, in id order. */
export type ReadSlice = (
  limit: number,
  from: { offset: number } | { afterId: number },
) => Promise<User[]>

export const batchSize = 500

/**
 * Users as JSON text between `before` and `after`, read in batches by key as fast as the client takes
 * them: memory stays flat, and no query holds the database. A failure midway ends the stream with
 * an error, which ends the connection; the array is never closed as if it were whole.
 */
export async function streamUsers(
  readSlice: ReadSlice,
  { offset, limit }: { offset: number; limit: number },
  { before, after }: { before: string; after: string },
): Promise<Readable> {
  // Before anything is answered: a failure here can still be told.
  let batch = await readSlice(Math.min(batchSize, limit), { offset })

  async function* text(): AsyncGenerator<string> {
    yield before
    let left = limit
    let separator = ''
    while (batch.length > 0) {
      yield separator + batch.map((user) => JSON.stringify(user)).join(',')
      separator = ','
      left -= batch.length
      const last = batch.at(-1)
      if (left <= 0 || !last) break
      await setImmediate() // a fast client is no reason to let the others wait for the whole list
      batch = await readSlice(Math.min(batchSize, left), { afterId: last.id })
    }
    yield after
  }
  return Readable.from(text(), { objectMode: false, highWaterMark: 65_536 })
}
