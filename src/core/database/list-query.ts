import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { isPostgres } from './transactions.ts'

/** The `order by` of columns, all in one direction. */
export function inOrder(columns: readonly string[], descending: boolean): RawBuilder<unknown> {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`${sql.join(columns.map((column) => sql`${sql.ref(column)} ${direction}`))}`
}

/** The condition of the rows behind a place in an order; at any depth an index of the order finds them. */
export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[],
  descending: boolean,
): RawBuilder<SqlBool> {
  const beyond = descending ? sql`<` : sql`>`
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))})
    ${beyond} (${sql.join([...place])})`
}

/** An order of a table in which pages are read by number. */
export interface ListOrder {
  readonly table: 'users' | 'posts' | 'accounts'
  readonly id: 'id' | 'user_id'
  /** The column before the id in the order; undefined in the order of ids. */
  readonly key?: 'name_key' | 'email_key' | undefined
  /** The name of the count of all present rows in `row_counts`. */
  readonly count: 'users' | 'posts' | 'accounts total'
  readonly descending?: boolean
}

/** A page at a smaller offset is read by the offset alone, which costs less. */
export const minDeepOffset = 1000

/** A page: how many rows stand before it, and how many it has at most. */
export interface PagePlace {
  readonly offset: Expression<number>
  readonly limit: Expression<number>
}

/**
 * The condition of the rows of one page: the same rows as `limit` and `offset` answer. Skips the ids
 * in an index of the order, from the nearer end of the list. A table with staged rows has no such
 * page: the index does not tell them apart, and the caller reads by the offset. docs/adr/0085
 */
export function isOnPage(
  db: DatabaseOrTransaction,
  order: ListOrder,
  { offset, limit }: PagePlace,
): RawBuilder<SqlBool> {
  const { table, count, descending = false } = order
  const [skipped, rows] = [bigint(offset), bigint(limit)]
  const left = sql`((select total from row_counts where name = ${sql.lit(count)}) - ${skipped})`
  const isNearStart = sql`${skipped} <= ${left}`
  const fromStart = sql`limit (case when ${isNearStart} then ${rows} else 0 end) offset ${skipped}`
  const fromEnd = sql`limit (case when ${isNearStart} or ${left} <= 0 then 0
      when ${left} < ${rows} then ${left} else ${rows} end)
    offset (case when ${left} > ${rows} then ${left} - ${rows} else 0 end)`
  const page = sql`
    select id from (${idsOf(order, descending)} ${fromStart}) as from_start
    union all select id from (${idsOf(order, !descending)} ${fromEnd}) as from_end`
  // An array: PostgreSQL would join the subselect of `in` by a plan for a third of the table.
  const isWanted = isPostgres(db) ? sql`= any(array(${page}))` : sql`in (${page})`
  return sql<SqlBool>`${sql.ref(`${table}.${order.id}`)} ${isWanted}`
}

function idsOf({ table, id, key }: ListOrder, descending: boolean): RawBuilder<unknown> {
  const hasStaged = sql`exists (select 1 from imports where state <> 'done'
    and exists (select 1 from ${sql.table(table)} as staged where staged.import_id = imports.id))`
  const isListed = table === 'posts' ? sql`true` : sql`not ${hasStaged}`
  return sql`select ${sql.ref(id)} as id from ${sql.table(table)}
    where ${isListed} order by ${inOrder(key ? [key, id] : [id], descending)}`
}

function bigint(value: Expression<unknown>): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`
}
