import { refuseField } from '../../errors.ts'

/** The id is the last key: the order is total. */
export interface Order<Key extends string = string> {
  readonly key: Key
  readonly descending: boolean
}

/** Sort value (names case-folded) and id. */
export interface Place<Value extends string | number = string | number> {
  readonly value: Value
  readonly id: number
}

/** Parses `sort`: a key; minus: descending. @throws ApiError validationFailed */
export function parseOrder<Key extends string>(text: string, keys: readonly Key[]): Order<Key> {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const key = keys.find((candidate) => candidate === name)
  if (key) return { key, descending }
  return refuseField(['sort'], {
    en: `must be one of ${keys.join(', ')}, or one with a minus`,
    de: `muss eines von diesen sein: ${keys.join(', ')}, oder eines mit Minus`,
  })
}

/** As in `sort` and in cursors. */
export function nameOfOrder<Key extends string>({ key, descending }: Order<Key>): Key | `-${Key}` {
  return descending ? `-${key}` : key
}

/** A cursor contains only data of its page. */
export function writeCursor(fields: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/**
 * Fields of any type; none if invalid.
 * @param maxLength longer texts are invalid
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

/** Safe integers only. */
export function isIntegerFrom(min: number, field: unknown): boolean {
  return Number.isSafeInteger(field) && Number(field) >= min
}

/** @throws ApiError validationFailed */
export function refuseCursor(
  must = { en: 'must be the `next` of a page', de: 'muss `next` einer Seite sein' },
): never {
  return refuseField(['cursor'], must)
}

/** Expects one row more than `limit`; `last` is null without a next page. */
export function cut<Row>(rows: readonly Row[], limit: number): { shown: Row[]; last: Row | null } {
  const shown = rows.slice(0, limit)
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null }
}
