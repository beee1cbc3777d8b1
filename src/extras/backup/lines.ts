import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Bytes } from './chunks.ts'

/** Lazy; without line ends. */
export async function* linesOf(body: () => Bytes): AsyncGenerator<string> {
  // An error of either stream reaches the reader.
  yield* split(pipeline(Readable.from(body()), createGunzip(), () => {}))
}

// node:readline also splits at U+2028, which JSON does not escape.
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
