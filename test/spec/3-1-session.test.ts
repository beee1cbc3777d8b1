// The same on every database: states follow the clock; the ends of sessions have tests of attacks on each.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

const read = (app: TestApp, headers: Headers) => app.call('GET', '/api/protected', { headers })

async function assertEnded(app: TestApp, headers: Headers): Promise<void> {
  assertRefusal(await read(app, headers), 401, 'Authentication required')
}

suite('spec 3.1: session', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0' })
  const ann = await app.account('ann')

  test('none, POST /login with valid credentials: active, and its cookie opens /api/protected', async () => {
    const { sessions: before = [] } = await app.rows()
    const headers = await app.session(ann)
    const { sessions: after = [] } = await app.rows()
    assert.equal(after.length, before.length + 1)
    const answer = await read(app, headers)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { message: 'Hello, ann' })
  })

  test('none, POST /login with invalid credentials: none, 401', async () => {
    const before = await app.rows('throttle_places')
    const answer = await app.call('POST', '/login', {
      form: { username: 'ann', password: 'not the password', mode: 'session' },
    })
    assertRefusal(answer, 401, 'Invalid credentials')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('active, 30 minutes without a request: expired, to the second', async () => {
    const headers = await app.session(ann)
    app.clock.advance(1799)
    assert.equal((await read(app, headers)).status, 200)
    app.clock.advance(1800)
    await assertEnded(app, headers)
  })

  test('every request counts as activity, with any answer', async () => {
    const headers = await app.session(ann)
    for (const path of ['/users', '/api/admin/accounts', '/users/999', '/api/session']) {
      app.clock.advance(1799)
      assert.notEqual((await app.call('GET', path, { headers })).status, 401, path)
    }
    app.clock.advance(1799)
    assert.equal((await read(app, headers)).status, 200)
  })

  test('an expired session does not come back', async () => {
    const headers = await app.session(ann)
    app.clock.advance(1800)
    await assertEnded(app, headers)
    await assertEnded(app, headers)
    const again = await app.session(ann)
    assert.notEqual(again.cookie, headers.cookie)
    await assertEnded(app, headers)
  })

  test('active, POST /logout: invalidated, 200', async () => {
    const headers = await app.session(ann)
    const answer = await app.call('POST', '/logout', { headers })
    assert.equal(answer.status, 200)
    await assertEnded(app, headers)
  })

  test('none, POST /logout: none, 200, the same body', async () => {
    const headers = await app.session(ann)
    const before = await app.call('POST', '/logout', { headers })
    const kept = await app.rows()
    for (const other of [{}, headers, { cookie: 'JSESSIONID=nonsense' }]) {
      const answer = await app.call('POST', '/logout', { headers: other })
      assert.equal(answer.status, 200)
      assert.equal(answer.text, before.text)
    }
    assert.deepEqual(await app.rows(), kept)
  })

  test('the logout of one session ends no other', async () => {
    const [one, other] = [await app.session(ann), await app.session(ann)]
    await app.call('POST', '/logout', { headers: one })
    assert.equal((await read(app, other)).status, 200)
  })
})

const lives: readonly [string, Record<string, string>, number, number | null][] = [
  ['12 hours after the login by default', {}, 1800, 43_200],
  ['when SESSION_ABSOLUTE_SECONDS says so', { SESSION_ABSOLUTE_SECONDS: '5000' }, 1800, 5000],
  ['never, when SESSION_ABSOLUTE_SECONDS is 0', { SESSION_ABSOLUTE_SECONDS: '0' }, 1800, null],
  ['by the idle time of SESSION_IDLE_SECONDS', { SESSION_IDLE_SECONDS: '60' }, 60, 43_200],
]
for (const [what, env, idle, absolute] of lives) {
  suite(`spec 3.1: a busy session ends ${what}`, async () => {
    const app = await testApp(env)
    const end = absolute ?? 90_000 // past every limit of a day

    test('and not a second before', async () => {
      const headers = await app.session(app.admin)
      let age = 0
      while (end - age > idle) {
        app.clock.advance(idle - 1)
        age += idle - 1
        assert.equal((await read(app, headers)).status, 200, `${age}`)
      }
      app.clock.advance(end - 1 - age)
      assert.equal((await read(app, headers)).status, 200)
      const { body } = await app.call('GET', '/api/session', { headers })
      const left = absolute === null ? idle : 1
      assert.equal(Date.parse(body.expires_at), app.clock.now() + left * 1000)
      app.clock.advance(1)
      if (absolute === null) assert.equal((await read(app, headers)).status, 200)
      else await assertEnded(app, headers)
    })

    test(`an idle one after ${idle} seconds`, async () => {
      const headers = await app.session(app.admin)
      app.clock.advance(idle)
      await assertEnded(app, headers)
    })
  })
}
