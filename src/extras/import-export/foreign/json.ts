import type { ReadRecord } from '../read-records.ts'
import { arrayElements, beginFile, jsonLines, refusedFile } from '../read-records.ts'

type Bytes = AsyncIterable<Uint8Array>
type Records = AsyncGenerator<ReadRecord[]>

const [bracket, brace, quote, backslash] = Buffer.from('[{"\\')
const [closingBracket, closingBrace] = Buffer.from(']}')
const blanks = new Set(Buffer.from(' \t\r\n'))

/** JSON Lines, or an array. */
export async function* jsonRecords(pieces: Bytes): Records {
  const { head, bytes, line, fault } = await beginFile(pieces)
  const [first] = head
  if (fault !== undefined) yield* refusedFile(bytes, line, fault)
  else if (first === bracket) yield* arrayElements(without(bytes, 1))
  else if (first === brace) yield* jsonLines(bytes, line)
  else yield* refusedFile(bytes, line, 'begins neither with "{" nor with "["')
}

/** The elements of one array of an object: `{..., "users": [...], ...}`. */
export async function* envelopeRecords(pieces: Bytes, key: string): Records {
  const { head, bytes, line, fault } = await beginFile(pieces)
  if (fault !== undefined || head[0] !== brace) {
    yield* refusedFile(bytes, line, fault ?? `must begin with "{" and have an array "${key}"`)
    return
  }
  const end = { byte: 0 }
  const array = await seek(watched(bytes, end), key)
  if (!array) {
    yield [{ line, details: [{ path: [], message: `has no array "${key}"` }] }]
    return
  }
  let last = 0
  for await (const records of arrayElements(array, { isEnvelope: true })) {
    last = records.at(-1)?.line ?? last
    yield records
  }
  if (end.byte !== closingBrace) {
    yield [{ line: last + 1, details: [{ path: [], message: 'the file is cut short: no "}"' }] }]
  }
}

/** Notes the last byte that is no blank. */
async function* watched(bytes: AsyncIterable<Buffer>, end: { byte: number }) {
  for await (const piece of bytes) {
    const at = piece.findLastIndex((byte) => !blanks.has(byte))
    if (at >= 0) end.byte = piece[at] ?? 0
    yield piece
  }
}

/** What follows the opening bracket of the array; undefined without one. Holds one key. */
async function seek(
  bytes: AsyncIterable<Buffer>,
  key: string,
): Promise<AsyncIterable<Buffer> | undefined> {
  const wanted = Buffer.from(key)
  const pieces = bytes[Symbol.asyncIterator]()
  let depth = 0
  let text: number[] = []
  let state: 'between' | 'in text' | 'escaped' = 'between'
  let isKey = false
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = next.value
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0
      if (state === 'escaped') state = 'in text'
      else if (state === 'in text') {
        if (byte === backslash) state = 'escaped'
        else if (byte === quote) state = 'between'
        if (state !== 'between' && text.length <= wanted.length) text.push(byte)
      } else if (byte === quote) {
        state = 'in text'
        text = []
        isKey = false
      } else if (byte === bracket && depth === 1 && isKey) {
        return rest(piece.subarray(at + 1), pieces)
      } else if (byte === brace || byte === bracket) depth += 1
      else if (byte === closingBrace || byte === closingBracket) depth -= 1
      else if (byte === colon) isKey = depth === 1 && wanted.equals(Buffer.from(text))
      else if (!blanks.has(byte)) isKey = false
    }
  }
  return undefined
}

const [colon] = Buffer.from(':')

async function* rest(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
  } finally {
    await pieces.return?.()
  }
}

async function* without(bytes: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count
  for await (const piece of bytes) {
    yield piece.subarray(left)
    left = 0
  }
}
