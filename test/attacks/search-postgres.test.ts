// A database makes a difference: PostgreSQL searches by an index of its own.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../src/core/database/connect.ts'
import type { Database } from '../../src/core/database/database.ts'
import { latestSchema, migrate, schemaVersion } from '../../src/core/database/migrate.ts'
import { serverWarnings } from '../../src/core/database/postgres/server.ts'
import { createFindUsers, insertUser } from '../../src/modules/users/users.ts'
import { type Answer, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, postgresOnly as test } from '../database.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { seedUsers } from '../users.ts'

const atOnce = 20

/** What an operator runs, docs/postgresql.md. */
async function makeIndexes(db: Database): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  for (const column of ['name', 'email']) {
    await sql`create index concurrently ${sql.id(`users_${column}_search`)} on users
      using gin (${sql.id(`${column}_key`)} gin_trgm_ops)`.execute(db)
  }
}

async function dropIndexes(db: Database): Promise<void> {
  await sql`drop index users_name_search, users_email_search`.execute(db)
}

/** Many searches while the table cannot be read: what is refused, and then what is found. */
async function searchTogether({ app, q }: { app: TestApp; q: string }, refusals: number) {
  const headers = await app.bearer(app.admin)
  const refused: Answer[] = []
  const found: Answer[] = []
  let all: Promise<unknown> = Promise.resolve()
  await app.deps.db.transaction().execute(async (trx) => {
    await sql`lock table users in access exclusive mode`.execute(trx)
    all = Promise.all(
      Array.from({ length: atOnce }, async () => {
        const answer = await app.call('GET', `/api/v2/users?q=${q}`, { headers })
        ;(answer.status === 200 ? found : refused).push(answer)
      }),
    )
    await until(() => refused.length >= refusals)
    // Searches keep no connection from everything else, which does not read this table.
    const other = await app.call('GET', '/api/posts', { headers })
    assert.equal(other.status, 200)
  })
  await all
  return { refused, found }
}

suite('search on PostgreSQL', () => {
  test('without the index two at a time read the table, and the others are 503', async () => {
    const app = await testApp()
    await dropIndexes(app.deps.db)
    await seedUsers(app, 3)
    const warned = async () =>
      /pg_trgm are missing/.test((await serverWarnings(app.deps.db)).join())
    assert.equal(await warned(), true)
    const { refused, found } = await searchTogether({ app, q: 'name' }, atOnce - 2)
    assert.deepEqual([refused.length, found.length], [atOnce - 2, 2])
    for (const answer of refused) {
      assertRefusal(answer, 503, 'Service unavailable')
      assert.equal(answer.headers['retry-after'], '1')
    }
    for (const { body } of found) assert.equal(body.total, 3)
    // Beginnings are in the indexes that lists are sorted by: they wait.
    const beginnings = await searchTogether({ app, q: 'na' }, 0)
    assert.deepEqual([beginnings.refused.length, beginnings.found.length], [0, atOnce])

    await makeIndexes(app.deps.db) // while the service runs
    assert.equal(await warned(), false)
    const indexed = await searchTogether({ app, q: 'name' }, 0)
    assert.deepEqual([indexed.refused.length, indexed.found.length], [0, atOnce])
    await app.close()
  })

  test('a role that may not create the extension has the schema all the same, and searches', async () => {
    const owner = await connectTo({ isEmpty: true })
    assert.ok(owner.address)
    const name = `plain_${process.pid}`
    const role = sql.id(name)
    await sql`create role ${role} login`.execute(owner.db)
    await sql`grant create, usage on schema public to ${role}`.execute(owner.db)
    const connected = { dataDirectory: owner.directory, timeoutMs: 10_000 }
    const { db } = connect({ ...connected, postgres: { ...owner.address, user: name } })
    await migrate(db, fixedClock())
    assert.equal(await schemaVersion(db), latestSchema)
    const { rows } = await sql`select from pg_extension where extname = 'pg_trgm'`.execute(db)
    assert.equal(rows.length, 0)

    const user = await insertUser(db, { name: 'Zoë', email: 'zoe@example.org' })
    const find = createFindUsers(db, { ...connected, postgres: undefined, poolMax: 10 })
    const search = { text: 'OË', order: { key: 'id', descending: false }, limit: 2 } as const
    const whole = { ...search, text: 'ZOË' }
    assert.deepEqual(await find(search), { users: [], total: 0 })
    assert.deepEqual(await find(whole), { users: [user], total: 1 })
    await makeIndexes(owner.db)
    assert.deepEqual(await find(whole), { users: [user], total: 1 })

    await db.destroy()
    await sql`drop owned by ${role}`.execute(owner.db)
    await sql`drop role ${role}`.execute(owner.db)
    await owner.db.destroy()
  })
})
