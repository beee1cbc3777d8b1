// A database makes a difference: two changes of one thing meet in it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

/** Something that can be changed by its address; each test makes one of its own. */
interface Thing {
  /** Answers the path of a new one. */
  make(app: TestApp, admin: Headers): Promise<string>
  /** A change that leaves nothing as it was made, and the caller able to go on. */
  change(step: number): object
}

async function newUser(app: TestApp, headers: Headers, base: string): Promise<string> {
  const json = { name: 'Ann', email: 'ann@example.org' }
  const made = await app.call('POST', `${base}/users`, { headers, json })
  return `${base}/users/${made.body.id}`
}

let accounts = 0

const things: Record<string, Thing> = {
  '/api/posts': {
    async make(app, headers) {
      const json = { title: 'On doors' }
      const made = await app.call('POST', '/api/posts', { headers, json })
      return `/api/posts/${made.body.id}`
    },
    change: (step) => ({ title: `t${step}` }),
  },
  '/users': {
    make: (app, admin) => newUser(app, admin, ''),
    change: (step) => ({ name: `n${step}` }),
  },
  '/api/v1/users': {
    make: (app, admin) => newUser(app, admin, '/api/v1'),
    change: (step) => ({ email: `e${step}@example.org` }),
  },
  '/api/v2/users': {
    make: (app, admin) => newUser(app, admin, '/api/v2'),
    change: (step) => ({ name: `n${step}` }),
  },
  '/api/admin/accounts': {
    async make(app) {
      accounts += 1
      const { username } = await app.account(`account-${accounts}`)
      return `/api/admin/accounts/${username}`
    },
    change: (step) => ({ locked: step % 2 === 0, roles: step % 3 === 0 ? [] : ['EDITOR'] }),
  },
}

