import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { testApp } from '../app.ts'
import { seedPosts } from '../posts.ts'
import { rawRequest } from '../raw-http.ts'
import { until } from '../until.ts'
import { seedUsers } from '../users.ts'
import { watchedDatabase } from '../watched-database.ts'

const posts = 100 // of 80 kB each: more than the kernel takes of what is not read

suite('readers that do not read', async () => {
  let batches = 0
  const app = await testApp(
    {},
    await watchedDatabase(({ table }) => {
      if (table === 'posts') batches += 1
    }),
  )
  const { server } = app.app.server
  await seedPosts(app, posts)
  await app.deps.db
    .updateTable('posts')
    .set({ body: '😀'.repeat(20_000) })
    .execute()
  await seedUsers(app, 20)
  const headers = await app.bearer(app.admin)
  const { port } = await app.listen()

  /** Sends a request and reads nothing; answers both ends once the answer stands still. */
  async function stalled(path: string) {
    const connected = once(server, 'connection') as Promise<[Socket]> // as node:net has it
    const client = connect({ port, host: '127.0.0.1' })
    client.pause()
    client.on('error', () => {}) // it is reset in the end
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.write(rawRequest(`GET ${path} HTTP/1.1`, headers))
    const [service] = await connected
    await standstill(service)
    return { client, service, closed }
  }

  /** Resolves once something waits to be written, and no more of it is taken. */
  async function standstill(service: Socket): Promise<void> {
    let before = ''
    let same = 0
    await until(() => {
      const now = `${service.bytesWritten} ${service.writableLength} ${batches}`
      same = service.writableLength > 0 && now === before ? same + 1 : 0
      before = now
      return same > 100
    })
  }

  /** Lets a second pass, and the readers be looked at, of which there must be one. */
  async function second(): Promise<void> {
    const { length } = app.clock.waits()
    app.clock.advance(1)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    assert.equal(length, 1)
  }

  for (const [path, rows] of [
    ['/api/posts', posts],
    ['/api/posts?limit=100', 100],
  ] as const) {
    test(`GET ${path}: ended after 15 seconds, others are answered, nothing more is read`, async () => {
      batches = 0
      const { client, service, closed } = await stalled(path)
      const read = batches
      assert.ok(read > 1 && read < rows / 2, `${read} batches`)
      for (let passed = 0; passed < 14; passed += 1) await second()
      assert.equal(service.destroyed, false)
      // A reader that does not read holds no place: the same caller is given a whole list.
      const own = await app.call('GET', '/users', { headers })
      assert.deepEqual([own.status, own.body.length], [200, 21])
      for (let more = 0; more < 2 && !service.destroyed; more += 1) await second()
      assert.equal(service.destroyed, true)
      client.resume() // it learns that it was reset
      await closed
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      assert.equal(batches, read)
      const whole = await app.call('GET', path, { headers })
      assert.equal((whole.body.data ?? whole.body).length, rows)
      const told = app.log.filter(({ msg }) => msg === 'ended: their answers were not read')
      assert.equal(told.at(-1)?.connections, 1)
    })
  }

  test('a client that begins to read in time gets the rest', async () => {
    const { client, service, closed } = await stalled('/api/posts')
    for (let passed = 0; passed < 14; passed += 1) await second()
    let text = ''
    client.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    client.resume()
    await closed
    assert.ok(text.endsWith('\r\n0\r\n\r\n'), 'the last piece of the answer')
    assert.equal(text.split('"author_id"').length - 1, posts)
    assert.ok(service.destroyed)
  })

  test('connections on which nothing is under way are left alone', async () => {
    const client = connect({ port, host: '127.0.0.1' })
    client.write(rawRequest('GET /health/live HTTP/1.1', { Connection: 'keep-alive' }))
    await once(client, 'data')
    for (let passed = 0; passed < 40; passed += 1) await second()
    client.write(rawRequest('GET /health/live HTTP/1.1'))
    const [piece] = await once(client, 'data')
    assert.match(String(piece), /^HTTP\/1\.1 200 /)
    client.destroy()
  })
})
