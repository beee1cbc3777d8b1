// A database makes a difference: nodes of PostgreSQL alone hold leases.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { digest } from '../../src/core/crypto/digest.ts'
import { connectionOf } from '../../src/core/database/postgres/address.ts'
import { notifiesSetting } from '../../src/core/database/postgres/notification.ts'
import { connectTo, testDatabase } from '../database.ts'
import { everyCredential, type Made, twoNodes } from '../two-nodes.ts'
import { until } from '../until.ts'

/** What a node has committed that was killed before it asked the other nodes to confirm. */
async function killedAfter(directory: string, statement: string, values: unknown[]): Promise<void> {
  const { db, address } = await connectTo({ directory })
  await db.destroy()
  assert.ok(address)
  const client = new pg.Client(connectionOf(address))
  await client.connect()
  try {
    await client.query(`set ${notifiesSetting} = 'on'`)
    await client.query(statement, values)
  } finally {
    await client.end()
  }
}

suite('an end that is repeated after its node was killed', async () => {
  if (testDatabase !== 'postgres') return
  const { one, two, byAdmin, make } = await twoNodes()
  const known = async () => {
    const made = await make()
    await until(() => two.deps.feed.isCurrent())
    for (let times = 0; times < 2; times += 1) assert.equal(await made.accepted(), everyCredential)
    return made
  }
  const account = ({ who }: Made) => `/api/admin/accounts/${who.username}`

  test('a logout is answered when every node refuses the session', async () => {
    const made = await known()
    const id = digest(made.session.cookie?.split('=')[1] ?? '')
    await killedAfter(one.directory, 'delete from sessions where id = $1', [id])
    const { status, body } = await one.call('POST', '/logout', { headers: made.session })
    assert.deepEqual([status, body], [200, { message: 'Logged out' }])
    assert.equal(await made.accepted(), 'token pair external')
  })

  test('a lock is answered when every node refuses the account', async () => {
    const made = await known()
    await killedAfter(one.directory, 'update accounts set locked = 1 where user_id = $1', [
      made.who.userId,
    ])
    const locked = { ...byAdmin, json: { locked: true } }
    const { status, body } = await one.call('PUT', account(made), locked)
    assert.deepEqual([status, body.locked], [200, true])
    const session = await made.uses.session()
    assert.deepEqual([session.status, session.body], [401, { error: 'Authentication required' }])
  })

  test('a revocation is answered when every node refuses the token', async () => {
    const made = await known()
    const headers = { authorization: `Bearer ${made.token}` }
    const [, payload = ''] = made.token.split('.')
    const { jti, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    await killedAfter(
      one.directory,
      'insert into revocations (token, expires_at) values ($1, $2)',
      [jti, exp * 1000],
    )
    const { status } = await one.call('POST', '/logout', { headers })
    assert.equal(status, 200)
    assert.equal(await made.accepted(), 'pair session host external')
  })
})
