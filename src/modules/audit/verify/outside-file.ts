import { createReadStream, statSync } from 'node:fs'
import { maxLineBytes } from '../outside/file-sink.ts'

const newline = 10
// No JSON, so that it counts as a line without a checkpoint.
const tooLong = '(a line that is too long)'

/**
 * Reads the lines of a file as it is now: what a running service appends later is not read. Call it
 * before the snapshot is taken, so that the database has everything that the file has. In place of
 * a line of more than `maxLineBytes`, which no service has written, it answers a short text, so that
 * a file of one endless line fills no memory. @throws Error if there is no such file
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
