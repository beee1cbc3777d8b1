import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Reads the lines of a file as it is now: what a running service appends later is not read. Call it
 * before the snapshot is taken, so that the database has everything that the file has.
 * @throws Error if there is no such file
 */
export function linesOf(path: string): AsyncIterable<string> {
  const { size } = statSync(path)
  return {
    async *[Symbol.asyncIterator]() {
      if (size === 0) return
      const input = createReadStream(path, { end: size - 1 })
      yield* createInterface({ input, crlfDelay: Infinity })
    },
  }
}
