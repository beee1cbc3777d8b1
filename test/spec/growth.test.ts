// A database makes a difference: plans of queries and triggers that count.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  type Database,
  type DatabaseOrTransaction,
  execute,
} from '../../src/core/database/database.ts'
import { latestSchema, migrateTo } from '../../src/core/database/migrate.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { accountStore } from '../../src/modules/accounts/store.ts'
import { purgeSessions } from '../../src/modules/sessions/store.ts'
import { loadRevocations } from '../../src/modules/tokens/revocations.ts'
import { type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, testDatabase } from '../database.ts'
import { importLines, line, someHash } from '../transfer.ts'
import { until } from '../until.ts'

const job = ({ app }: TestApp, wanted: string) => app.jobs.find(({ name }) => name === wanted)

suite('totals that are kept', async () => {
  const app = await testApp()
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  const admin = '/api/admin/accounts'

  test('the totals of accounts are those of the table after any change', async () => {
    const names = ['ann', 'ben', 'cleo', 'dan', 'eve']
    for (const name of names) await app.account(name)
    await assertTotals(6)
    await change('ann', { roles: ['USER', 'EDITOR'], locked: true })
    await change('ben', { active: false })
    await change('cleo', { locked: true })
    await change('cleo', { locked: false })
    await change('dan', { roles: ['ADMIN'] })
    await assertTotals(6)
    await app.call('DELETE', `${admin}/dan`, { headers })
    const { body } = await app.call('GET', `${admin}/eve`, { headers })
    await app.call('DELETE', `/users/${body.user_id}`, { headers })
    await assertTotals(4)
  })

  test('an import counts when it is done, and not at all where it is not', async () => {
    const lines = ['fay', 'gus', 'hal'].map((name) => line(name))
    const dryRun = await importLines(app, headers, lines, { query: '?dry_run=true' })
    assert.equal(dryRun.status, 200)
    await assertTotals(4)
    const taken = await importLines(app, headers, [...lines, line('ann')])
    assert.equal(taken.status, 400)
    await job(app, 'dead imports')?.run()
    await assertTotals(4)
    await importLines(app, headers, [...lines, line('ida', { roles: ['ADMIN'], active: false })])
    await assertTotals(8)
    await job(app, 'dead imports')?.run()
    await assertTotals(8)
    await app.call('DELETE', `${admin}/gus`, { headers })
    await assertTotals(7)
  })

  test('accounts of an import under way count nowhere', async () => {
    await db
      .insertInto('imports')
      .values({ id: 77, state: 'open', seen_at: app.clock.now() })
      .execute()
    const user = { name: 'Joe', email: 'joe@example.org', name_key: 'joe', email_key: 'joe' }
    const { id } = await db
      .insertInto('users')
      .values({ ...user, import_id: 77 })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('accounts')
      .values({
        ...{ user_id: id, username: 'joe', locked: 0, active: 1, created_at: 0, import_id: 77 },
      })
      .execute()
    await db.insertInto('role_assignments').values({ account: id, role: 'USER' }).execute()
    await db
      .insertInto('passwords')
      .values({ account: id, hash: someHash, must_change: 1 })
      .execute()
    await assertTotals(7)
    await db.updateTable('imports').set({ state: 'failed' }).where('id', '=', 77).execute()
    await job(app, 'dead imports')?.run()
    await assertTotals(7)
    const { row_counts = [] } = await app.rows()
    const left = (row_counts as { name: string }[]).filter(({ name }) => name.startsWith('import'))
    assert.deepEqual(left, [])
  })

  async function change(name: string, json: object) {
    const { status } = await app.call('PUT', `${admin}/${name}`, { headers, json })
    assert.equal(status, 200)
  }

  async function assertTotals(total: number) {
    const list = await app.call('GET', `${admin}?limit=1`, { headers })
    assert.equal(list.body.total, total)
    const { body } = await app.call('GET', '/api/admin/statistics', { headers })
    const having = (what: string) =>
      sql<number>`coalesce(sum(case when ${sql.raw(what)} then 1 else 0 end), 0)`
    const role = (name: string) =>
      `exists (select 1 from role_assignments where account = accounts.user_id and role = '${name}')`
    const counted = await db
      .selectFrom('accounts')
      .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('imports')
              .select('id')
              .where('state', '!=', 'done')
              .whereRef('imports.id', '=', 'accounts.import_id'),
          ),
        ),
      )
      .select([
        (eb) => eb.fn.countAll<number>().as('total'),
        having(role('USER')).as('USER'),
        having(role('EDITOR')).as('EDITOR'),
        having(role('ADMIN')).as('ADMIN'),
        having('locked = 1').as('locked'),
        having('active = 0').as('disabled'),
        having('second_factor = 1').as('second_factor'),
        having('must_change = 1').as('must_change'),
      ])
      .executeTakeFirstOrThrow()
    const { USER, EDITOR, ADMIN, ...others } = counted
    assert.deepEqual(body.accounts, { ...others, by_role: { USER, EDITOR, ADMIN } })
    assert.equal(counted.total, total)
  }
})

