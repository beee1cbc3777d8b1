// A database makes a difference: the notifications of commits are PostgreSQL's.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { connectionOf, type PostgresAddress } from '../../src/core/database/postgres/address.ts'
import { channel, notify } from '../../src/core/database/postgres/notification.ts'
import { Session } from '../../src/core/database/postgres/session.ts'
import { type TestApp, testApp } from '../app.ts'
import { connectTo, heard, postgresOnly as test } from '../database.ts'
import { databasePooler } from '../database-proxy.ts'
import { until } from '../until.ts'

/** A client that listens as the feed of another node does, and other work by hand. */
interface Listener {
  readonly client: pg.Client
  /** How many notifications have come of the commits so far. */
  notified(): Promise<number>
}

async function addressOf({ directory }: Pick<TestApp, 'directory'>): Promise<PostgresAddress> {
  const { db, address } = await connectTo({ directory })
  await db.destroy()
  assert.ok(address)
  return address
}

async function listenerFor(app: TestApp): Promise<Listener> {
  const client = new pg.Client(connectionOf(await addressOf(app)))
  await client.connect()
  let count = 0
  client.on('notification', () => {
    count += 1
  })
  await client.query(`listen ${channel}`)
  return {
    client,
    async notified() {
      await client.query('select') // its answer comes after the notifications
      return count
    },
  }
}

/** What becomes of a statement on its way to the server. */
type Change = (text: string) => string

/** Passes the statements of all sessions through a function, while the work is under way. */
async function changing<T>(change: Change, work: () => Promise<T>): Promise<T> {
  const { transmit } = Session.prototype
  Session.prototype.transmit = function (this: Session, statement, before) {
    return transmit.call(this, { ...statement, text: change(statement.text) }, before)
  }
  try {
    return await work()
  } finally {
    Session.prototype.transmit = transmit
  }
}

/** Makes the first notifications fail, and not the commits before them. */
function failing(times: number): { readonly change: Change; failed(): number } {
  let failed = 0
  const change: Change = (text) => {
    if (failed >= times || !text.endsWith(notify)) return text
    failed += 1
    return text.replace(notify, 'select 1 / 0')
  }
  return { change, failed: () => failed }
}

suite('notifications of commits', () => {
  test('a change is notified once, when its answer is sent; one that ends nothing is not', async () => {
    const app = await testApp()
    const headers = await app.bearer(app.admin)
    const { client, notified } = await listenerFor(app)
    const json = { name: 'Ann Lee', email: 'ann@example.org' }
    const { body } = await app.call('POST', '/users', { headers, json })
    await app.token(app.admin)
    assert.equal(await notified(), 0)
    const path = `/users/${body.id}`
    assert.equal((await app.call('PUT', path, { headers, json: { name: 'Bo' } })).status, 200)
    assert.equal(await notified(), 1)
    assert.equal((await app.call('DELETE', path, { headers })).status, 200)
    assert.equal(await notified(), 2)
    assert.equal((await app.call('DELETE', path, { headers })).status, 404)
    assert.equal(await notified(), 2)
    assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
    assert.equal(await notified(), 3)
    await client.end()
    await app.close()
  })

  test('changes by hand and by version 0.3.0, which set nothing, are notified by the trigger', async () => {
    const app = await testApp()
    const { client, notified } = await listenerFor(app)
    const other = new pg.Client(connectionOf(await addressOf(app)))
    await other.connect()
    await other.query("update users set name = 'by hand' where id = 1")
    assert.equal(await notified(), 1)
    // A session that notifies by itself is told, and no other node is.
    const notices: (string | undefined)[] = []
    other.on('notice', ({ code }) => notices.push(code))
    await other.query("set gatehouse.notifies = 'on'")
    await other.query("update users set name = 'by a node' where id = 1")
    assert.equal(await notified(), 1)
    assert.deepEqual(notices, ['GH001'])
    await other.end()
    await client.end()
    await app.close()
  })

  test('a change without a transaction is notified too, and one that is rolled back is not', async () => {
    const app = await testApp()
    const { db } = app.deps
    const { client, notified } = await listenerFor(app)
    const change = sql`update users set name = 'alone' where id = 1`
    await change.execute(db)
    assert.equal(await notified(), 1)
    const refusal = new Error('refused')
    const refused = db.transaction().execute(async (trx) => {
      await change.execute(trx)
      throw refusal
    })
    await assert.rejects(refused, refusal)
    await sql`select 1`.execute(db) // the session does not keep the mark of what was rolled back
    await db.transaction().execute((trx) => sql`select 1`.execute(trx))
    assert.equal(await notified(), 1)
    await client.end()
    await app.close()
  })

  test('a notification that fails is repeated before the answer; the commit stays', async () => {
    const app = await testApp()
    const { client, notified } = await listenerFor(app)
    for (const times of [1, 2]) {
      const headers = await app.bearer(app.admin)
      const before = await notified()
      const { change, failed } = failing(times)
      const logout = () => app.call('POST', '/logout', { headers })
      const { status } = await changing(change, logout)
      assert.deepEqual([status, failed()], [200, times])
      assert.equal(await notified(), before + 1)
      assert.equal((await app.call('GET', '/api/me', { headers })).status, 401)
    }
    await client.end()
    await app.close()
  })

  test('an end that no other node can be told of is not acknowledged, and ends all the same', async () => {
    const app = await testApp()
    const { client, notified } = await listenerFor(app)
    const headers = await app.bearer(app.admin)
    const { change } = failing(Number.POSITIVE_INFINITY)
    const logout = () => app.call('POST', '/logout', { headers })
    const { status, body } = await changing(change, logout)
    assert.equal(status, 503)
    assert.deepEqual(body, { error: 'Service unavailable' })
    assert.equal(await notified(), 0)
    await until(async () => (await app.call('GET', '/api/me', { headers })).status === 401)
    // The other nodes know of it by their heartbeats.
    assert.equal((await logout()).status, 200)
    await client.end()
    await app.close()
  })

  test('T57: a commit whose notification is lost with its node is known by the next heartbeat', async () => {
    const app = await testApp()
    const { client } = await listenerFor(app)
    const headers = await app.bearer(app.admin)
    const status = async () => (await app.call('GET', '/api/me', { headers })).status
    await heard(app)
    assert.equal(await status(), 200)
    const [, claims = ''] = headers.authorization?.split('.') ?? []
    const { jti, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    // As a node that is killed between its commit and its notification.
    await client.query("set gatehouse.notifies = 'on'")
    await client.query('insert into revocations (token, expires_at) values ($1, $2)', [
      jti,
      exp * 1000,
    ])
    await client.end()
    await until(async () => (await status()) === 401)
    await app.close()
  })

  test('a node behind a pooler leaves the notifications to the triggers', async () => {
    const near = await testApp()
    const far = await testApp(
      { DATABASE_URL: await databasePooler(await addressOf(near)) },
      { directory: near.directory, clock: near.clock, seed: 2 },
    )
    const headers = await far.bearer(near.admin)
    const { client, notified } = await listenerFor(near)
    const sent: string[] = []
    const note: Change = (text) => {
      sent.push(text)
      return text
    }
    const { status } = await changing(note, () => far.call('POST', '/logout', { headers }))
    assert.equal(status, 200)
    assert.ok(sent.includes('commit'), sent.join('\n'))
    assert.equal(await notified(), 1)
    await client.end()
    await far.close()
    await near.close()
  })
})
