import type { Detail } from '../../core/errors.ts'
import { columns, type Header, readHeader, readRow, rowEnd, separatorOf } from './csv.ts'
import type { ForeignExtras } from './foreign-extras.ts'
import {
  elementEnd,
  lineEnd,
  maxRecordBytes,
  newline,
  newlinesIn,
  splitRecords,
} from './records.ts'

export type ReadRecord = {
  /** From 1: the first line, or the array index. */
  readonly line: number
} & (
  | {
      readonly value: unknown
      /** Of the export of another product. */
      readonly extras?: ForeignExtras
    }
  | { readonly details: readonly Detail[] }
)

export interface ReadOptions {
  /** The format if the content shows none. */
  readonly otherwise: FileFormat
  readonly required: readonly string[]
  readonly onIgnored: (columns: readonly string[]) => void
}

export type FileFormat = 'json' | 'csv'

/**
 * The content decides the format: a bracket begins a JSON array, a brace JSON Lines, and CSV names
 * a column `username`. Skips blank lines and a byte order mark.
 */
export async function* readRecords(
  pieces: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<ReadRecord[]> {
  const { head, line, rest } = await begin(pieces)
  const [first] = head
  if (first === bracket) return yield* arrayElements(joined(head.subarray(1), rest))
  const bytes = joined(head, rest)
  if (isUtf16(head)) return yield* refusedFile(bytes, line, utf16)
  const separator = first === brace ? undefined : separatorOf(firstLineOf(head))
  const isTable = separator !== undefined || (first !== brace && options.otherwise === 'csv')
  yield* isTable ? rows(bytes, line, separator ?? ',', options) : jsonLines(bytes, line)
}

/** For other readers: the first bytes, all bytes, and why the file is none of text. */
export async function beginFile(pieces: AsyncIterable<Uint8Array>) {
  const { head, line, rest } = await begin(pieces)
  return { head, line, bytes: joined(head, rest), fault: binaryFault(head) }
}

function binaryFault(head: Buffer): string | undefined {
  const isPacked = packed.some((magic) => head.subarray(0, magic.length).equals(magic))
  if (isPacked) return 'is a compressed file: unpack it first'
  return isUtf16(head) || head.subarray(0, 4).includes(0) ? utf16 : undefined
}

const utf16 = 'is UTF-16: save the file as UTF-8'
// gzip, zip, zstd, xz, bzip2
const packed = ['1f8b', '504b0304', '28b52ffd', 'fd377a58', '425a68'].map((magic) =>
  Buffer.from(magic, 'hex'),
)
const [bracket, brace] = Buffer.from('[{')
const blanks = new Set(Buffer.from(' \t\r\n'))
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

interface Begin {
  /** From the first non-blank byte; empty for a blank file. */
  readonly head: Buffer
  /** The line where `head` begins. */
  readonly line: number
  readonly rest: AsyncIterator<Uint8Array>
}

async function begin(pieces: AsyncIterable<Uint8Array>): Promise<Begin> {
  const rest = pieces[Symbol.asyncIterator]()
  const { head, line } = await skipBlanks(rest)
  const [first] = head
  const parts: Uint8Array[] = [head]
  let { length } = head
  let isTold = first === bracket || first === brace || head.includes(newline)
  while (!isTold && length <= maxRecordBytes) {
    const { done = false, value } = await rest.next()
    if (done) break
    parts.push(value)
    length += value.length
    isTold = value.includes(newline)
  }
  return { head: Buffer.concat(parts), line, rest }
}

async function skipBlanks(rest: AsyncIterator<Uint8Array>): Promise<Pick<Begin, 'head' | 'line'>> {
  let head: Buffer = Buffer.alloc(0)
  let line = 1
  let isMarkRead = false
  for (;;) {
    const { done = false, value } = await rest.next()
    if (!done) head = Buffer.concat([head, value])
    if (!isMarkRead && (done || head.length >= byteOrderMark.length)) {
      isMarkRead = true
      if (head.subarray(0, byteOrderMark.length).equals(byteOrderMark)) head = head.subarray(3)
    }
    if (isMarkRead) {
      const begins = head.findIndex((byte) => !blanks.has(byte))
      const blank = head.subarray(0, begins < 0 ? undefined : begins)
      line += newlinesIn(blank)
      head = head.subarray(blank.length)
    }
    if (done || (isMarkRead && head.length > 0)) return { head, line }
  }
}

function isUtf16(head: Buffer): boolean {
  const [first, second] = head
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function firstLineOf(head: Buffer): string {
  const end = head.indexOf(newline)
  return head.subarray(0, end < 0 ? undefined : end).toString('latin1')
}

async function* joined(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      const { buffer, byteLength, byteOffset } = next.value
      yield Buffer.from(buffer, byteOffset, byteLength)
    }
  } finally {
    await rest.return?.()
  }
}

