// A database makes a difference: the order of rows, and rows that come and go meanwhile.
import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { User } from '../../src/modules/users/user.ts'
import { type Headers, testApp } from '../app.ts'
import { connectTo } from '../database.ts'
import { seedUsers } from '../users.ts'
import { watchedDatabase } from '../watched-database.ts'

const garbage = [
  '',
  '0',
  '-1',
  '+1',
  '1e9',
  '0x10',
  '1.0',
  '1%20',
  '%201',
  '1%00',
  'NaN',
  'abc',
  '%EF%BC%92',
  '9007199254740992',
  '99999999999999999999',
  "1'--",
  '%ff',
  '9'.repeat(4000),
]

suite('users v1: pages', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  await seedUsers(app, 41)
  const read = (path: string) => app.call('GET', path, { headers })
  const model: User[] = (await read('/users')).body

  test('without page and limit: a plain array of all users in id order, with X-Total-Count', async () => {
    for (const path of ['/users', '/api/v1/users']) {
      const answer = await read(path)
      assert.deepEqual(answer.body, model)
      assert.equal(answer.headers['x-total-count'], '42')
      assert.deepEqual(
        answer.body.map((user: User) => user.id),
        model.map((_, index) => index + 1),
      )
    }
  })

  for (const value of garbage) {
    test(`T72: page or limit ${value.slice(0, 30) || 'empty'} falls back to the default`, async () => {
      for (const path of ['/users', '/api/v1/users', '/api/v2/users']) {
        const expected = { page: 1, limit: 10, total: 42, data: model.slice(0, 10) }
        for (const query of [`page=${value}`, `limit=${value}`, `page=${value}&limit=${value}`]) {
          const { status, body } = await read(`${path}?${query}`)
          assert.equal(status, 200, query)
          const { next: _, ...envelope } = body
          assert.deepEqual(envelope, expected)
        }
      }
    })
  }

  const odd: readonly [string, { page: number; limit: number }][] = [
    ['page=1&page=2', { page: 1, limit: 10 }],
    ['limit=5&limit=6&page=2', { page: 2, limit: 10 }],
    ['limit=7&page=2&page=2', { page: 1, limit: 7 }],
    ['page=&page=&limit=3', { page: 1, limit: 3 }],
    ['page', { page: 1, limit: 10 }],
    ['page=00000000000000000002', { page: 2, limit: 10 }],
    ['page=2&limit=007', { page: 2, limit: 7 }],
    ['limit=9007199254740991', { page: 1, limit: 9007199254740991 }],
    [
      'page=9007199254740991&limit=9007199254740991',
      { page: 9007199254740991, limit: 2 ** 53 - 1 },
    ],
    ['limit=1000000000', { page: 1, limit: 1e9 }],
    ['page[]=1&limit=4', { page: 1, limit: 4 }],
  ]
  for (const [query, page] of odd) {
    test(`T72: ?${query} is page ${page.page} of ${page.limit}, and never 5xx`, async () => {
      const { status, body } = await read(`/users?${query}`)
      assert.equal(status, 200)
      const from = (page.page - 1) * page.limit
      assert.deepEqual(body, { ...page, total: 42, data: model.slice(from, from + page.limit) })
    })
  }

  test('T72: other parameters (page[]=1, Page=1, __proto__) ask for no page', async () => {
    for (const query of ['page[]=1', 'Page=1', '__proto__[page]=1', 'constructor=1', '%', '&&=']) {
      assert.deepEqual((await read(`/users?${query}`)).body, model)
    }
  })

  test('any page is the slice of the whole list that the specification names', async () => {
    const number = fc.oneof(
      fc.integer({ min: 0, max: 60 }).map(String),
      fc.constantFrom(...garbage),
      fc.nat().map(String),
      fc.string({ maxLength: 4 }).map(encodeURIComponent),
      fc.constant(undefined),
    )
    const parsed = (text: string | undefined, byDefault: number) => {
      const value = /^[0-9]+$/.test(text ?? '') ? Number(text) : 0
      return value >= 1 && Number.isSafeInteger(value) ? value : byDefault
    }
    await fc.assert(
      fc.asyncProperty(number, number, async (page, limit) => {
        fc.pre(page !== undefined || limit !== undefined)
        const query = Object.entries({ page, limit }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        )
        const wanted = { page: parsed(page, 1), limit: parsed(limit, 10) }
        const from = (wanted.page - 1) * wanted.limit
        const data = model.slice(from, wanted.page * wanted.limit)
        const { body } = await read(`/users?${query.join('&')}`)
        assert.deepEqual(body, { ...wanted, total: model.length, data })
      }),
      { numRuns: 300 },
    )
  })

  test('HEAD answers as GET does, without a body', async () => {
    for (const path of ['/users', '/users?page=2', '/users/1', '/api/v2/users']) {
      const answer = await app.call('HEAD', path, { headers })
      assert.deepEqual([answer.status, answer.text], [200, ''], path)
    }
    assert.equal((await app.call('HEAD', '/users', { headers })).headers['x-total-count'], '42')
    assert.equal((await app.call('HEAD', '/users/999', { headers })).status, 404)
    assert.equal((await app.call('HEAD', '/users')).status, 401)
  })

  test('PAGE_LIMIT_MAX caps the limit, and the envelope shows the limit in force', async () => {
    const capped = await testApp({ PAGE_LIMIT_MAX: '3' })
    await seedUsers(capped, 5)
    const call = { headers: capped.basic(capped.admin) }
    const { body } = await capped.call('GET', '/users?limit=1000', call)
    assert.deepEqual([body.limit, body.data.length, body.total], [3, 3, 6])
    await capped.close()
  })
})