suite('accounts that were there before they were counted', () => {
  const migrated = async (db: Database, version: number) =>
    transact(db, [], (trx) => migrateTo(trx, fixedClock(), version))
  const insert = (db: DatabaseOrTransaction, userId: number) =>
    execute(
      db,
      `insert into accounts (user_id, username, password_hash, roles, locked, active, must_change, created_at)
        values (${userId}, 'name ${userId}', 'x', 'USER', 0, 1, 0, 0)`,
    )

  test('are counted, also one that another node makes while the schema changes', async () => {
    const { db, directory } = await connectTo({ isEmpty: true, timeoutMs: 10_000 })
    await migrated(db, 9)
    for (const name of ['ann', 'bob']) {
      await execute(
        db,
        `insert into users (name, email, name_key, email_key) values ('${name}', 'a@b.co', '${name}', 'a@b.co')`,
      )
    }
    await insert(db, 1)
    const other = await connectTo({ directory, timeoutMs: 10_000 })
    let migrating: Promise<unknown> = Promise.resolve()
    await transact(other.db, [], async (trx) => {
      await insert(trx, 2)
      if (testDatabase === 'sqlite') return // it admits no other writer meanwhile
      migrating = migrated(db, latestSchema)
      const waiting = sql<{ count: number }>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await waiting.execute(other.db)).rows[0]?.count === 1)
    })
    await migrating
    await migrated(db, latestSchema)
    assert.equal(await accountStore(db).count(), 2)
    await db.destroy()
    await other.db.destroy()
  })
})

suite('steps of jobs', async () => {
  const app = await testApp()
  const { db, clock } = app.deps
  const { userId } = await app.account('ann')
  const times = { user_id: userId, csrf_token: 'c', address: '', user_agent: '' }

  test('sessions go by either of their ends, the oldest first, so many at a step', async () => {
    await db
      .insertInto('sessions')
      .values([
        { id: 'idle 1', created_at: 40, last_seen_at: 41, ...times },
        { id: 'idle 2', created_at: 30, last_seen_at: 42, ...times },
        { id: 'old 1', created_at: 10, last_seen_at: 91, ...times },
        { id: 'old 2', created_at: 11, last_seen_at: 92, ...times },
        { id: 'live', created_at: 60, last_seen_at: 93, ...times },
      ])
      .execute()
    const left = async () =>
      (await db.selectFrom('sessions').select('id').orderBy('id').execute()).map(({ id }) => id)
    const until = { seenBefore: 50, createdBefore: 20, keptBefore: null }
    const purged = async (batchSize: number) =>
      (await purgeSessions(db, until, batchSize)).map(({ createdAt }) => createdAt)
    assert.deepEqual(await purged(1), [40])
    assert.deepEqual(await left(), ['idle 2', 'live', 'old 1', 'old 2'])
    assert.deepEqual(await purged(2), [30, 10])
    assert.deepEqual(await left(), ['live', 'old 2'])
    assert.deepEqual(await purged(2), [11])
    assert.deepEqual(await purged(2), [])
    assert.deepEqual(await left(), ['live'])
  })

  test('a step is no larger where a burst follows a time of nothing', async () => {
    const sessions = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...{ id: `burst ${n}`, created_at: n, last_seen_at: n, ...times },
      }))
    await db.insertInto('sessions').values(sessions(1000)).execute()
    await db.deleteFrom('sessions').execute()
    if (testDatabase === 'postgres') await execute(db, 'vacuum analyze sessions')
    await db.insertInto('sessions').values(sessions(1000)).execute()
    const until = { seenBefore: 500, createdBefore: 800, keptBefore: null }
    for (const removed of [250, 250, 250, 51, 0]) {
      assert.equal((await purgeSessions(db, until, 250)).length, removed)
    }
  })

  test('a start reads a deny-list of any length', async () => {
    const ends = clock.now() + 3_600_000
    const token = (index: number) => `token ${index}`
    for (let from = 0; from < 12_000; from += 4000) {
      const tokens = Array.from({ length: 4000 }, (_, index) => token(from + index))
      await db
        .insertInto('revocations')
        .values(tokens.map((token) => ({ token, expires_at: ends })))
        .execute()
    }
    const revocations = await loadRevocations(app.deps)
    const isRefused = (jti: string) =>
      revocations.refuses({ jti, sub: '0', ver: 1, iat: clock.now() / 1000 })
    for (const index of [0, 4999, 5000, 9999, 10_000, 11_999]) {
      assert.equal(await isRefused(token(index)), true, token(index))
    }
    assert.equal(await isRefused(token(12_000)), false)
  })
})
