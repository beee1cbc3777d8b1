import type { SelectQueryBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { inOrder, isBeyond, isOnPage, minDeepOffset } from '../../core/database/list-query.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'
import { type Order as AnyOrder, nameOfOrder, type Place } from '../../core/http/lists/cursor.ts'
import type { SliceStart } from '../../core/http/lists/listing.ts'
import { caseFold } from '../../core/lib/text.ts'
import type { User } from './user.ts'

export const sortKeys = ['id', 'name', 'email'] as const
export type Order = AnyOrder<(typeof sortKeys)[number]>

/** Last user of a page; `value` is empty when sorted by id. */
export type Position = Place<string>

export interface Part {
  readonly order: Order
  readonly limit: number
  readonly offset?: number
  /** Constant cost. */
  readonly after?: Position | undefined
}

export const shown = ['id', 'name', 'email'] as const

/** Excludes staged users and pending deletions. */
export const present = (db: DatabaseOrTransaction) => db.selectFrom('users').where(isPresentUser)

export function toUser({ id, name, email }: User): User {
  return { id, name, email }
}

const keyColumns = { id: undefined, name: 'name_key', email: 'email_key' } as const

const afterId = prepared((db, { id, limit }: Parameters<{ id: number; limit: number }>) =>
  present(db).select(shown).where('id', '>', id).orderBy('id').limit(limit),
)

interface PageValues {
  readonly limit: number
  readonly offset: number
}

const queries = {
  id: queriesOf({ key: 'id', descending: false }),
  '-id': queriesOf({ key: 'id', descending: true }),
  name: queriesOf({ key: 'name', descending: false }),
  '-name': queriesOf({ key: 'name', descending: true }),
  email: queriesOf({ key: 'email', descending: false }),
  '-email': queriesOf({ key: 'email', descending: true }),
}

function queriesOf(order: Order) {
  const { key, descending } = order
  const list = { table: 'users', id: 'id', key: keyColumns[key], count: 'users' } as const
  return {
    fromOffset: prepared((db, { limit, offset }: Parameters<PageValues>) =>
      sorted(present(db).select(shown), order).limit(limit).offset(offset),
    ),
    /** Deep pages; empty while users are staged. */
    deep: prepared((db, place: Parameters<PageValues>) => {
      const isWanted = isOnPage(db, { ...list, descending }, place)
      return sorted(db.selectFrom('users').select(shown).where(isWanted), order)
    }),
    after: prepared((db, { limit, value, id }: Parameters<Position & { limit: number }>) =>
      sorted(present(db).select(shown), order, { value, id }).limit(limit),
    ),
  }
}

/** In id order. */
export async function readSlice(
  db: DatabaseOrTransaction,
  limit: number,
  from: SliceStart,
): Promise<User[]> {
  if ('afterId' in from) return (await afterId.all(db, { limit, id: from.afterId })).map(toUser)
  return readPage(db, { key: 'id', descending: false }, limit, from.offset)
}

export async function readPart(
  db: DatabaseOrTransaction,
  { order, limit, offset = 0, after }: Part,
): Promise<User[]> {
  if (!after) return readPage(db, order, limit, offset)
  const rows = await queries[nameOfOrder(order)].after.all(db, { limit, ...after })
  return rows.map(toUser)
}

async function readPage(
  db: DatabaseOrTransaction,
  order: Order,
  limit: number,
  offset: number,
): Promise<User[]> {
  const { deep, fromOffset } = queries[nameOfOrder(order)]
  const page = { limit, offset }
  const rows = offset < minDeepOffset ? [] : await deep.all(db, page)
  return (rows.length > 0 ? rows : await fromOffset.all(db, page)).map(toUser)
}

export function sorted<Selection>(
  query: SelectQueryBuilder<Schema, 'users', Selection>,
  { key, descending }: Order,
  after?: Position | Parameters<Position>,
): SelectQueryBuilder<Schema, 'users', Selection> {
  const column = keyColumns[key]
  const columns = column ? [`users.${column}`, 'users.id'] : ['users.id']
  const ordered = query.orderBy(inOrder(columns, descending))
  if (!after) return ordered
  return ordered.where(isBeyond(columns, column ? [after.value, after.id] : [after.id], descending))
}

export function positionOf(user: User, { key }: Order): Position {
  return { value: key === 'id' ? '' : caseFold(user[key]), id: user.id }
}

/** Case-insensitive substring of name or email. */
export interface Search extends Part {
  /** Not empty. Below three characters: prefix only. */
  readonly text: string
}

export interface Found {
  readonly users: User[]
  /** `maxExactTotal` + 1: more. */
  readonly total: number
}

/** @throws ApiError serviceUnavailable if too many searches run */
export type FindUsers = (search: Search) => Promise<Found>

export const maxExactTotal = 1000
