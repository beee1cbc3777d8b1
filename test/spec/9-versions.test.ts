// The same on every database: versions are prefixes and shapes; lists have tests of attacks on each.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

const prefixes = ['', '/api/v1', '/api/v2']
const v1 = ['', '/api/v1']

suite('spec 9: versions', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const json = { name: 'Ann', email: 'ann@example.org' }
  const call = (method: string, path: string, more = {}) =>
    app.call(method, path, { headers, ...more })

  test('the users routes are mounted under each prefix, side by side, on the same users', async () => {
    for (const made of prefixes) {
      const { body: user } = await call('POST', `${made}/users`, { json })
      assert.deepEqual(user, { id: user.id, ...json })
      for (const prefix of prefixes) {
        const path: string = `${prefix}/users/${user.id}`
        assert.deepEqual((await call('GET', path)).body, user, path)
        const changed = await call('PUT', path, { json: { name: prefix || '/' } })
        user.name = prefix || '/'
        assert.deepEqual(changed.body, user)
      }
      assert.deepEqual((await call('DELETE', `${made}/users/${user.id}`)).body, user)
      for (const prefix of prefixes) {
        const gone = await call('GET', `${prefix}/users/${user.id}`)
        assertRefusal(gone, 404, 'User not found', prefix)
      }
    }
  })

  test('/users behaves as /api/v1/users', async () => {
    for (const [method, rest, more] of [
      ['GET', '', {}],
      ['GET', '?page=1&limit=2', {}],
      ['GET', '?sort=nonsense', {}],
      ['POST', '', { json: {} }],
      ['PUT', '/1', { json: { name: 5 } }],
      ['GET', '/999', {}],
    ] as const) {
      const [plain, versioned] = await Promise.all(
        v1.map((prefix) => call(method, `${prefix}/users${rest}`, more)),
      )
      assert.deepEqual(
        [plain?.status, plain?.text, plain?.headers['x-total-count']],
        [versioned?.status, versioned?.text, versioned?.headers['x-total-count']],
        `${method} ${rest}`,
      )
    }
  })

  test('the whole list is an array in v1 and an envelope in v2', async () => {
    const list = (prefix: string) => call('GET', `${prefix}/users`)
    for (const prefix of v1) assert.ok(Array.isArray((await list(prefix)).body), prefix)
    const { body } = await list('/api/v2')
    assert.deepEqual(Object.keys(body), ['page', 'limit', 'total', 'data', 'next'])
  })

  test('a page has page, limit, total and data in both, and next in v2', async () => {
    const page = (prefix: string) => call('GET', `${prefix}/users?page=1&limit=5`)
    const { next, ...second } = (await page('/api/v2')).body
    assert.equal(next, null)
    for (const prefix of v1) assert.deepEqual((await page(prefix)).body, second, prefix)
  })

  test('a large limit holds in v1 and is 1000 in v2', async () => {
    const limitOf = async (prefix: string) =>
      (await call('GET', `${prefix}/users?limit=5000`)).body.limit
    assert.deepEqual(await Promise.all(prefixes.map(limitOf)), [5000, 5000, 1000])
  })

  test('q, sort and cursor belong to v2; v1 ignores them', async () => {
    for (const query of ['q=nobody', 'sort=nonsense', 'cursor=nonsense']) {
      for (const prefix of v1) {
        const { status, body } = await call('GET', `${prefix}/users?${query}`)
        assert.equal(status, 200)
        assert.ok(Array.isArray(body) && body.length > 0, query)
      }
    }
    assert.deepEqual((await call('GET', '/api/v2/users?q=nobody')).body.data, [])
    const refused = await call('GET', '/api/v2/users?sort=nonsense')
    assert.equal(refused.status, 400)
  })

  test('a missing name or email has a text of its own in v1', async () => {
    const details = [{ path: ['name'], message: 'is required' }]
    const call2 = { json: { email: json.email } }
    for (const prefix of v1) {
      const answer = await call('POST', `${prefix}/users`, call2)
      assertRefusal(answer, 400, 'Name and email required', prefix, { details })
    }
    const answer = await call('POST', '/api/v2/users', call2)
    assertRefusal(answer, 400, 'Validation failed', '', { details })
  })

  test('no other prefix and no other resource below one exists', async () => {
    for (const path of ['/api/v3/users', '/api/users', '/v1/users', '/api/v1', '/api/v1/login']) {
      assertRefusal(await call('GET', path), 404, 'Route not found', path)
    }
  })
})
