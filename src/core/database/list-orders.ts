import { type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** An order of a table in which pages are read by number. */
export interface ListOrder {
  /** Its name in `list_blocks`. */
  readonly list: string
  readonly table: 'users' | 'posts' | 'accounts'
  readonly id: 'id' | 'user_id'
  /** The column before the id in the order; undefined in the order of ids. */
  readonly key?: 'name_key' | 'email_key'
  /** The names in `list_changes` of what changes the order. */
  readonly changes: readonly string[]
}

const usersKeys = ['users', 'users keys']

export const listOrders = {
  usersById: { list: 'users id', table: 'users', id: 'id', changes: ['users'] },
  usersByName: {
    ...{ list: 'users name', table: 'users', id: 'id', key: 'name_key', changes: usersKeys },
  },
  usersByEmail: {
    ...{ list: 'users email', table: 'users', id: 'id', key: 'email_key', changes: usersKeys },
  },
  postsById: { list: 'posts id', table: 'posts', id: 'id', changes: ['posts'] },
  accountsById: { list: 'accounts id', table: 'accounts', id: 'user_id', changes: ['accounts'] },
} as const satisfies Record<string, ListOrder>

/** The table, its place columns, and the conditions of a list, as parts of statements. */
export function partsOf({ list, table, id, key, changes }: ListOrder) {
  const columns = key ? [sql.ref(key), sql.ref(id)] : [sql.ref(id)]
  return {
    table: sql.table(table satisfies keyof Schema),
    id: sql.ref(id),
    /** The key of a row of the table, and of a row of `list_changes`. */
    key: key ? sql.ref<string>(key) : sql<string>`''`,
    columns: sql.join(columns),
    isOfList: sql<boolean>`list_blocks.list = ${sql.lit(list)}`,
    isOfChanges: sql<boolean>`list_changes.list in (${sql.join(changes.map((name) => sql.lit(name)))})`,
    /** The condition that a row of the table stands at a place or behind it. */
    isFrom: (start: RawBuilder<unknown>, startId: RawBuilder<unknown>) =>
      key
        ? sql<boolean>`(${sql.ref(key)}, ${sql.ref(id)}) >= (${start}, ${startId})`
        : sql<boolean>`${sql.ref(id)} >= ${startId}`,
  }
}
