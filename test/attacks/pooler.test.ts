// A database makes a difference: PostgreSQL alone stands behind a pooler.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { after, suite } from 'node:test'
import type { PostgresAddress } from '../../src/database/postgres/address.ts'
import { testApp } from '../app.ts'
import { connectTo, heard, postgresOnly as test } from '../database.ts'
import { until } from '../until.ts'

/**
 * The worst that a pooler in transaction mode does to a node that listens: it answers, under a number
 * of its own making, and passes every notification to another client. Answers its port.
 */
async function startPooler({ host, port }: PostgresAddress): Promise<number> {
  const server = createServer((client) => {
    const database = createConnection(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    )
    let unread = Buffer.alloc(0)
    database.on('data', (bytes: Buffer) => {
      unread = Buffer.concat([unread, bytes])
      // Type, length of the rest, body. https://www.postgresql.org/docs/current/protocol-message-formats.html
      while (unread.length >= 5 && unread.length > unread.readUInt32BE(1)) {
        const message = unread.subarray(0, unread.readUInt32BE(1) + 1)
        unread = unread.subarray(message.length)
        const type = String.fromCharCode(message[0] ?? 0)
        if (type === 'K') message.writeUInt32BE(message.readUInt32BE(5) + 1_000_000, 5) // BackendKeyData
        if (type !== 'A') client.write(message) // NotificationResponse
      }
    })
    client.pipe(database)
    for (const socket of [client, database]) socket.on('error', () => {})
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as AddressInfo).port // it listens on TCP
}

suite('a pooler between a node and PostgreSQL', () => {
  test('T57: a token that another node has ended is refused, although no notice comes through', async () => {
    const near = await testApp()
    const { db, address } = await connectTo({ directory: near.directory })
    await db.destroy()
    assert.ok(address)
    const port = await startPooler(address)
    const far = await testApp(
      { DATABASE_URL: `postgres://${address.user}@127.0.0.1:${port}/${address.database}` },
      { directory: near.directory, clock: near.clock, seed: 2 },
    )
    const status = async (headers: Record<string, string>) =>
      (await far.call('GET', '/api/me', { headers })).status
    for (let round = 0; round < 3; round += 1) {
      const headers = await near.bearer(near.admin)
      assert.equal(await status(headers), 200)
      await until(async () => {
        await status(headers)
        return far.deps.feed.isCurrent()
      })
      await near.call('POST', '/logout', { headers })
      await heard(far)
      assert.equal(await status(headers), 401)
    }
    await far.close()
  })
})
