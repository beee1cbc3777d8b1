import { offsetOf, parsePage, type Query } from '../http/paging.ts'
import type { Static } from '../http/schemas.ts'
import { refuseField } from '../kernel/errors.ts'
import { codePointLength, isStorableText } from '../kernel/text.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { UserPageV2 } from './schemas.ts'
import { type Order, positionOf, type Search, sortKeys } from './store.ts'
import type { Users } from './users.ts'

const mostPerPage = 1000
const maxSearchLength = 200
const largePage = 100

/** Whether a page is large enough to be made in turn with other large answers. */
export function isLargePageV2(query: Query): boolean {
  return parsePage(query, mostPerPage).limit > largePage
}

/**
 * GET /api/v2/users: always an envelope. By `page` as in v1, or by `cursor`, whose cost does not grow
 * with the depth. @throws ApiError validationFailed for `q`, `sort` or `cursor`
 */
export async function listUsersV2(users: Users, query: Query): Promise<Static<typeof UserPageV2>> {
  const order = parseOrder(single(query, 'sort') ?? 'id')
  const text = parseSearch(single(query, 'q') ?? '')
  const { page, limit } = parsePage(query, mostPerPage)
  const position = single(query, 'cursor')
  const cursor = position === undefined ? null : readCursor(position, order)
  const search = (start: Pick<Search, 'after' | 'offset'>) =>
    users.search({ text, order, limit: limit + 1, ...start }) // one more tells whether anything follows
  const isFirst = !cursor && page === 1
  // A search passes over the whole table: where the first page has all that matches, it does so once.
  const first = text !== '' && isFirst ? await search({ offset: 0 }) : null
  const total = first && first.length <= limit ? first.length : await countAll()
  const offset = offsetOf({ page, limit }, total)
  const isPastEnd = !cursor && offset >= total
  const found =
    first ?? (isPastEnd ? [] : await search(cursor ? { after: cursor.after } : { offset }))
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const shownPage = cursor ? cursor.page : page
  const next =
    last && found.length > limit
      ? writeCursor({ page: shownPage + 1, after: positionOf(last, order) }, order)
      : null
  return { page: shownPage, limit, total, data, next }

  function countAll(): Promise<number> {
    return text === '' ? users.count() : users.countMatching(text)
  }
}

/** A parameter that is sent once, or not at all. */
function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || typeof value === 'string') return value
  return refuseField([name], 'must be given once')
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
