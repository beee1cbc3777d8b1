// A database makes a difference: a key is claimed by one of many requests.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { databaseLock } from '../database.ts'
import { assertRefusal } from '../refusal.ts'

const daySeconds = 86_400
const ann = { name: 'Ann', email: 'ann@example.org' }
const passphrase = 'quiet melons roll'
let usernames = 0
let invited = 0

/** The POST routes that make something, and a body that each takes once more every time. */
const posts: Record<string, () => Record<string, unknown>> = {
  '/users': () => ann,
  '/api/v1/users': () => ann,
  '/api/v2/users': () => ann,
  '/api/posts': () => ({ title: 'On doors' }),
  '/api/admin/accounts': () => {
    usernames += 1
    return { username: `u${usernames}`, password: passphrase, roles: ['USER'], ...ann }
  },
  '/api/admin/invitations': () => {
    invited += 1
    return { email: `invited-${invited}@example.org`, roles: ['USER'] }
  },
}

suite('Idempotency-Key: a repeated POST is answered again and not done again', async () => {
  const app = await testApp()
  const admin = await app.bearer(app.admin)
  let keys = 0
  const newKey = () => {
    keys += 1
    return `key-${keys}`
  }
  const post = (path: string, key: string, json: object, headers: Headers = admin) =>
    app.call('POST', path, { headers: { ...headers, 'idempotency-key': key }, json })
  const total = async () => {
    const { users = [], posts = [], invitations = [] } = await app.rows()
    return users.length + posts.length + invitations.length
  }

  for (const [path, bodyOf] of Object.entries(posts)) {
    test(`${path}: the same answer, status and ETag, and one thing made`, async () => {
      const [key, body] = [newKey(), bodyOf()]
      const before = await total()
      const first = await post(path, key, body)
      assert.equal(first.status, 201)
      for (let times = 0; times < 3; times += 1) {
        const again = await post(path, key, body)
        assert.deepEqual([again.status, again.text], [201, first.text])
        assert.equal(again.headers.etag, first.headers.etag)
      }
      assert.equal(await total(), before + 1)
    })

    test(`${path}: 20 in parallel make one thing and all get its answer`, async () => {
      const [key, body] = [newKey(), bodyOf()]
      const before = await total()
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, key, body)))
      assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
      assert.equal(answers[0]?.status, 201)
      assert.equal(await total(), before + 1)
    })

    test(`${path}: the key with another body is 422 and changes nothing`, async () => {
      const [key, body] = [newKey(), bodyOf()]
      await post(path, key, body)
      const before = await app.rows()
      const answer = await post(path, key, { ...body, name: 'Bob' })
      assertRefusal(answer, 422, 'Idempotency key reused')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('another caller and another route have keys of their own', async () => {
    const key = newKey()
    const other = await app.bearer(await app.account('other', ['ADMIN']))
    const ids = [
      await post('/users', key, ann),
      await post('/users', key, ann, other),
      await post('/api/v1/users', key, ann),
    ].map(({ body }) => body.id)
    assert.equal(new Set(ids).size, 3)
    const basic = await post('/users', key, ann, app.basic(app.admin))
    assert.equal(basic.body.id, ids[0], 'the same caller by another scheme')
  })

  test('without the header, nothing is remembered', async () => {
    const ids = [1, 2].map(() => app.call('POST', '/users', { headers: admin, json: ann }))
    const [one, two] = await Promise.all(ids)
    assert.notEqual(one?.body.id, two?.body.id)
  })

  test('a refusal is not remembered: the mended request succeeds under the same key', async () => {
    const key = newKey()
    const refused = await post('/users', key, { name: 'Ann', email: 'none' })
    assert.equal(refused.status, 400)
    assert.equal((await post('/users', key, ann)).status, 201)
    const taken = newKey()
    const account = { username: 'other', password: passphrase, roles: [], ...ann }
    assertRefusal(await post('/api/admin/accounts', taken, account), 409, 'Username already exists')
    const free = await post('/api/admin/accounts', taken, { ...account, username: 'free' })
    assert.equal(free.status, 201)
  })

  test('a caller that may no more is refused before any answer is given again', async () => {
    const key = newKey()
    const eve = await app.account('eve', ['ADMIN'])
    const headers = app.basic(eve)
    assert.equal((await post('/users', key, ann, headers)).status, 201)
    await app.call('PUT', '/api/admin/accounts/eve', { headers: admin, json: { roles: ['USER'] } })
    assertRefusal(await post('/users', key, ann, headers), 403, 'Access denied')
  })

  test('a malformed key is 400 and makes nothing', async () => {
    const before = await app.rows()
    for (const key of ['', ' ', 'with space', 'x'.repeat(256), 'é']) {
      const answer = await post('/users', key, ann)
      assertRefusal(answer, 400, 'Validation failed', key, {
        details: [
          { path: ['Idempotency-Key'], message: 'must be 1 to 255 visible ASCII characters' },
        ],
      })
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal((await post('/users', 'x'.repeat(255), ann)).status, 201)
  })

  test('neither the password nor the key of the caller is stored in clear', async () => {
    const key = `secret-${newKey()}`
    const body = { username: 'gus', password: passphrase, roles: [], ...ann }
    await post('/api/admin/accounts', key, body)
    const stored = JSON.stringify((await app.rows()).idempotency_keys)
    assert.ok(!stored.includes(key) && !stored.includes(passphrase))
  })

  test('a body that could not be stored leaves no key behind: the retry makes it', async () => {
    const key = newKey()
    const short = await testApp({ DATABASE_TIMEOUT_MS: '20' })
    const headers = { ...(await short.bearer(short.admin)), 'idempotency-key': key }
    const create = () => short.call('POST', '/users', { headers, json: ann })
    const lock = await databaseLock(short)
    await lock.hold()
    assertRefusal(await create(), 503, 'Service unavailable')
    await lock.release()
    assert.equal((await create()).status, 201)
  })
})

suite('Idempotency-Key: 24 hours', async () => {
  test('kept over a restart; done anew once a day has passed, and purged then', async () => {
    const first = await testApp()
    const create = async (app: TestApp) => {
      const headers = { ...app.basic(app.admin), 'idempotency-key': 'daily' }
      return (await app.call('POST', '/users', { headers, json: ann })).body.id
    }
    const id = await create(first)
    const second = await testApp({}, { directory: first.directory, clock: first.clock })
    assert.equal(await create(second), id)
    second.clock.advance(daySeconds - 1)
    assert.equal(await create(second), id)
    second.clock.advance(1)
    assert.notEqual(await create(second), id)
    second.clock.advance(daySeconds)
    for (const job of second.app.jobs) await job.run()
    assert.deepEqual((await second.rows()).idempotency_keys, [])
  })
})
