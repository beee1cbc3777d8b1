import { refuseField } from '../../core/errors.ts'

/** A place in the list of records, which goes by time and then by number. */
export interface Position {
  /** Epoch milliseconds. */
  readonly at: number
  readonly number: number
}

/** The place up to which the log was read in the order in which records are stored. */
export interface TailPosition {
  readonly number: number
  /**
   * Numbers below it that no record had: the transactions that have them may yet commit. Each with the
   * time, in epoch milliseconds, from which it counts as given up.
   */
  readonly missing: readonly { readonly number: number; readonly until: number }[]
}

/** Encodes the place up to which the log was read as opaque text for `newer`. */
export function writeTail({ number, missing }: TailPosition): string {
  const fields = [number, ...missing.flatMap((one) => [one.number, one.until])]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** Decodes it. @throws ApiError validationFailed if the text is none */
export function readTail(text: string): TailPosition {
  const fields = parseFields(text, maxTailLength).map(Number)
  const [number = 0, ...pairs] = fields
  const isIntact = fields.length % 2 === 1 && fields.every((field) => Number.isSafeInteger(field))
  if (!isIntact || pairs.length > 2 * maxMissing) {
    return refuseField(['after'], 'must be the `newer` of a page')
  }
  const missing = Array.from({ length: pairs.length / 2 }, (_, at) => ({
    number: pairs[2 * at] ?? 0,
    until: pairs[2 * at + 1] ?? 0,
  }))
  return { number, missing }
}

/** Encodes a position as opaque text for `next`. It holds only what the page before has shown. */
export function writeCursor({ at, number }: Position): string {
  return Buffer.from(JSON.stringify([at, number])).toString('base64url')
}

/** Decodes a cursor. @throws ApiError validationFailed if the text is no cursor of this list */
export function readCursor(text: string): Position {
  const [at, number, ...rest] = parseFields(text, maxLength)
  const isIntact = Number.isSafeInteger(at) && Number.isSafeInteger(number) && rest.length === 0
  if (!isIntact) return refuseField(['cursor'], 'must be the `next` of a page')
  return { at: Number(at), number: Number(number) }
}

// A longer text is not decoded: of two integers, and of as many as a tail has.
const maxLength = 64
export const maxMissing = 50
const maxTailLength = 64 + maxMissing * 48

function parseFields(text: string, maxLength: number): unknown[] {
  try {
    if (text.length > maxLength) return []
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}
