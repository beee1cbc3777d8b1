import { createReadStream, statSync } from 'node:fs'
import { maxLineBytes } from '../outside/file-sink.ts'

const newline = 10
// Not JSON, so no checkpoint.
const tooLong = '(a line that is too long)'

/** Null if the file is missing. */
export function linesOutside(path: string | null): AsyncIterable<string> | null {
  return path === null ? null : linesOf(path)
}

/**
 * Reads up to the current end. Call before the snapshot, so that the database has all checkpoints
 * of the file. Replaces oversized lines, so that an endless line cannot fill the memory. @throws
 * Error if missing
 */
export function linesOf(path: string, maxBytes = maxLineBytes): AsyncIterable<string> {
  const { size } = statSync(path)
  return {
    async *[Symbol.asyncIterator]() {
      if (size === 0) return
      let parts: Buffer[] = []
      let bytes = 0
      const take = (part: Buffer) => {
        bytes += part.length
        if (bytes <= maxBytes) parts.push(part)
        else parts = []
      }
      const end = () => {
        const text = bytes > maxBytes ? tooLong : Buffer.concat(parts).toString()
        parts = []
        bytes = 0
        return text.endsWith('\r') ? text.slice(0, -1) : text
      }
      for await (const chunk of createReadStream(path, { end: size - 1 })) {
        const block: Buffer = chunk // no encoding is set
        let from = 0
        for (let at = block.indexOf(newline); at >= 0; at = block.indexOf(newline, from)) {
          take(block.subarray(from, at))
          yield end()
          from = at + 1
        }
        take(block.subarray(from))
      }
      if (bytes > 0) yield end()
    },
  }
}
