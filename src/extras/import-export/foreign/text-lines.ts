import type { Detail } from '../../../core/errors.ts'
import type { ReadRecord } from '../read-records.ts'
import { beginFile } from '../read-records.ts'
import { lineEnd, splitRecords } from '../records.ts'

export interface TextLine {
  readonly line: number
  readonly text: string
}

/** One line, or the mistake of the line. */
export type LineOrFault = TextLine | Extract<ReadRecord, { details: unknown }>

/** The lines of a text whose last line has an end: a file that is cut short has none. */
export async function* textLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<LineOrFault[]> {
  const { bytes, line, fault } = await beginFile(pieces)
  if (fault !== undefined) {
    yield [faultAt(line, fault)]
    return
  }
  for await (const records of splitRecords(bytes, lineEnd, line)) {
    yield records.map(({ line, text, refusal, isLast }) => {
      if (text === undefined) return faultAt(line, refusal ?? 'cannot be read')
      return isLast ? faultAt(line, 'has no line end: the file may be cut short') : { line, text }
    })
  }
}

export function faultAt(
  line: number,
  message: string,
  field?: string,
): {
  readonly line: number
  readonly details: readonly Detail[]
} {
  return { line, details: [{ path: field === undefined ? [] : [field], message }] }
}
