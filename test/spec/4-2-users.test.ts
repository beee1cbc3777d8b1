// The same on every database: it is about answers and shapes; rows and pages have tests of attacks on each.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'
import { seedUsers } from '../users.ts'

const json = { name: 'Ann', email: 'ann@example.org' }
const none = '/999999'

for (const path of ['/users', '/api/v1/users', '/api/v2/users']) {
  const version = path.includes('v2') ? 'v2' : 'v1'

  suite(`spec 4.2: ${path}, what is the same in every version`, async () => {
    const app = await testApp()
    const headers = await app.bearer(app.admin)
    const call = (method: string, rest = '', more = {}) =>
      app.call(method, `${path}${rest}`, { headers, ...more })
    const create = async () => (await call('POST', '', { json })).body

    test('GET /users/{id}: 200, the user', async () => {
      const user = await create()
      const answer = await call('GET', `/${user.id}`)
      assert.deepEqual([answer.status, answer.body], [200, { id: user.id, ...json }])
    })

    test('POST /users: 201, the created user', async () => {
      const answer = await call('POST', '', { json })
      assert.deepEqual([answer.status, answer.body], [201, { id: answer.body.id, ...json }])
      assert.deepEqual((await call('GET', `/${answer.body.id}`)).body, answer.body)
    })

    test('PUT /users/{id}: 200, the fields given are merged into the record', async () => {
      const { id } = await create()
      let expected = { id, ...json }
      for (const change of [
        { name: 'Annette' },
        { email: 'annette@example.org' },
        {},
        { name: 'A', email: 'a@example.org' },
      ]) {
        expected = { ...expected, ...change }
        const answer = await call('PUT', `/${id}`, { json: change })
        assert.deepEqual([answer.status, answer.body], [200, expected])
        assert.deepEqual((await call('GET', `/${id}`)).body, expected)
      }
    })

    test('DELETE /users/{id}: 200, the deleted user, which is 404 from then on', async () => {
      const user = await create()
      const answer = await call('DELETE', `/${user.id}`)
      assert.deepEqual([answer.status, answer.body], [200, user])
      for (const method of ['GET', 'DELETE']) {
        assertRefusal(await call(method, `/${user.id}`), 404, 'User not found', method)
      }
    })

    test('an id that no user has, or that is no positive integer: 404 "User not found"', async () => {
      const before = await app.rows()
      for (const id of [none, '/0', '/-1', '/1.5', '/x', '/1e0', '/9007199254740993']) {
        for (const [method, more] of [
          ['GET', {}],
          ['PUT', { json: {} }],
          ['PUT', { json: { name: 5 } }],
          ['DELETE', {}],
        ] as const) {
          assertRefusal(await call(method, id, more), 404, 'User not found', `${method} ${id}`)
        }
      }
      assert.deepEqual(await app.rows(), before)
    })

    test('a violation gives 400 with one entry of details for each', async () => {
      const before = await app.rows()
      const bad = { name: '', email: 'ann' }
      const details = [
        { path: ['name'], message: 'must NOT have fewer than 1 characters' },
        { path: ['email'], message: 'must be an e-mail address' },
      ]
      for (const answer of [
        await call('POST', '', { json: bad }),
        await call('PUT', '/1', { json: bad }),
      ]) {
        assertRefusal(answer, 400, 'Validation failed', '', { details })
      }
      assert.deepEqual(await app.rows(), before)
    })

    const missing = version === 'v1' ? 'Name and email required' : 'Validation failed'
    for (const [body, fields] of [
      [{ email: json.email }, ['name']],
      [{ name: json.name }, ['email']],
      [{}, ['name', 'email']],
    ] as const) {
      test(`rule 2: POST without ${fields.join(' and ')} gives 400 "${missing}"`, async () => {
        const before = await app.rows()
        const details = fields.map((field) => ({ path: [field], message: 'is required' }))
        assertRefusal(await call('POST', '', { json: body }), 400, missing, '', { details })
        assert.deepEqual(await app.rows(), before)
      })
    }

    test('rule 3: a body that is not valid JSON gives 400', async () => {
      const before = await app.rows()
      for (const body of ['{', '', "{'name': 1}", 'name=Ann']) {
        for (const [method, id] of [
          ['POST', ''],
          ['PUT', '/1'],
        ] as const) {
          const typed = { ...headers, 'content-type': 'application/json' }
          const answer = await call(method, id, { headers: typed, body })
          assertRefusal(answer, 400, 'Invalid request body', `${method} ${body}`)
        }
      }
      assertRefusal(await call('POST', '', { form: json }), 400, 'Invalid request body')
      assert.deepEqual(await app.rows(), before)
    })

    test('rule 4: unknown routes give 404', async () => {
      for (const [method, rest] of [
        ['GET', '/1/x'],
        ['PATCH', '/1'],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/1'],
      ] as const) {
        assertRefusal(await call(method, rest), 404, 'Route not found', `${method} ${rest}`)
      }
    })
  })
}

suite('spec 4.2: GET /users, v1', async () => {
  const app = await testApp()
  await seedUsers(app, 1100)
  const headers = await app.bearer(app.admin)
  const all = (await app.call('GET', '/users', { headers })).body

  for (const path of ['/users', '/api/v1/users']) {
    const read = (query: string) => app.call('GET', `${path}?${query}`, { headers })

    test(`${path} without page and limit: an array of all users in id order`, async () => {
      const answer = await app.call('GET', path, { headers })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['x-total-count'], '1101')
      const ids = answer.body.map(({ id }: { id: number }) => id)
      assert.deepEqual(
        ids,
        Array.from({ length: 1101 }, (_, index) => index + 1),
      )
    })

    test(`${path}: the envelope holds the slice from (page-1)*limit up to page*limit`, async () => {
      for (const [query, page, limit] of [
        ['page=1', 1, 10],
        ['limit=3', 1, 3],
        ['page=2&limit=10', 2, 10],
        ['page=111', 111, 10],
        ['page=112', 112, 10],
        ['limit=1050', 1, 1050], // no cap: nothing is cut silently
        ['page=9007199254740991&limit=9007199254740991', 2 ** 53 - 1, 2 ** 53 - 1],
      ] as const) {
        const { status, body } = await read(query)
        const data = all.slice((page - 1) * limit, page * limit)
        assert.deepEqual([status, body], [200, { page, limit, total: 1101, data }], query)
      }
    })

    test(`${path}, rule 1: a missing, non-numeric or zero page or limit is the default`, async () => {
      const expected = { page: 1, limit: 10, total: 1101, data: all.slice(0, 10) }
      for (const value of ['', '0', '00', 'x', '-1', '1.5', '+1', '1e1', '9007199254740992']) {
        for (const name of ['page', 'limit']) {
          const { status, body } = await read(`${name}=${encodeURIComponent(value)}`)
          assert.deepEqual([status, body], [200, expected], `${name}=${value}`)
        }
      }
    })
  }

  test('PAGE_LIMIT_MAX caps the limit, and the envelope shows the limit in force', async () => {
    const capped = await testApp({ PAGE_LIMIT_MAX: '20' })
    const { body } = await capped.call('GET', '/users?limit=21', {
      headers: capped.basic(capped.admin),
    })
    assert.equal(body.limit, 20)
  })
})
