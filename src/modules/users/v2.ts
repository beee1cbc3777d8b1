import {
  cut,
  isIntegerFrom,
  nameOfOrder,
  parseOrder,
  readCursor,
  refuseCursor,
  writeCursor,
} from '../../core/http/lists/cursor.ts'
import { searched } from '../../core/http/lists/filters.ts'
import { offsetOf, parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import type { Static } from '../../core/http/schemas.ts'
import { isStorableText } from '../../core/lib/text.ts'
import type { Found } from './lists.ts'
import { type Order, type Position, positionOf, sortKeys } from './lists.ts'
import type { UserPageV2 } from './schemas.ts'
import type { Users } from './users.ts'

const maxPerPage = 1000
const largePage = 100
const parseSearch = searched(200)

/** Large pages wait in the queue. */
export function isLargePageV2(query: Query): boolean {
  return parsePage(query, maxPerPage).limit > largePage
}

/**
 * GET /api/v2/users, always an envelope. `cursor` has constant cost, unlike `page`.
 * @throws ApiError validationFailed for `q`, `sort` or `cursor`
 */
export async function listUsersV2(users: Users, query: Query): Promise<Static<typeof UserPageV2>> {
  const order = parseOrder(single(query, 'sort') ?? 'id', sortKeys)
  const text = parseSearch(single(query, 'q') ?? '', 'q')
  const { page, limit } = parsePage(query, maxPerPage)
  const position = single(query, 'cursor')
  const cursor = position === undefined ? null : readUserCursor(position, order)
  const start = cursor ? { after: cursor.after } : { offset: (page - 1) * limit }
  const part = { order, limit: limit + 1, ...start } // one extra row detects a next page
  const found = await (text === '' ? all() : users.find({ text, ...part }))
  const { shown, last } = cut(found.users, limit)
  const shownPage = cursor ? cursor.page : page
  const next =
    last && writeUserCursor({ page: shownPage + 1, after: positionOf(last, order) }, order)
  return { page: shownPage, limit, total: found.total, data: shown, next }

  async function all(): Promise<Found> {
    const total = await users.count()
    const isPastEnd = !cursor && offsetOf({ page, limit }, total) >= total
    return { total, users: isPastEnd ? [] : await users.list(part) }
  }
}

/** Preceding position and page number. */
export interface UserCursor {
  readonly page: number
  readonly after: Position
}

/** Opaque text for `next`. */
export function writeUserCursor({ page, after }: UserCursor, order: Order): string {
  return writeCursor([page, nameOfOrder(order), after.value, after.id])
}

/** @throws ApiError validationFailed if invalid for this order */
export function readUserCursor(text: string, order: Order): UserCursor {
  const [page, sort, value, id, ...rest] = readCursor(text)
  const isIntact = isIntegerFrom(1, page) && isIntegerFrom(1, id) && rest.length === 0
  if (!isIntact || typeof value !== 'string' || !isStorableText(value)) return refuseCursor()
  if (sort !== nameOfOrder(order))
    return refuseCursor({ en: 'belongs to another `sort`', de: 'gehört zu einem anderen `sort`' })
  return { page: Number(page), after: { value, id: Number(id) } }
}
