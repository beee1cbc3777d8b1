import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Bytes } from './chunks.ts'

/** Reads the lines of the gzipped body of a backup, without their line ends, from the first `next` on. */
export async function* linesOf(body: () => Bytes): AsyncGenerator<string> {
  // An error of one stream ends both, and the reader receives it.
  yield* split(pipeline(Readable.from(body()), createGunzip(), () => {}))
}

// node:readline also ends lines at U+2028, which JSON does not escape.
async function* split(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest + decoder.decode() !== '') throw new Error('the last line of the backup has no end')
}