export async function* jsonLines(
  bytes: AsyncIterable<Buffer>,
  from: number,
): AsyncGenerator<ReadRecord[]> {
  for await (const records of splitRecords(bytes, lineEnd, from)) {
    yield records.flatMap(({ line, refusal = 'cannot be read', text }) => {
      if (text === undefined) return fault(line, refusal)
      return text.trim() === '' ? [] : jsonOf(line, text)
    })
  }
}

/** After the opening bracket. An envelope is an object, which goes on after its array. */
export async function* arrayElements(
  bytes: AsyncIterable<Buffer>,
  { isEnvelope = false }: { readonly isEnvelope?: boolean } = {},
): AsyncGenerator<ReadRecord[]> {
  const { endOf, isClosed } = elementEnd()
  let line = 0
  let isEnded = false
  for await (const records of splitRecords(bytes, endOf)) {
    const isEmpty =
      line === 0 && records.length === 1 && isClosed() && records[0]?.text?.trim() === ''
    if (isEmpty) continue
    yield records.flatMap(({ isLast, refusal, text }): ReadRecord[] | ReadRecord => {
      if (isLast && isClosed()) {
        const isOver = isEnvelope || text?.trim() === ''
        return isOver ? [] : fault(line + 1, 'follows the end of the array')
      }
      line += 1
      if (isLast) isEnded = true
      if (text === undefined) return fault(line, refusal ?? 'cannot be read')
      const read = jsonOf(line, text)
      return isLast && 'value' in read ? fault(line, noEnd) : read
    })
  }
  if (!isClosed() && !isEnded) yield [fault(line + 1, noEnd)]
}

const noEnd = 'is followed by no "]"'

async function* rows(
  bytes: AsyncIterable<Buffer>,
  from: number,
  separator: NonNullable<ReturnType<typeof separatorOf>>,
  { onIgnored, required }: ReadOptions,
): AsyncGenerator<ReadRecord[]> {
  let header: Header | undefined
  for await (const records of splitRecords(bytes, rowEnd(separator), from)) {
    const read: ReadRecord[] = []
    for (const { line, refusal, text } of records) {
      if (header && header.details.length > 0) continue // no row is readable
      if (header) {
        if (text === undefined) {
          read.push(fault(line, `${refusal}, or has a quote that is never closed`))
          continue
        }
        const row = readRow(text, separator, header.names)
        if (row) read.push({ line, ...row })
        continue
      }
      header = readHeader(text ?? '', separator, { known: columns, required })
      if (text === undefined) read.push(fault(line, refusal ?? 'cannot be read'))
      else if (header.details.length > 0) read.push({ line, details: header.details })
      else onIgnored(header.ignored)
    }
    yield read
  }
}

/** Rejects the file, but reads to its end. */
export async function* refusedFile(
  bytes: AsyncIterable<Buffer>,
  line: number,
  message: string,
): AsyncGenerator<ReadRecord[]> {
  yield [fault(line, message)]
  for await (const _ of bytes) yield []
}

function fault(line: number, message: string): ReadRecord {
  return { line, details: [{ path: [], message }] }
}

function jsonOf(line: number, text: string): ReadRecord {
  try {
    return { line, value: JSON.parse(text) }
  } catch {
    return fault(line, 'is no JSON')
  }
}
