// The same on every database: states follow a count; the count has tests of attacks on each.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Call, testApp } from '../app.ts'
import { countHashes } from '../hashes.ts'
import {
  assertBlocked,
  doors,
  guess,
  newHost,
  placesOf,
  throttleAlone,
  tryTimes,
} from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

suite('spec 3.3: login throttle', async () => {
  const app = await testApp(throttleAlone)
  const ann = await app.account('ann')
  const right = (from: string) => doors.JSON(app, ann, { from })
  const wrong = (from: string, times = 1) => tryTimes(times, () => guess(app, ann, from))

  test('fewer than 5 attempts in the last 15 minutes: counting, allowed', async () => {
    const from = newHost()
    assert.deepEqual(await wrong(from, 4), [401, 401, 401, 401])
    assert.equal((await placesOf(app, from)).length, 4)
    assert.equal((await right(from)).status, 200)
  })

  test('5 attempts used in the window: blocked, 429, until the window has passed', async () => {
    const from = newHost()
    assert.deepEqual(await wrong(from, 6), [401, 401, 401, 401, 401, 429])
    assertBlocked(await right(from), '900')
    app.clock.advance(899)
    assertBlocked(await right(from), '1')
    app.clock.advance(1)
    assert.equal((await right(from)).status, 200)
  })

  test('the window slides with each attempt', async () => {
    const from = newHost()
    await wrong(from)
    app.clock.advance(600)
    assert.deepEqual(await wrong(from, 5), [401, 401, 401, 401, 429])
    app.clock.advance(300)
    assert.deepEqual(await wrong(from, 2), [401, 429])
    app.clock.advance(600)
    assert.deepEqual(await wrong(from, 5), [401, 401, 401, 401, 429])
  })

  test('blocked attempts do not lengthen the window', async () => {
    const from = newHost()
    await wrong(from, 5)
    app.clock.advance(899)
    assert.deepEqual(await wrong(from, 3), [429, 429, 429])
    app.clock.advance(1)
    assert.equal((await right(from)).status, 200)
  })

  test('a successful login resets the counter', async () => {
    const from = newHost()
    for (let rounds = 0; rounds < 2; rounds += 1) {
      assert.deepEqual(await wrong(from, 4), [401, 401, 401, 401])
      assert.equal((await right(from)).status, 200)
      assert.deepEqual(await placesOf(app, from), [])
    }
  })

  test('the identifier is the username combined with the client address', async () => {
    const from = newHost()
    await wrong(from, 5)
    assert.equal((await right(newHost())).status, 200, 'another address')
    const bob = await app.account('bob')
    assert.equal((await doors.JSON(app, bob, { from })).status, 200, 'another username')
    assertBlocked(await doors.JSON(app, { ...ann, username: ' ANN ' }, { from }), '900')
  })

  test('a username without an account is counted alike', async () => {
    const from = newHost()
    const nobody = { username: 'nobody' }
    const statuses = await tryTimes(6, () => guess(app, nobody, from))
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  })

  // Spec 3.3 counts login attempts, and one without a password or with a malformed name is one.
  const { username, password } = ann
  const withoutPassword: Record<string, Call> = {
    'an empty password': { json: { username, password: '' } },
    'no password': { json: { username } },
    'a password that is no text': { json: { username, password: 12 } },
    'a form without a password': { form: { username } },
  }
  const withoutName: Record<string, Call> = {
    'an empty username': { json: { username: '', password } },
    'no username': { json: { password } },
    'a username that is no text': { json: { username: [username], password } },
    'a username that no account can have': { json: { username: 'a\0nn', password } },
    'a username of 300 letters': { json: { username: 'n'.repeat(300), password } },
    'an empty form': { form: { mode: 'session' } },
    'no body': {},
  }
  const log = (call: Call, from: string) => app.call('POST', '/login', { ...call, from })
  const counted = async (from: string) => (await placesOf(app, from)).map(({ pending }) => pending)

  for (const [what, call] of Object.entries(withoutPassword)) {
    test(`an attempt with ${what} counts for its name, and is 429 once they are used`, async () => {
      const from = newHost()
      const { hashes, result } = await countHashes(() => tryTimes(5, () => log(call, from)))
      assert.deepEqual(result, Array(5).fill(401))
      assert.equal(hashes, 0)
      assert.deepEqual(await counted(from), Array(5).fill(0))
      assertBlocked(await log(call, from), '900')
      assertBlocked(await right(from), '900')
      assert.deepEqual(await counted(from), Array(5).fill(0))
      assert.equal((await log({ json: { username: '', password } }, from)).status, 401)
    })
  }

  test('attempts without a name that an account can have share one count per address', async () => {
    const from = newHost()
    const calls = Object.entries(withoutName)
    for (const [what, call] of calls.slice(0, 5)) {
      assertRefusal(await log(call, from), 401, 'Invalid credentials', what)
    }
    for (const [, call] of calls) assertBlocked(await log(call, from), '900')
    assert.deepEqual(await counted(from), Array(5).fill(0))
    assert.equal((await right(from)).status, 200, 'names are counted for themselves')
    assert.equal((await log({}, newHost())).status, 401, 'and so are addresses')
  })

  test('each such attempt alone takes a place', async () => {
    for (const [what, call] of Object.entries({ ...withoutPassword, ...withoutName })) {
      const from = newHost()
      assertRefusal(await log(call, from), 401, 'Invalid credentials', what)
      assert.deepEqual(await counted(from), [0], what)
    }
  })

  test('an empty password or a malformed name counts by Basic too; without a colon it is no attempt', async () => {
    const from = newHost()
    const basic = (text: string) =>
      app.call('GET', '/users', {
        headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
        from,
      })
    for (const text of ['ann', 'no colon at all']) assert.equal((await basic(text)).status, 401)
    assert.deepEqual(await counted(from), [])
    for (const text of ['ann:', ':', `:${password}`, `a\0:${password}`]) {
      assertRefusal(await basic(text), 401, 'Authentication required', text)
    }
    assert.deepEqual(await counted(from), [0, 0, 0, 0])
    await tryTimes(4, () => basic('ann:'))
    assertBlocked(await basic('ann:'), '900')
    assertBlocked(await basic(`ann:${password}`), '900')
  })

  test('every variant of the login and Basic share one count', async () => {
    const from = newHost()
    const bad = { ...ann, password: 'not the password' }
    const tried = ['form, session', 'form, token', 'JSON', 'JSON, pair', 'Basic'] as const
    for (const name of tried) {
      assert.equal((await doors[name](app, bad, { from })).status, 401, name)
    }
    for (const name of tried) assertBlocked(await doors[name](app, ann, { from }), '900')
  })
})

suite('spec 3.3: its settings', async () => {
  test('LOGIN_ATTEMPTS and LOGIN_WINDOW_SECONDS set the limit; 0 is none', async () => {
    const strict = await testApp({ LOGIN_ATTEMPTS: '2', LOGIN_WINDOW_SECONDS: '60' })
    const from = newHost()
    const wrong = () => guess(strict, strict.admin, from)
    assert.deepEqual(await tryTimes(3, wrong), [401, 401, 429])
    strict.clock.advance(60)
    assert.equal((await wrong()).status, 401)

    const open = await testApp({ LOGIN_ATTEMPTS: '0' })
    const statuses = await tryTimes(8, () => guess(open, open.admin, from))
    assert.deepEqual(new Set(statuses), new Set([401]))
  })
})
