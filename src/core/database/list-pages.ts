import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { type ListOrder, partsOf } from './list-orders.ts'
import { isPostgres } from './transactions.ts'

/** A page at a smaller offset is read by the offset alone, which costs less. */
export const minDeepOffset = 1000

/** A page: how many rows stand before it, and how many it has at most. */
export interface PagePlace {
  readonly offset: Expression<number>
  readonly limit: Expression<number>
}

/**
 * The condition of the rows of one page, wherever it stands: the same rows that `limit` and `offset`
 * give, at about the same cost at any depth. `list_blocks` holds the counts of rows between places
 * of the order, and `list_changes` the rows that entered and left since they were counted; the page
 * begins behind the last place that has no more rows before it than the page has, so that only the
 * rest is skipped. It is part of one statement, which sees one state of all three.
 *
 * While the table has staged rows of an import, which the blocks count too, no row meets it: the
 * caller then reads by the offset. docs/adr/0048
 */
export function isOnPage(
  db: DatabaseOrTransaction,
  order: ListOrder,
  { offset, limit }: PagePlace,
  descending = false,
): RawBuilder<SqlBool> {
  const { table, id, key, columns, isOfList, isOfChanges, isFrom } = partsOf(order)
  const [skipped, rows] = [bigint(offset), bigint(limit)]
  // A page of the descending order is one of the ascending order, counted from the end.
  const left = sql`total - ${skipped}`
  const wanted = descending
    ? sql`select case when ${left} > ${rows} then ${left} - ${rows} else 0 end as skipped,
        case when ${left} > ${rows} then ${rows} when ${left} > 0 then ${left} else 0 end as size
        from (select sum(n) as total from parts) as counted`
    : sql`select ${skipped} as skipped, ${rows} as size`
  const page = sql`
    with parts as materialized (
      select key, row_id, total as n, 0 as is_change from list_blocks where ${isOfList}
      union all select ${key}, row_id, change, 1 from list_changes where ${isOfChanges}
    ), wanted as materialized (${wanted}),
    places as (
      select key, row_id, is_change,
        sum(n) over (order by key, row_id, is_change rows unbounded preceding) - n as before
      from parts
    ), start as materialized (
      select key, row_id, before from places
      where is_change = 0 and before <= (select skipped from wanted)
      order by key desc, row_id desc limit 1
    )
    select ${id} from ${table}
    where ${isFrom(sql`(select key from start)`, sql`(select row_id from start)`)}
      and not exists (${stagedRow(order)})
    order by ${columns} limit (select ${bigint(sql`size`)} from wanted)
    offset coalesce((select ${bigint(sql`skipped - before`)} from start, wanted), 0)`
  // An array: PostgreSQL would join the subselect of `in` by a plan for a third of the table.
  const isWanted = isPostgres(db) ? sql`= any(array(${page}))` : sql`in (${page})`
  return sql<SqlBool>`${sql.ref(`${order.table}.${order.id}`)} ${isWanted}`
}

function stagedRow({ table }: ListOrder): RawBuilder<unknown> {
  if (table === 'posts') return sql`select 1 from imports where false`
  return sql`select 1 from imports join ${sql.table(table)} as staged
    on staged.import_id = imports.id where imports.state <> 'done'`
}

function bigint(value: Expression<unknown>): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`
}
