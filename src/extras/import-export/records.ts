import { isAscii } from 'node:buffer'

export interface RawRecord {
  /** The first line, from 1, blank lines included. */
  readonly line: number
  /** Undefined if too long or not UTF-8. */
  readonly text: string | undefined
  readonly refusal?: string
  /** Whether the end of file ended the record. */
  readonly isLast: boolean
}

/**
 * Returns the index of the byte that ends the current record, or -1 if the record continues.
 * Stateful.
 */
export type RecordEnd = (bytes: Buffer, from: number) => number

export const maxRecordBytes = 65_536

export const newline = 10
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A carriage return before the line feed belongs to the line end. */
export const lineEnd: RecordEnd = (bytes, from) => bytes.indexOf(newline, from)

/**
 * Holds one record in memory; skips oversized records.
 * @param line the first line number
 */
export async function* splitRecords(
  pieces: AsyncIterable<Buffer>,
  endOf: RecordEnd,
  line = 1,
): AsyncGenerator<RawRecord[]> {
  let here = line
  let begun = line
  let parts: Buffer[] = []
  let length = 0
  const recordOf = (isLast: boolean): RawRecord => ({
    ...{ line: begun, isLast },
    ...textOf(parts, length),
  })
  for await (const bytes of pieces) {
    const records: RawRecord[] = []
    let from = 0
    for (;;) {
      const to = endOf(bytes, from)
      const part = bytes.subarray(from, to < 0 ? undefined : to)
      length += part.length
      here += newlinesIn(part)
      // Bytes of oversized records are only counted.
      if (length <= maxRecordBytes) parts.push(to < 0 ? Buffer.from(part) : part)
      if (to < 0) break
      records.push(recordOf(false))
      if (bytes[to] === newline) here += 1
      begun = here
      parts = []
      length = 0
      from = to + 1
    }
    if (records.length > 0) yield records
  }
  if (length > 0) yield [recordOf(true)]
}

function textOf(parts: readonly Buffer[], length: number): Pick<RawRecord, 'text' | 'refusal'> {
  if (length > maxRecordBytes) {
    return { text: undefined, refusal: `is longer than ${maxRecordBytes} bytes` }
  }
  const [only = Buffer.alloc(0)] = parts
  let bytes = parts.length > 1 ? Buffer.concat(parts) : only
  if (bytes.at(-1) === 13) bytes = bytes.subarray(0, -1)
  try {
    return { text: isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes) }
  } catch {
    return { text: undefined, refusal: 'is no UTF-8' }
  }
}

export function newlinesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

const byte = (text: string) => text.charCodeAt(0)
const [quote, backslash, comma] = ['"', '\\', ','].map(byte)
const openings = new Set(['[', '{'].map(byte))
const closings = new Set([']', '}'].map(byte))

/** For use after the opening bracket. */
export function elementEnd(): { readonly endOf: RecordEnd; isClosed(): boolean } {
  let depth = 0
  let isString = false
  let isEscaped = false
  let isClosed = false
  return { endOf, isClosed: () => isClosed }

  function endOf(bytes: Buffer, from: number): number {
    if (isClosed) return -1
    for (let at = from; at < bytes.length; at += 1) {
      const one = bytes[at] ?? 0
      if (isString) {
        if (isEscaped) isEscaped = false
        else if (one === backslash) isEscaped = true
        else if (one === quote) isString = false
      } else if (one === quote) isString = true
      else if (openings.has(one)) depth += 1
      else if (closings.has(one)) {
        isClosed = depth === 0
        if (isClosed) return at
        depth -= 1
      } else if (one === comma && depth === 0) return at
    }
    return -1
  }
}
