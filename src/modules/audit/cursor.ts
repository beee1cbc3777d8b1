import { refuseField } from '../../core/errors.ts'
import {
  isIntegerFrom,
  readCursor,
  refuseCursor,
  writeCursor,
} from '../../core/http/lists/cursor.ts'

/** Ordered by time, then number. */
export interface Position {
  readonly at: number
  readonly number: number
}

/** How far the log was read, in storage order. */
export interface TailPosition {
  readonly number: number
  /** Lower numbers whose transactions may still commit. `until`: epoch milliseconds. */
  readonly missing: readonly { readonly number: number; readonly until: number }[]
}

export function writeTail({ number, missing }: TailPosition): string {
  return writeCursor([number, ...missing.flatMap((one) => [one.number, one.until])])
}

/** @throws ApiError validationFailed */
export function readTail(text: string): TailPosition {
  const fields = readCursor(text, maxTailLength).map(Number)
  const [number = 0, ...pairs] = fields
  const isIntact = fields.length % 2 === 1 && fields.every((field) => Number.isSafeInteger(field))
  if (!isIntact || pairs.length > 2 * maxMissing) {
    return refuseField(['after'], {
      en: 'must be the `newer` of a page',
      de: 'muss `newer` einer Seite sein',
    })
  }
  const missing = Array.from({ length: pairs.length / 2 }, (_, at) => ({
    number: pairs[2 * at] ?? 0,
    until: pairs[2 * at + 1] ?? 0,
  }))
  return { number, missing }
}

export function writePosition({ at, number }: Position): string {
  return writeCursor([at, number])
}

/** @throws ApiError validationFailed */
export function readPosition(text: string): Position {
  const [at, number, ...rest] = readCursor(text, maxLength)
  const isIntact = [at, number].every((field) => isIntegerFrom(Number.MIN_SAFE_INTEGER, field))
  if (!isIntact || rest.length > 0) return refuseCursor()
  return { at: Number(at), number: Number(number) }
}

// Longer texts are rejected undecoded.
const maxLength = 64
export const maxMissing = 50
const maxTailLength = 64 + maxMissing * 48
