import { refuseField } from '../../core/errors.ts'
import { isStorableText } from '../../core/lib/text.ts'

/** The keys by which accounts are sorted; the user id is always the last key, for a total order. */
export const accountSortKeys = ['username', 'name', 'created_at', 'last_login_at'] as const
export type AccountSortKey = (typeof accountSortKeys)[number]

export interface AccountOrder {
  readonly key: AccountSortKey
  readonly descending: boolean
}

/**
 * A place in an order: the value of its key, and a user id. Names are case-folded, and times are
 * epoch milliseconds; 0 stands for no login.
 */
export interface AccountPlace {
  readonly value: string | number
  readonly id: number
}

/** Where a page stands: behind a place, or before one. */
export interface AccountCursor {
  readonly place: AccountPlace
  readonly isBefore: boolean
}

/** Parses `sort`: a key, with a minus for descending order. @throws ApiError validationFailed */
export function parseAccountOrder(text: string): AccountOrder {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const key = accountSortKeys.find((candidate) => candidate === name)
  if (key) return { key, descending }
  return refuseField(['sort'], `must be one of ${accountSortKeys.join(', ')}, or one with a minus`)
}

/** Encodes a cursor as opaque text. It holds only what a page shows. */
export function writeAccountCursor(
  { place, isBefore }: AccountCursor,
  order: AccountOrder,
): string {
  const fields = [isBefore ? 'before' : 'after', nameOf(order), place.value, place.id]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** Decodes a cursor. @throws ApiError validationFailed if the text is no cursor of this order */
export function readAccountCursor(text: string, order: AccountOrder): AccountCursor {
  const [side, sort, value, id, ...rest] = parseFields(text)
  const isIntact =
    (side === 'before' || side === 'after') &&
    accountSortKeys.some((key) => sort === key || sort === `-${key}`) &&
    (typeof value === 'string' ? isStorableText(value) : isCount(value)) &&
    isCount(id) &&
    rest.length === 0
  if (!isIntact) return refuseField(['cursor'], 'must be the `next` or `previous` of a page')
  const isOfNames = order.key === 'username' || order.key === 'name'
  if (sort !== nameOf(order) || (typeof value === 'string') !== isOfNames) {
    return refuseField(['cursor'], 'belongs to another `sort`')
  }
  const place = { value: isOfNames ? String(value) : Number(value), id: Number(id) }
  return { place, isBefore: side === 'before' }
}

function parseFields(text: string): unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(fields) ? fields : []
  } catch {
    return []
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function nameOf({ key, descending }: AccountOrder): string {
  return descending ? `-${key}` : key
}