suite('lost updates are refused: ETag and If-Match (RFC 9110 13.1.1)', async () => {
  const app = await testApp()
  const admin = await app.bearer(app.admin)
  const get = async (path: string) => app.call('GET', path, { headers: admin })
  const put = (path: string, json: object, more: Headers = {}) =>
    app.call('PUT', path, { headers: { ...admin, ...more }, json })
  const etagOf = async (path: string) => String((await get(path)).headers.etag)

  for (const [name, thing] of Object.entries(things)) {
    test(`${name}: GET, POST and PUT send a strong ETag that follows what is shown`, async () => {
      const path = await thing.make(app, admin)
      const first = await etagOf(path)
      assert.match(first, /^"[A-Za-z0-9_-]{22}"$/)
      assert.equal(await etagOf(path), first)
      const head = await app.call('HEAD', path, { headers: admin })
      assert.equal(head.headers.etag, first)
      const changed = await put(path, thing.change(1))
      assert.notEqual(changed.headers.etag, first)
      assert.equal(await etagOf(path), changed.headers.etag)
    })

    test(`${name}: PUT with the present ETag is 200, with an old one 412 and changes nothing`, async () => {
      const path = await thing.make(app, admin)
      const seen = await etagOf(path)
      const done = await put(path, thing.change(1), { 'if-match': seen })
      assert.equal(done.status, 200)
      const before = await app.rows()
      assertRefusal(
        await put(path, thing.change(2), { 'if-match': seen }),
        412,
        'Precondition failed',
      )
      assert.deepEqual(await app.rows(), before)
      const next = await put(path, thing.change(2), { 'if-match': String(done.headers.etag) })
      assert.equal(next.status, 200)
    })

    test(`${name}: DELETE with an old ETag is 412 and deletes nothing, with the present one 200`, async () => {
      const path = await thing.make(app, admin)
      const seen = await etagOf(path)
      await put(path, thing.change(1))
      const before = await app.rows()
      const remove = (etag: string) =>
        app.call('DELETE', path, { headers: { ...admin, 'if-match': etag } })
      assertRefusal(await remove(seen), 412, 'Precondition failed')
      assert.deepEqual(await app.rows(), before)
      assert.equal((await remove(await etagOf(path))).status, 200)
    })

    test(`${name}: 50 parallel PUTs with one ETag are one 200 and 49 times 412`, async () => {
      const path = await thing.make(app, admin)
      const seen = { 'if-match': await etagOf(path) }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, step) => put(path, thing.change(step + 1), seen)),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array(49).fill(412)])
      const won = answers.find(({ status }) => status === 200)
      assert.deepEqual((await get(path)).body, won?.body)
    })
  }

  test('a list of tags matches with any of them, * with any tag; weak and garbled ones with none', async () => {
    const path = await newUser(app, admin, '')
    const current = await etagOf(path)
    const wanted: [string, number][] = [
      [`"other", ${current}`, 200],
      [`${current},"other"`, 200],
      ['*', 200],
      [' * ', 200],
      [`W/${current}`, 412],
      [current.slice(1, -1), 412],
      ['', 412],
      ['"other"', 412],
      ['"*"', 412],
      [`*, "other"`, 412],
      ['x'.repeat(8000), 412],
    ]
    for (const [header, status] of wanted) {
      const answer = await put(path, {}, { 'if-match': header })
      assert.equal(answer.status, status, header.slice(0, 50))
    }
  })

  test('If-Match never comes before 401, 403, 404 and 400', async () => {
    const path = await newUser(app, admin, '')
    const stale = { 'if-match': '"stale"' }
    const ann = await app.bearer(await app.account('ann'))
    const status = async (method: string, where: string, headers: Headers, json?: object) =>
      (await app.call(method, where, { headers: { ...headers, ...stale }, json })).status
    assert.equal(await status('PUT', path, {}, { name: 'x' }), 401)
    assert.equal(await status('PUT', path, ann, { name: 'x' }), 403)
    assert.equal(await status('PUT', '/users/424242', admin, { name: 'x' }), 404)
    assert.equal(await status('DELETE', '/users/424242', admin), 404)
    assert.equal(await status('PUT', path, admin, { name: '' }), 400)
    assert.equal(await status('PUT', '/api/admin/accounts/nobody', admin, {}), 404)
  })

  test('a post has another ETag once it is locked; 403 comes before 412', async () => {
    const editor = await app.bearer(await app.account('editor', ['EDITOR']))
    const made = await app.call('POST', '/api/posts', { headers: editor, json: { title: 'T' } })
    const path = `/api/posts/${made.body.id}`
    const seen = { 'if-match': String(made.headers.etag) }
    await app.call('PUT', `/api/admin/posts/${made.body.id}/lock`, { headers: admin })
    assert.notEqual(await etagOf(path), seen['if-match'])
    assertRefusal(await put(path, { title: 'U' }, seen), 403, 'Access denied')
    const headers = { ...editor, ...seen }
    const late = await app.call('PUT', path, { headers, json: { title: 'U' } })
    assertRefusal(late, 412, 'Precondition failed')
    assert.equal((await get(path)).body.title, 'T')
  })

  test('the lock of a post is for the post that was seen: 412 once it is another', async () => {
    const made = await app.call('POST', '/api/posts', { headers: admin, json: { title: 'T' } })
    const { id } = made.body
    const [path, lock] = [`/api/posts/${id}`, `/api/admin/posts/${id}/lock`]
    await put(path, { title: 'U' })
    const seen = await get(path)
    for (const [method, locked] of [
      ['PUT', true],
      ['DELETE', false],
    ] as const) {
      const before = await get(path)
      const stale = { ...admin, 'if-match': String(made.headers.etag) }
      assertRefusal(await app.call(method, lock, { headers: stale }), 412, 'Precondition failed')
      assert.deepEqual((await get(path)).body, before.body)
      const headers = { ...admin, 'if-match': String(before.headers.etag) }
      const done = await app.call(method, lock, { headers })
      assert.deepEqual([done.status, done.body], [200, { ...seen.body, locked }])
      assert.equal(done.headers.etag, await etagOf(path))
    }
    const nowhere = { headers: { ...admin, 'if-match': '"x"' } }
    const none = await app.call('PUT', '/api/admin/posts/424242/lock', nowhere)
    assertRefusal(none, 404, 'Post not found')
  })

  test('an account has another ETag once its lock, its state or its roles have changed', async () => {
    const bob = await app.account('bob')
    const path = '/api/admin/accounts/bob'
    const tags = new Set([await etagOf(path)])
    for (const change of [
      { locked: true },
      { locked: false, active: false },
      { roles: ['ADMIN'] },
    ]) {
      await put(path, change)
      tags.add(await etagOf(path))
    }
    assert.equal(tags.size, 4)
    assert.equal((await put(path, { active: true, roles: ['USER'] })).status, 200)
    assert.equal((await app.call('GET', '/users', { headers: app.basic(bob) })).status, 200)
  })
})
