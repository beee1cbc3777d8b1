import { refuseField } from '../../core/errors.ts'
import { offsetOf, parsePage, type Query, single } from '../../core/http/lists/paging.ts'
import type { Static } from '../../core/http/schemas.ts'
import { codePointLength, isStorableText } from '../../core/lib/text.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { type Order, positionOf, sortKeys } from './lists.ts'
import type { UserPageV2 } from './schemas.ts'
import type { Found } from './search.ts'
import type { Users } from './users.ts'

const maxPerPage = 1000
const maxSearchLength = 200
const largePage = 100

/** Whether a page is so large that it waits in the queue of large answers. */
export function isLargePageV2(query: Query): boolean {
  return parsePage(query, maxPerPage).limit > largePage
}

/**
 * Answers GET /api/v2/users, always with an envelope. A page is named by `page` as in v1, or by
 * `cursor`, whose cost does not grow with the depth.
 * @throws ApiError validationFailed for `q`, `sort` or `cursor`
 */
export async function listUsersV2(users: Users, query: Query): Promise<Static<typeof UserPageV2>> {
  const order = parseOrder(single(query, 'sort') ?? 'id')
  const text = parseSearch(single(query, 'q') ?? '')
  const { page, limit } = parsePage(query, maxPerPage)
  const position = single(query, 'cursor')
  const cursor = position === undefined ? null : readCursor(position, order)
  const start = cursor ? { after: cursor.after } : { offset: (page - 1) * limit }
  const part = { order, limit: limit + 1, ...start } // one more shows whether another page follows
  const found = await (text === '' ? all() : users.find({ text, ...part }))
  const data = found.users.slice(0, limit)
  const last = data.at(-1)
  const shownPage = cursor ? cursor.page : page
  const next =
    last && found.users.length > limit
      ? writeCursor({ page: shownPage + 1, after: positionOf(last, order) }, order)
      : null
  return { page: shownPage, limit, total: found.total, data, next }

  async function all(): Promise<Found> {
    const total = await users.count()
    const isPastEnd = !cursor && offsetOf({ page, limit }, total) >= total
    return { total, users: isPastEnd ? [] : await users.list(part) }
  }
}

function parseOrder(text: string): Order {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const key = sortKeys.find((candidate) => candidate === name)
  if (!key)
    return refuseField(['sort'], `must be one of ${sortKeys.join(', ')}, or one with a minus`)
  return { key, descending }
}

function parseSearch(text: string): string {
  if (codePointLength(text) > maxSearchLength) {
    return refuseField(['q'], `must have at most ${maxSearchLength} characters`)
  }
  if (!isStorableText(text)) {
    return refuseField(['q'], 'must not hold NUL characters or lone surrogates')
  }
  return text
}
