import { refuseField } from '../../errors.ts'

/** The order of a list. The id is always the last key, so that the order is total. */
export interface Order<Key extends string = string> {
  readonly key: Key
  readonly descending: boolean
}

/** A place in an order: the value of its key (names are case-folded) and an id. */
export interface Place<Value extends string | number = string | number> {
  readonly value: Value
  readonly id: number
}

/** Parses `sort`: a key, with a minus for descending order. @throws ApiError validationFailed */
export function parseOrder<Key extends string>(text: string, keys: readonly Key[]): Order<Key> {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const key = keys.find((candidate) => candidate === name)
  if (key) return { key, descending }
  return refuseField(['sort'], `must be one of ${keys.join(', ')}, or one with a minus`)
}

/** The text of an order, in `sort` and in cursors. */
export function nameOfOrder<Key extends string>({ key, descending }: Order<Key>): Key | `-${Key}` {
  return descending ? `-${key}` : key
}

/** Encodes a cursor as opaque text. A cursor holds only what its page has shown. */
export function writeCursor(fields: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/**
 * Decodes the fields of a cursor, of any type; none if the text is no cursor.
 * @param maxLength a longer text is not decoded
 */
export function readCursor(text: string, maxLength = Number.POSITIVE_INFINITY): unknown[] {
  try {
    if (text.length > maxLength) return []
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}

/** Whether a field of a cursor is a safe integer of at least `min`. */
export function isIntegerFrom(min: number, field: unknown): boolean {
  return Number.isSafeInteger(field) && Number(field) >= min
}

/** @throws ApiError validationFailed */
export function refuseCursor(must = 'must be the `next` of a page'): never {
  return refuseField(['cursor'], must)
}

/** The rows of a page, of which one more was read, and the last of them if more follow. */
export function cut<Row>(rows: readonly Row[], limit: number): { shown: Row[]; last: Row | null } {
  const shown = rows.slice(0, limit)
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null }
}
