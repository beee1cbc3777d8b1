// A database makes a difference: what another transaction commits between two reads of a step.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Database, execute } from '../../src/core/database/database.ts'
import { countLists } from '../../src/core/database/list-counts.ts'
import { isPostgres, lockName, takeExclusiveLocks } from '../../src/core/database/transactions.ts'
import { testApp } from '../app.ts'
import { until } from '../until.ts'

async function addPosts(db: Database, first: number, last: number): Promise<void> {
  await execute(
    db,
    `insert into posts (id, title, body, created_at, updated_at)
      with recursive numbers (n) as (
        select ${first} union all select n + 1 from numbers where n < ${last})
      select n, 'T', 'B', n, n from numbers`,
  )
}

/** Adds all changes to the counts, without a split. */
const addChanges = async (db: Database) => assert.equal(await countLists(db, 100_000), 100_000)

/** The blocks of posts beside the numbers of rows that they stand for. */
async function blocks(db: Database) {
  const { rows } = await sql<{ row_id: number; total: number; counted: number }>`
    select row_id, total, (
      select count(*) from posts where posts.id >= one.row_id and posts.id < coalesce((
        select min(row_id) from list_blocks where list = 'posts id' and row_id > one.row_id
      ), 1000000)
    ) as counted from list_blocks as one where list = 'posts id' order by row_id`.execute(db)
  return rows
}

/** Resolves when another transaction of this database waits; at once on SQLite, where all reads. */
async function otherWaits(db: Database): Promise<void> {
  let turns = 0
  await until(async () => {
    turns += 1
    if (!isPostgres(db)) return turns > 20
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length === 1
  })
}

suite('the counts of lists', () => {
  test('stay exact if most rows of a block go while its split waits', async () => {
    const { db } = (await testApp()).deps
    await addPosts(db, 1, 100)
    await addPosts(db, 100_001, 105_000)
    await addChanges(db)
    await countLists(db, 100_000) // splits
    await addPosts(db, 101, 4000)
    await addChanges(db)
    assert.deepEqual(await blocks(db), [
      { row_id: 0, total: 5948, counted: 5948 },
      { row_id: 101_949, total: 3052, counted: 3052 },
    ])
    const step = Promise.withResolvers<unknown>()
    await db.transaction().execute(async (trx) => {
      await takeExclusiveLocks(trx, lockName.lists)
      await trx.deleteFrom('posts').where('id', '<=', 4000).execute()
      step.resolve(countLists(db, 100_000))
      await otherWaits(db)
    })
    await step.promise
    while ((await countLists(db, 100_000)) > 0);
    for (const { row_id, total, counted } of await blocks(db)) {
      assert.equal(total, counted, `of the block at ${row_id}`)
    }
  })
})