suite('users v1: large lists', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const many = await seedUsers(app, 3000, (index) => ({
    name: `"${index}\\😀`.repeat(8),
    email: `user${index}@example.org`,
  }))

  test('3,000 users are one valid JSON array in id order', async () => {
    const answer = await app.call('GET', '/users', { headers })
    assert.equal(answer.headers['x-total-count'], '3001')
    assert.deepEqual(answer.body.slice(1), many)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  })

  test('a page larger than a batch is whole', async () => {
    for (const [page, limit] of [
      [1, 501],
      [2, 1000],
      [4, 999],
      [1, 3001],
      [2, 3001],
      [1, 1e9],
    ] as const) {
      const { body } = await app.call('GET', `/users?page=${page}&limit=${limit}`, { headers })
      const from = (page - 1) * limit
      const ids = Array.from({ length: 3001 }, (_, index) => index + 1).slice(from, from + limit)
      assert.deepEqual(
        { ...body, data: body.data.map((user: User) => user.id) },
        {
          page,
          limit,
          total: 3001,
          data: ids,
        },
      )
    }
  })
})

suite('users v1: a list that breaks off', async () => {
  for (const [path, before] of [
    ['/users', '['],
    ['/users?limit=2000', '{"page":1'],
  ] as const) {
    test(`a failure midway of ${path} ends the connection, never the array`, async () => {
      let reads = 0
      const app: Awaited<ReturnType<typeof testApp>> = await testApp(
        {},
        await watchedDatabase(async ({ table, rows }) => {
          if (table !== 'users' || rows !== 500) return
          reads += 1
          if (reads === 2) await rename(app, 'users')
        }),
      )
      await seedUsers(app, 1500)
      const { url } = await app.listen()
      const { status, text, complete } = await download(`${url}${path}`, app.basic(app.admin))
      assert.equal(status, 200)
      assert.ok(text.startsWith(before))
      assert.equal(complete, false)
      assert.throws(() => JSON.parse(text))
      assert.ok(!text.includes('error'))
      assert.equal((await fetch(`${url}/health/live`)).status, 200)
      await app.close()
    })
  }

  test('a failure before the first byte is an error in the shape of the specification', async () => {
    const app = await testApp()
    const headers = await app.bearer(app.admin)
    await rename(app, 'row_counts')
    const answer = await app.call('GET', '/users', { headers })
    assert.deepEqual([answer.status, answer.body], [500, { error: 'Internal server error' }])
    await app.close()
  })

  /** Done by another connection, as another process would. */
  async function rename({ directory }: { directory: string }, table: string) {
    const { db } = await connectTo({ directory })
    await db.schema.alterTable(table).renameTo('lost').execute()
    await db.destroy()
  }

  async function download(url: string, headers: Headers) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).on('error', reject)
    })
    let text = ''
    try {
      for await (const part of response) text += part
    } catch {
      // the connection was cut
    }
    return { status: response.statusCode, text, complete: response.complete }
  }
})
