// A database makes a difference: PostgreSQL alone can do what this asks.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  DatabaseUnavailable,
  TransactionConflict,
  UniqueViolation,
} from '../../src/core/database/errors.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { testApp } from '../app.ts'
import { connectTo, heard, postgresOnly as test } from '../database.ts'
import { standingTime } from '../standing-time.ts'
import { until } from '../until.ts'

/** What only a server across a network can do to us. */
suite('PostgreSQL', () => {
  const terminate = (where: string) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query like ${where}`

  test('a node whose ear was cut off takes itself for blind, and hears again by itself', async () => {
    const app = await testApp()
    const { feed, db } = app.deps
    await heard(app)
    assert.equal(feed.isCurrent(), true)
    const before = feed.version()
    await terminate('%pg_current_snapshot%').execute(db) // a renewal
    while (feed.isCurrent()) await setImmediate()
    while (!feed.isCurrent()) await setImmediate() // as long as the test may take
    assert.notEqual(feed.version(), before, 'what was told meanwhile is looked for')
    await app.close()
  })

  test('connections that were lost are made anew, and the request after is served', async () => {
    const app = await testApp()
    const headers = app.basic(app.admin)
    const other = await connectTo({ directory: app.directory })
    await terminate('%').execute(other.db)
    await other.db.destroy()
    let status = 0
    for (let tries = 0; tries < 20 && status !== 200; tries += 1) {
      status = (await app.call('GET', '/users', { headers })).status
      assert.ok(status === 200 || status === 503, String(status))
    }
    assert.equal(status, 200)
    await app.close()
  })

  test('a lock that is not let go is a DatabaseUnavailable, and the connection serves on', async () => {
    const { db } = await connectTo({ timeoutMs: 300 })
    await db.transaction().execute(async (trx) => {
      await sql`lock table schema_version in access exclusive mode`.execute(trx)
      return assert.rejects(
        transact(db, [], (mine) => mine.selectFrom('schema_version').selectAll().execute()),
        DatabaseUnavailable,
      )
    })
    assert.ok((await db.selectFrom('schema_version').selectAll().execute()).length > 0)
    await db.destroy()
  })

  test('a wait for a lock name and then for a connection has one time limit', async (t) => {
    const timeoutMs = 600
    const { db } = await connectTo({ timeoutMs })
    const time = standingTime(t)
    const held = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const isIn = Promise.withResolvers<void>()
    const first = transact(db, ['word'], async () => {
      isIn.resolve()
      await held.promise
    })
    await isIn.promise
    const ended: string[] = []
    const late = (name: string, names: readonly string[]) =>
      transact(db, names, async () => {}).then(
        () => assert.fail(`${name} got a connection`),
        (error: unknown) => {
          ended.push(name)
          return error
        },
      )
    const second = late('second', ['word'])
    await time.pass(timeoutMs / 2)
    // All the other connections are busy from here on, and the one of the first is taken over.
    const rivals = Array.from({ length: 12 }, () =>
      db
        .transaction()
        .execute(() => over.promise)
        .catch(() => {}),
    )
    // Its time begins here: what has waited for the lock name before has less of it left.
    const third = late('third', [])
    held.resolve()
    await first
    assert.deepEqual(ended, [])
    await time.pass(timeoutMs / 2)
    await until(() => ended.length > 0)
    assert.deepEqual(ended, ['second'])
    await time.pass(timeoutMs / 2)
    for (const error of await Promise.all([second, third])) {
      assert.ok(error instanceof DatabaseUnavailable)
    }
    assert.deepEqual(ended, ['second', 'third'])
    over.resolve()
    await Promise.all(rivals)
    await db.destroy()
  })

  test('of two transactions that wait for each other one is begun anew, and both are done', async () => {
    const { db } = await connectTo({ timeoutMs: 5000 })
    await sql`create table pair (id bigint primary key, n bigint not null)`.execute(db)
    await sql`insert into pair values (1, 0), (2, 0)`.execute(db)
    let attempts = 0
    let updates = 0
    const eachHasOne = Promise.withResolvers<void>()
    const both = [
      [1, 2],
      [2, 1],
    ].map((order) =>
      transact(db, [], async (trx) => {
        attempts += 1
        for (const id of order) {
          await sql`update pair set n = n + 1 where id = ${id}`.execute(trx)
          updates += 1
          if (updates === 2) eachHasOne.resolve()
          await eachHasOne.promise
        }
      }),
    )
    await Promise.all(both)
    assert.ok(attempts >= 3, String(attempts)) // both may be ended, and more than once
    const { rows } = await sql<{ n: number }>`select n from pair`.execute(db)
    assert.deepEqual(rows, [{ n: 2 }, { n: 2 }])
    await db.destroy()
  })

  test('numbers are numbers, a taken value is a UniqueViolation, and NaN is refused', async () => {
    const { db } = await connectTo()
    const { rows } = await sql<object>`
      select 9007199254740991::bigint as most, count(*) as few, 2::int as two, true as yes, 1.5::numeric as half
    `.execute(db)
    assert.deepEqual({ ...rows[0] }, { most: 2 ** 53 - 1, few: 1, two: 2, yes: 1, half: 1.5 })
    const key = { nonce: 'n', expires_at: 1 }
    await db.insertInto('used_challenges').values(key).execute()
    await assert.rejects(db.insertInto('used_challenges').values(key).execute(), UniqueViolation)
    await assert.rejects(sql`select ${Number.NaN}::float8`.execute(db), TypeError)
    assert.ok(new TransactionConflict({ cause: null }) instanceof DatabaseUnavailable)
    await db.destroy()
  })
})
