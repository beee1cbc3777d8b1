// A database makes a difference: the log of changes for other nodes is PostgreSQL's.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { connectionOf } from '../../src/core/database/postgres/address.ts'
import { PooledPostgresDialect } from '../../src/core/database/postgres/driver.ts'
import { channel } from '../../src/core/database/postgres/notification.ts'
import type { Schema } from '../../src/core/database/schema.ts'
import { databaseMeasurements } from '../../src/core/measurements/measurements.ts'
import { type TestApp, testApp } from '../app.ts'
import { connectTo, postgresOnly as test } from '../database.ts'
import { until } from '../until.ts'

interface Listener {
  readonly client: pg.Client
  /** How many notifications have come so far. */
  notified(): Promise<number>
  /** What was logged since the last call. */
  logged(): Promise<string[]>
}

async function listenerFor({ directory }: Pick<TestApp, 'directory'>): Promise<Listener> {
  const { db, address } = await connectTo({ directory })
  await db.destroy()
  assert.ok(address)
  const client = new pg.Client(connectionOf(address))
  await client.connect()
  let count = 0
  client.on('notification', () => {
    count += 1
  })
  await client.query(`listen ${channel}`)
  const logged = async () => {
    const { rows } = await client.query<{ subject: string }>(
      'delete from node_changes returning subject',
    )
    return [...new Set(rows.map(({ subject }) => subject))].toSorted()
  }
  await logged()
  return {
    client,
    logged,
    async notified() {
      await client.query('select') // its answer comes after the notifications
      return count
    },
  }
}

suite('the log of changes', () => {
  test('names what has ended, and nothing that ends nothing', async () => {
    const app = await testApp()
    const headers = app.basic(app.admin)
    const { client, logged } = await listenerFor(app)
    const json = { name: 'Ann Lee', email: 'ann@example.org' }
    const { body } = await app.call('POST', '/users', { headers, json })
    const who = await app.account('ann')
    const cookie = await app.session(who)
    assert.equal((await app.call('GET', '/api/session', { headers: cookie })).status, 200)
    const bearer = await app.bearer(who)
    const post = await app.call('POST', '/api/posts', { headers, json: { title: 'News' } })
    assert.equal(post.status, 201, post.text)
    const place = `/api/posts/${post.body.id}`
    const changed = { headers, json: { title: 'Old news' } }
    assert.equal((await app.call('PUT', place, changed)).status, 200)
    assert.equal((await app.call('DELETE', place, { headers })).status, 200)
    const pair = { username: who.username, password: who.password, mode: 'pair' }
    assert.equal((await app.call('POST', '/login', { json: pair })).status, 200)
    const wrong = { ...pair, password: 'another one' }
    assert.equal((await app.call('POST', '/login', { json: wrong })).status, 401)
    assert.deepEqual(await logged(), [])
    const change = async (method: string, path: string, given?: object) => {
      const answer = await app.call(method, path, { headers, ...(given && { json: given }) })
      assert.equal(answer.status, 200, answer.text)
      return logged()
    }
    assert.deepEqual(await change('PUT', `/users/${body.id}`, { name: 'Bo' }), ['users'])
    assert.deepEqual(await change('DELETE', `/users/${body.id}`), ['users'])
    const again = await app.call('DELETE', `/users/${body.id}`, { headers })
    assert.deepEqual([again.status, await logged()], [404, []])
    assert.equal((await app.call('POST', '/logout', { headers: bearer })).status, 200)
    assert.deepEqual(await logged(), ['revocations'])
    assert.equal((await app.call('POST', '/logout', { headers: cookie })).status, 200)
    const [session = '', ...more] = await logged()
    assert.match(session, /^session /)
    assert.deepEqual(more, [])
    const of = `user ${who.userId}`
    const path = '/api/admin/accounts/ann'
    for (const given of [{ locked: true }, { active: false }, { roles: ['EDITOR'] }]) {
      const subjects = await change('PUT', path, given)
      assert.ok(subjects.includes(of), `${JSON.stringify(given)}: ${subjects}`)
    }
    await client.end()
    await app.close()
  })

  test('holds changes by hand, which wake the nodes', async () => {
    const app = await testApp()
    const { client, notified, logged } = await listenerFor(app)
    const other = (await listenerFor(app)).client
    await other.query("update users set name = 'by hand' where id = 1")
    assert.deepEqual([await notified(), await logged()], [1, ['users']])
    // A session that confirms its changes is told, and no other node is.
    const notices: (string | undefined)[] = []
    other.on('notice', ({ code }) => notices.push(code))
    await other.query("set gatehouse.notifies = 'on'; set client_min_messages = error")
    await other.query("update users set name = 'by a node' where id = 1")
    assert.deepEqual([await notified(), await logged(), notices], [1, ['users'], ['GH001']])
    await other.end()
    await client.end()
    await app.close()
  })

  test('holds a change without a transaction, and none that is rolled back', async () => {
    const app = await testApp()
    const { db } = app.deps
    const { client, logged } = await listenerFor(app)
    const change = sql`update users set name = 'alone' where id = 1`
    await change.execute(db)
    assert.deepEqual(await logged(), ['users'])
    const refusal = new Error('refused')
    const refused = db.transaction().execute(async (trx) => {
      await change.execute(trx)
      throw refusal
    })
    await assert.rejects(refused, refusal)
    assert.deepEqual(await logged(), [])
    await client.end()
    await app.close()
  })

  test('a change that was undone, or failed, makes no later statement wait for nodes', async () => {
    const { address, db: other } = await connectTo()
    assert.ok(address)
    let waits = 0
    const dialect = new PooledPostgresDialect({
      connection: connectionOf(address),
      poolMax: 1,
      timeoutMs: 10_000,
      measurements: databaseMeasurements(),
      async confirmed() {
        waits += 1
      },
      onClose: async () => {},
    })
    const db = new Kysely<Schema>({ dialect })
    const change = sql`update users set name = 'undone' where id = 1`
    const failing = sql`do $$ begin
      update users set name = 'failed' where id = 1;
      raise exception 'no';
    end $$`
    await assert.rejects(failing.execute(db))
    await sql`select`.execute(db)
    await assert.rejects(
      db.transaction().execute(async (trx) => {
        await change.execute(trx)
        throw new Error('no')
      }),
    )
    await sql`select`.execute(db)
    assert.equal(waits, 0)
    await change.execute(db)
    assert.equal(waits, 1)
    for (const each of [db, other]) await each.destroy()
  })

  test('T57: an end whose node is killed between commit and answer is known by the next renewal', async () => {
    const app = await testApp()
    const { client } = await listenerFor(app)
    const headers = await app.bearer(app.admin)
    const status = async () => (await app.call('GET', '/api/me', { headers })).status
    await until(() => app.deps.feed.isCurrent())
    assert.equal(await status(), 200)
    const [, claims = ''] = headers.authorization?.split('.') ?? []
    const { jti, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    await client.query("set gatehouse.notifies = 'on'") // so the trigger leaves it to the node
    await client.query('insert into revocations (token, expires_at) values ($1, $2)', [
      jti,
      exp * 1000,
    ])
    await client.end()
    await until(async () => (await status()) === 401)
    await app.close()
  })
})
