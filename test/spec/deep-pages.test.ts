// A database makes a difference: orders of rows, plans of queries and triggers that count.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Compilable, sql } from 'kysely'
import { execute } from '../../src/core/database/database.ts'
import { isOnPage } from '../../src/core/database/list-query.ts'
import { type Order, sortKeys } from '../../src/modules/users/lists.ts'
import { userStore } from '../../src/modules/users/store.ts'
import { testApp } from '../app.ts'
import { testDatabase } from '../database.ts'

const users = 9000
const orders: readonly Order[] = sortKeys.flatMap((key) =>
  [false, true].map((descending) => ({ key, descending })),
)
const offsets = [999, 1000, 2048, 2049, 4500, 6144, users - 30, users - 3]

suite('pages by number, far behind', async () => {
  const app = await testApp()
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  const store = userStore(db)
  const numbers = `with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < ${users})`

  // Many have the same name, and the orders differ from each other.
  await execute(
    db,
    `insert into users (name, email, name_key, email_key) ${numbers}
      select 'N' || n * 7919 % 331, 'e' || n * 104729 % 9973 || '@example.org',
        'n' || n * 7919 % 331, 'e' || n * 104729 % 9973 || '@example.org' from numbers`,
  )
  await execute(
    db,
    `insert into posts (title, body, author_id, created_at, updated_at) ${numbers}
      select 'T' || n, '', 1, n, n from numbers`,
  )

  test('they are those of the whole list', () => assertAllPages())

  test('so they are after rows have come, gone and changed places', async () => {
    await execute(db, 'delete from users where id between 3000 and 3100 or id % 83 = 0')
    await execute(db, "update users set name = 'A', name_key = 'a' where id % 97 = 5")
    await execute(db, "update users set name_key = 'zz' where id % 89 = 5")
    await execute(
      db,
      `insert into users (name, email, name_key, email_key) ${numbers}
        select 'M', 'f', 'n5', 'e77@' from numbers where n < 300`,
    )
    await db.deleteFrom('posts').where('id', 'in', [1, 2049, 4097, 5000]).execute()
    await assertAllPages()
  })

  test('they show no staged row of an import, and all of them when it is done', async () => {
    await db.insertInto('imports').values({ id: 7, state: 'open', seen_at: 0 }).execute()
    await execute(
      db,
      `insert into users (name, email, name_key, email_key, import_id) ${numbers}
        select 'I', 'i', 'n7', 'e8', 7 from numbers where n <= 50`,
    )
    await assertAllPages()
    await db.updateTable('imports').set({ state: 'done' }).where('id', '=', 7).execute()
    await db
      .updateTable('row_counts')
      .set((eb) => ({ total: eb('total', '+', 50) }))
      .where('name', '=', 'users')
      .execute()
    await assertAllPages()
  })

  test('a page of the API far behind is the slice of the whole list', async () => {
    const all = await app.call('GET', '/users', { headers })
    for (const page of [120, 200, 449]) {
      const answer = await app.call('GET', `/users?page=${page}&limit=20`, { headers })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body.data, all.body.slice((page - 1) * 20, page * 20))
      assert.equal(answer.body.total, all.body.length)
    }
    const posts = await app.call('GET', '/api/posts', { headers })
    const { body } = await app.call('GET', '/api/posts?page=300&limit=25', { headers })
    assert.deepEqual(body.data, posts.body.slice(299 * 25, 300 * 25))
  })

  test('a page past the end is empty, and the last one may be short', async () => {
    const total = await store.count()
    assert.deepEqual(await store.slice(20, { offset: total }), [])
    assert.deepEqual(await store.slice(20, { offset: total + 5000 }), [])
    assert.equal((await store.slice(20, { offset: total - 3 })).length, 3)
    const order = { key: 'name', descending: true } as const
    assert.equal((await store.list({ order, offset: total - 3, limit: 20 })).length, 3)
    assert.deepEqual(await store.list({ order, offset: total + 1, limit: 20 }), [])
  })

  test('their plan skips ids in an index of the order', async () => {
    if (testDatabase === 'postgres') await execute(db, 'vacuum analyze users')
    for (const key of ['name_key', 'email_key'] as const) {
      const place = { offset: sql.val(8000), limit: sql.val(20) }
      const order = { table: 'users', id: 'id', count: 'users', key } as const
      const page = db
        .selectFrom('users')
        .select('id')
        .where(isOnPage(db, order, place))
      const plan = await planOf(page)
      const index = key === 'name_key' ? 'users_by_name' : 'users_by_email'
      if (testDatabase === 'sqlite') {
        assert.match(plan, new RegExp(`SCAN users USING COVERING INDEX ${index}`))
        assert.doesNotMatch(plan, /SCAN users$/m)
      } else {
        assert.match(plan, new RegExp(`Index Only Scan using ${index}`))
        assert.match(plan, new RegExp(`Index Only Scan Backward using ${index}`))
        assert.doesNotMatch(plan, /Seq Scan on users/)
      }
    }
  })

  async function planOf(query: Compilable): Promise<string> {
    const explain = testDatabase === 'sqlite' ? 'explain query plan' : 'explain'
    const compiled = query.compile()
    const { rows } = await db.executeQuery<Record<string, string>>({
      ...compiled,
      sql: `${explain} ${compiled.sql}`,
    })
    return rows.map((row) => row['QUERY PLAN'] ?? row.detail).join('\n')
  }

  /** Compares the pages at many places of each order with the list, sorted by the whole. */
  async function assertAllPages(): Promise<void> {
    for (const order of orders) {
      const key = { id: 'id', name: 'name_key', email: 'email_key' }[order.key]
      const direction = order.descending ? 'desc' : 'asc'
      const { rows } = await sql<{ id: number }>`
        select users.id from users left join imports on imports.id = users.import_id
        where coalesce(imports.state, 'done') = 'done'
        order by ${sql.ref(`users.${key}`)} ${sql.raw(direction)}, users.id ${sql.raw(direction)}`.execute(
        db,
      )
      const all = rows.map(({ id }) => id)
      for (const offset of offsets) {
        const page = await store.list({ order, offset, limit: 21 })
        const name = `${order.key} ${direction} ${offset}`
        assert.deepEqual(
          page.map(({ id }) => id),
          all.slice(offset, offset + 21),
          name,
        )
      }
    }
  }
})
