import { refuseField } from '../kernel/errors.ts'

/** A place in the list of records, which goes by time and then by number. */
export interface Position {
  /** Epoch milliseconds. */
  readonly at: number
  readonly number: number
}

/** Encodes a position as opaque text for `next`. It holds only what the page before has shown. */
export function writeCursor({ at, number }: Position): string {
  return Buffer.from(JSON.stringify([at, number])).toString('base64url')
}

/** Decodes a cursor. @throws ApiError validationFailed if the text is no cursor of this list */
export function readCursor(text: string): Position {
  const [at, number, ...rest] = parseFields(text)
  const isWhole = Number.isSafeInteger(at) && Number.isSafeInteger(number) && rest.length === 0
  if (!isWhole) return refuseField(['cursor'], 'must be the `next` of a page')
  return { at: Number(at), number: Number(number) }
}

const maxLength = 64 // of two integers; a longer text is not decoded

function parseFields(text: string): unknown[] {
  try {
    if (text.length > maxLength) return []
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}
