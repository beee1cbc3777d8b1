import type { SelectQueryBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isOnPage, minDeepOffset } from '../../core/database/list-pages.ts'
import { type Parameters, type Prepared, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { SliceStart } from '../../core/http/lists/listing.ts'
import { caseFold } from '../../core/lib/text.ts'
import { present, shown, toUser } from './rows.ts'
import type { User } from './user.ts'

/** The keys by which a list can be sorted; the id is always the last key, for a total order. */
export const sortKeys = ['id', 'name', 'email'] as const
export type SortKey = (typeof sortKeys)[number]

export interface Order {
  readonly key: SortKey
  readonly descending: boolean
}

/** The last user of a page: its value of the sort key (case-folded), and its id. */
export interface Position {
  readonly value: string
  readonly id: number
}

/** Part of a list in some order. */
export interface Part {
  readonly order: Order
  readonly limit: number
  readonly offset?: number
  /** Only users after this position; costs the same at any depth. */
  readonly after?: Position | undefined
}

const columnOf = { id: 'id', name: 'name_key', email: 'email_key' } as const

const afterId = prepared((db, { id, limit }: Parameters<{ id: number; limit: number }>) =>
  present(db).select(shown).where('id', '>', id).orderBy('id').limit(limit),
)
const fromOffset = prepared(
  (db, { offset, limit }: Parameters<{ offset: number; limit: number }>) =>
    present(db).select(shown).orderBy('id').limit(limit).offset(offset),
)
interface Place {
  readonly offset: number
  readonly limit: number
}
/** Pages far behind, in each order. */
const deepPages = Object.fromEntries(
  sortKeys.flatMap((key) =>
    [false, true].map((descending) => {
      const page = prepared((db, place: Parameters<Place>) => {
        const column = columnOf[key]
        const order = { table: 'users', id: 'id', count: 'users', descending } as const
        const keyed = { ...order, key: column === 'id' ? undefined : column }
        const query = db
          .selectFrom('users')
          .select(shown)
          .where(isOnPage(db, keyed, place))
        return inOrder(query, { key, descending }, undefined)
      })
      return [nameOf({ key, descending }), page]
    }),
  ),
)

const byIds: Order = { key: 'id', descending: false }

type ListValues = Position & { readonly limit: number; readonly offset: number }

/** The query of `list` for each order, from the start or after a position: twelve at most. */
const lists = new Map<string, Prepared<ListValues, User>>()

function listIn({ key, descending }: Order, isAfter: boolean): Prepared<ListValues, User> {
  const shape = `${nameOf({ key, descending })} ${isAfter}`
  const known = lists.get(shape)
  if (known) return known
  const list = prepared((db, { limit, offset, value, id }: Parameters<ListValues>) => {
    const after = isAfter ? { value, id } : undefined
    const users = inOrder(present(db).select(shown), { key, descending }, after)
    return users.limit(limit).offset(offset)
  })
  lists.set(shape, list)
  return list
}

/** Reads users in id order from `offset`, or after an id. */
export async function readSlice(
  db: DatabaseOrTransaction,
  limit: number,
  from: SliceStart,
): Promise<User[]> {
  if ('afterId' in from) return (await afterId.all(db, { limit, id: from.afterId })).map(toUser)
  const { offset } = from
  const deep = await deepPage(db, byIds, { offset, limit })
  return (deep ?? (await fromOffset.all(db, { limit, offset }))).map(toUser)
}

/** Reads one page of all users, in any order. */
export async function readPart(
  db: DatabaseOrTransaction,
  { order, limit, offset = 0, after }: Part,
): Promise<User[]> {
  const deep = after ? null : await deepPage(db, order, { offset, limit })
  if (deep) return deep.map(toUser)
  const { value = '', id = 0 } = after ?? {}
  const list = listIn(order, after !== undefined)
  const rows = await list.all(db, { limit, offset, value, id })
  return rows.map(toUser)
}

/** Reads a page far behind. Null if it must be read by its offset. */
async function deepPage(
  db: DatabaseOrTransaction,
  order: Order,
  place: Place,
): Promise<User[] | null> {
  if (place.offset < minDeepOffset) return null
  const rows = (await deepPages[nameOf(order)]?.all(db, place)) ?? []
  return rows.length > 0 ? rows : null
}

/** Adds an order to a query, and the condition of a position if one is given. */
export function inOrder<Selection>(
  query: SelectQueryBuilder<Schema, 'users', Selection>,
  order: Order,
  after: Position | Parameters<Position> | undefined,
): SelectQueryBuilder<Schema, 'users', Selection> {
  const column = `users.${columnOf[order.key]}` as const
  const direction = order.descending ? 'desc' : 'asc'
  const beyond = order.descending ? '<' : '>'
  if (order.key === 'id') {
    const ordered = query.orderBy('users.id', direction)
    return after ? ordered.where('users.id', beyond, after.id) : ordered
  }
  const ordered = query.orderBy(column, direction).orderBy('users.id', direction)
  if (!after) return ordered
  return ordered.where((eb) =>
    eb(eb.refTuple(column, 'users.id'), beyond, eb.tuple(after.value, after.id)),
  )
}

function nameOf({ key, descending }: Order): string {
  return descending ? `-${key}` : key
}

/** Answers the position of a user in an order. */
export function positionOf(user: User, { key }: Order): Position {
  return { value: key === 'id' ? '' : caseFold(user[key]), id: user.id }
}
