import { isAscii } from 'node:buffer'

/** One line of a stream; `text` is undefined if the line is too long or not UTF-8. */
export interface Line {
  /** Counted from 1, blank lines included. */
  readonly number: number
  readonly text: string | undefined
  /** Why the line cannot be read. */
  readonly refusal?: string
}

const maxLineBytes = 65_536

const newline = 10
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Splits a stream of bytes into lines and holds one line in memory. CRLF ends a line as LF does, a
 * byte order mark at the start is ignored, and a line that is too long is skipped to its end.
 */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  let number = 0
  let rest: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const lines: Line[] = []
    let from = 0
    for (;;) {
      const to = bytes.indexOf(newline, from)
      const part = bytes.subarray(from, to < 0 ? undefined : to)
      length += part.length
      // The bytes of a line that is too long are counted, not kept.
      if (length <= maxLineBytes) rest.push(to < 0 ? Buffer.from(part) : part)
      if (to < 0) break
      lines.push(lineOf(++number, rest, length))
      rest = []
      length = 0
      from = to + 1
    }
    if (lines.length > 0) yield lines
  }
  if (length > 0) yield [lineOf(++number, rest, length)]
}

function lineOf(number: number, parts: readonly Buffer[], length: number): Line {
  if (length > maxLineBytes) {
    return { number, text: undefined, refusal: `is longer than ${maxLineBytes} bytes` }
  }
  const [only = Buffer.alloc(0)] = parts
  let bytes = parts.length > 1 ? Buffer.concat(parts) : only
  if (number === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
  if (bytes.at(-1) === 13) bytes = bytes.subarray(0, -1)
  try {
    return { number, text: isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes) }
  } catch {
    return { number, text: undefined, refusal: 'is no UTF-8' }
  }
}
