import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { isPostgres } from './transactions.ts'

export function inOrder(columns: readonly string[], descending: boolean): RawBuilder<unknown> {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`${sql.join(columns.map((column) => sql`${sql.ref(column)} ${direction}`))}`
}

/** Keyset condition; an index finds the rows at any depth. */
export function isBeyond(
  columns: readonly string[],
  place: readonly unknown[],
  descending: boolean,
): RawBuilder<SqlBool> {
  const beyond = descending ? sql`<` : sql`>`
  return sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))})
    ${beyond} (${sql.join([...place])})`
}

/** An order for pagination. */
export interface ListOrder {
  readonly table: 'users' | 'posts' | 'accounts'
  readonly id: 'id' | 'user_id'
  /** Undefined orders by id. */
  readonly key?: 'name_key' | 'email_key' | undefined
  /** In `row_counts`. */
  readonly count: 'users' | 'posts' | 'accounts total'
  readonly descending?: boolean
}

/** Smaller offsets are cheaper by the offset alone. */
export const minDeepOffset = 1000

export interface PagePlace {
  readonly offset: Expression<number>
  readonly limit: Expression<number>
}

/**
 * Selects the same rows as `limit` and `offset`, by skipping ids in an index from the nearer end.
 * Unusable with staged rows, which the index does not distinguish: use the offset. docs/adr/0085
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
  // An array: PostgreSQL would plan the subselect of `in` for a third of the table.
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
