import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from './database.ts'
import { type ListOrder, listOrders, partsOf } from './list-orders.ts'
import { prepared } from './prepared.ts'
import { lockName, transact } from './transactions.ts'

/** How many rows a block has after a split, and from twice as many on it is split. */
const blockRows = 2048

const hasChanges = prepared((db) => db.selectFrom('list_changes').select('id').limit(1))

/**
 * Does one step of keeping the counts of `list_blocks`: adds up to `batchSize` recorded changes to
 * them, or splits one large block. Answers `batchSize` if there may be more to do, otherwise 0. Each
 * step is one short transaction, which leaves every page as it was. Processes take turns.
 */
export async function countLists(db: Database, batchSize: number): Promise<number> {
  const isChanged = (await hasChanges.first(db, {})) !== undefined
  if (!isChanged && !(await largeBlock(db))) return 0
  const step = (trx: DatabaseOrTransaction) => (isChanged ? addChanges(trx, batchSize) : split(trx))
  return (await transact(db, [lockName.lists], step)) ? batchSize : 0
}

/** Counts all lists anew, in the transaction that has filled the tables. */
export async function recountLists(trx: DatabaseOrTransaction): Promise<void> {
  await trx.deleteFrom('list_changes').execute()
  await trx.deleteFrom('list_blocks').execute()
  for (const order of Object.values(listOrders)) {
    const { table } = partsOf(order)
    await sql`insert into list_blocks (list, key, row_id, total)
      select ${sql.lit(order.list)}, '', 0, count(*) from ${table}`.execute(trx)
  }
}

async function addChanges(trx: DatabaseOrTransaction, batchSize: number): Promise<boolean> {
  // Marked, because on PostgreSQL a change with a lower id can be committed between the statements.
  await sql`update list_changes set taken = 1
    where id in (select id from list_changes order by id limit ${batchSize})`.execute(trx)
  for (const order of Object.values(listOrders)) {
    const { key, isOfList, isOfChanges } = partsOf(order)
    await sql`
      update list_blocks set total = list_blocks.total + counted.change from (
        select (
          select list_blocks.id from list_blocks
          where ${isOfList} and (list_blocks.key, list_blocks.row_id) <= (${key}, list_changes.row_id)
          order by list_blocks.key desc, list_blocks.row_id desc limit 1
        ) as block, sum(change) as change
        from list_changes where ${isOfChanges} and taken = 1 group by 1
      ) as counted where list_blocks.id = counted.block`.execute(trx)
    await removeEmptied(trx, order)
  }
  await trx.deleteFrom('list_changes').where('taken', '=', 1).execute()
  return true
}

/**
 * Joins a block with the one before it if the row at which it begins has left the list: the name of
 * a deleted user must not stay.
 */
async function removeEmptied(trx: DatabaseOrTransaction, order: ListOrder): Promise<void> {
  const { key, isOfChanges } = partsOf(order)
  const { rows } = await sql<{ id: number }>`
    select distinct list_blocks.id from list_changes join list_blocks
      on list_blocks.list = ${order.list} and list_blocks.key = ${key}
      and list_blocks.row_id = list_changes.row_id
    where ${isOfChanges} and taken = 1 and change < 0`.execute(trx)
  for (const { id } of rows) {
    // One after the other: the block before may have been joined with another one.
    await sql`
      update list_blocks set total = list_blocks.total + gone.total
      from (select list, key, row_id, total from list_blocks where id = ${id}) as gone
      where list_blocks.id = (
        select before.id from list_blocks as before
        where before.list = ${order.list} and (before.key, before.row_id) < (
          (select key from list_blocks where id = ${id}),
          (select row_id from list_blocks where id = ${id}))
        order by before.key desc, before.row_id desc limit 1)`.execute(trx)
    await trx.deleteFrom('list_blocks').where('id', '=', id).execute()
  }
}

async function largeBlock(db: DatabaseOrTransaction) {
  return db
    .selectFrom('list_blocks')
    .select(['id', 'list', 'key', 'row_id', 'total'])
    .where('total', '>', 2 * blockRows)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Splits a large block behind its first rows; answers whether it did. */
async function split(trx: DatabaseOrTransaction): Promise<boolean> {
  const block = await largeBlock(trx)
  const order = Object.values(listOrders).find(({ list }) => list === block?.list)
  if (!block || !order) return false
  const { table, id, key, columns, isOfChanges, isOfList, isFrom } = partsOf(order)
  const from = isFrom(sql`${block.key}`, sql`${block.row_id}`)
  // The rows without the changes that are not counted yet: a commit meanwhile changes both alike.
  // If it has taken so many rows that the place is behind the end of the block, there is no split.
  const { rows } = await sql<{ key: string; row_id: number; changes: number }>`
    with next as (
      select ${key} as key, ${id} as row_id from ${table}
      where ${from} order by ${columns} limit 1 offset ${blockRows}
    )
    select key, row_id, cast((
      select coalesce(sum(change), 0) from list_changes
      where ${isOfChanges} and (${key}, list_changes.row_id) >= (${block.key}, ${block.row_id})
        and (${key}, list_changes.row_id) < (next.key, next.row_id)
    ) as bigint) as changes from next
    where not exists (
      select 1 from list_blocks where ${isOfList}
        and (list_blocks.key, list_blocks.row_id) > (${block.key}, ${block.row_id})
        and (list_blocks.key, list_blocks.row_id) <= (next.key, next.row_id))`.execute(trx)
  const [next] = rows
  if (!next) return false
  const total = blockRows - next.changes
  await trx.updateTable('list_blocks').set({ total }).where('id', '=', block.id).execute()
  await trx
    .insertInto('list_blocks')
    .values({ list: block.list, key: next.key, row_id: next.row_id, total: block.total - total })
    .execute()
  return true
}
