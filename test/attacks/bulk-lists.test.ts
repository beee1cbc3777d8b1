import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type SliceStart, streamItems } from '../../src/core/http/lists/listing.ts'
import { type Headers, testApp } from '../app.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { seedUsers } from '../users.ts'
import { watchedDatabase } from '../watched-database.ts'

const batchSize = 500
/** What one caller's lists may be, beside the one that is made: see batch-queue.ts. */
const maxWaitingPerCaller = 64

suite('lists that are asked for again and again', async () => {
  let gate: PromiseWithResolvers<void> | null = null
  let batches = 0
  let working = 0
  let most = 0
  let counts = 0
  const app = await testApp(
    {},
    await watchedDatabase(async ({ table, rows }) => {
      if (table === 'row_counts') counts += 1
      if ((table !== 'users' && table !== 'accounts') || rows < 100) return
      batches += 1
      working += 1
      most = Math.max(most, working)
      // Until there is another, for as long as one could need to come; then for one too many.
      for (let turn = 0; turn < 300 && working < 2; turn += 1) await setImmediate()
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      await gate?.promise
      working -= 1
    }),
  )
  await seedUsers(app, 2 * batchSize + 200)
  const callers: Headers[] = []
  for (const name of ['ann', 'bea', 'cem']) callers.push(await app.bearer(await app.account(name)))
  const admin = await app.bearer(app.admin)
  const total = 2 * batchSize + 204
  const [ann = {}, bea = {}] = callers

  function read(path: string, headers: Headers) {
    return app.call('GET', path, { headers })
  }

  function reset(): void {
    batches = 0
    most = 0
    counts = 0
  }

  for (const path of [
    '/users',
    '/api/v1/users?limit=100000',
    '/users?limit=1000',
    '/api/v2/users?limit=1000',
  ]) {
    test(`GET ${path}: two batches at once for all callers`, async () => {
      reset()
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, index) => read(path, callers[index % 3] ?? {})),
      )
      for (const { status, body } of answers) {
        const rows = path === '/users' ? body : body.data
        assert.deepEqual([status, rows.length], [200, Math.min(total, rows.length)])
        assert.ok(rows.length === total || rows.length === 1000)
      }
      assert.equal(most, 2)
    })

    test(`GET ${path}: one batch at once for one caller`, async () => {
      reset()
      const answers = await Promise.all(Array.from({ length: 5 }, () => read(path, ann)))
      for (const { status } of answers) assert.equal(status, 200)
      assert.equal(most, 1)
    })
  }

  test('where too many wait, one more is 503, nothing changes, and small pages are answered', async () => {
    gate = Promise.withResolvers()
    reset()
    const before = await app.rows()
    await setImmediate() // the place of the last answer is free again
    let refused = 0
    const asked = Array.from({ length: maxWaitingPerCaller + 2 }, async () => {
      const answer = await read('/users', ann)
      if (answer.status === 503) refused += 1
      return answer
    })
    await until(() => refused === 1 && batches === 1)
    assert.deepEqual([batches, counts], [1, 1]) // nothing is read for those that wait or are refused
    assert.equal((await read('/users?limit=10', ann)).status, 200)
    const other = read('/users', bea) // has a place of its own
    await until(() => batches === 2)
    gate.resolve()
    gate = null
    assert.equal((await other).body.length, total)
    const answers = await Promise.all(asked)
    for (const answer of answers) {
      if (answer.status === 200) assert.equal(answer.body.length, total)
      else {
        assertRefusal(answer, 503, 'Service unavailable')
        assert.equal(answer.headers['retry-after'], '1')
      }
    }
    assert.equal(answers.filter(({ status }) => status === 503).length, 1)
    assert.deepEqual(await app.rows(), before)
    const told = app.log.filter(({ msg }) => msg === 'refused as planned')
    assert.deepEqual(
      told.map(({ level, reason, err }) => [level, reason, err]),
      [['warn', 'too many large answers wait', undefined]],
    )
  })

  test('a client that leaves while its list waits has no batch made', async () => {
    const { port } = await app.listen()
    gate = Promise.withResolvers()
    reset()
    const first = read('/users', ann)
    await until(() => batches === 1)
    const [[serverSocket]] = await Promise.all([
      once(app.app.server.server, 'connection') as Promise<[Socket]>, // as node:net has it
      exchange(port, rawRequest('GET /users HTTP/1.1', ann), {
        opened(socket) {
          app.app.server.server.once('request', async () => {
            for (let turn = 0; turn < 20; turn += 1) await setImmediate()
            socket.resetAndDestroy()
          })
        },
      }),
    ])
    await until(() => serverSocket.destroyed)
    gate.resolve()
    gate = null
    assert.equal((await first).body.length, total)
    assert.equal((await read('/users', ann)).body.length, total)
    assert.equal(batches, 6) // of two lists
  })

  test('exports wait in the same queue', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => ({
      username: `imported${index}`,
      password_hash: '$2b$12$abcdefghijklmnopqrstuu5LFbv1cL5Yh.Vl0oqnGUyvYBvkPbVkK',
      roles: ['USER'],
      name: 'Imported',
      email: 'imported@example.org',
    }))
    const imported = await app.call('POST', '/api/admin/import/accounts', {
      headers: { ...admin, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    assert.equal(imported.status, 200, imported.text)
    reset()
    const paths = ['/api/admin/export/accounts', '/users', '/api/admin/export/accounts']
    const [first, , third] = await Promise.all(paths.map((path) => read(path, admin)))
    assert.equal(most, 1)
    assert.equal(first?.text, third?.text)
    assert.equal(first?.text.trimEnd().split('\n').length, 204)
  })
})

suite('lists of large items', () => {
  const items = Array.from({ length: 60 }, (_, index) => ({
    id: index + 1,
    body: '😀'.repeat(index % 20 === 0 ? 20_000 : index * 20),
  }))
  const read: number[] = []
  async function slice(limit: number, from: SliceStart) {
    const start = 'offset' in from ? from.offset : from.afterId
    const rows = items.slice(start, start + limit)
    read.push(rows.length)
    return rows
  }

  for (const [offset, limit] of [
    [0, Number.POSITIVE_INFINITY],
    [0, 60],
    [3, 41],
    [59, 1],
  ] as const) {
    test(`${limit} items from ${offset} come whole, and never more at once than is bounded`, async () => {
      read.length = 0
      const texts = { before: '[', after: ']' }
      const stream = await streamItems({ slice, batchSize: 50 }, { offset, limit }, texts)
      let text = ''
      let largest = 0
      for await (const piece of stream as AsyncIterable<Buffer>) {
        text += piece
        largest = Math.max(largest, piece.length)
      }
      assert.deepEqual(JSON.parse(text), items.slice(offset, offset + limit))
      assert.ok(largest < 300_000, `${largest} bytes`) // 64 Ki characters and one item
      assert.ok(read.reduce((sum, rows) => sum + rows, 0) < 200, `${read}`)
    })
  }
})
