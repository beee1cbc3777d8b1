import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { presentClock, solve } from '../captcha.ts'
import { assertBlocked, doors, everyDoor, guess, newHost, tryTimes } from '../logins.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const nobody = (index: number) => ({ username: `nobody-${index}`, password: 'nobody has one' })

suite('spec 8: 20 failed logins per client address per hour', async () => {
  const app = await testApp()
  const ann = await app.account('ann')
  const fail = async (from: string, times: number, start = 0) => {
    const statuses = new Set<number>()
    for (let index = start; index < start + times; index += 1) {
      statuses.add((await guess(app, nobody(index), from)).status)
    }
    return [...statuses]
  }

  test('the 21st attempt is 429, for any username and any way to log in', async () => {
    const from = newHost()
    assert.deepEqual(await fail(from, 20), [401])
    for (const [, door] of everyDoor) assertBlocked(await door(app, nobody(99), { from }), '3600')
    assertBlocked(await doors.JSON(app, ann, { from }), '3600')
  })

  test('the window slides, and blocked tries do not lengthen it', async () => {
    const from = newHost()
    assert.deepEqual(await fail(from, 10), [401])
    app.clock.advance(1800)
    assert.deepEqual(await fail(from, 10, 10), [401])
    app.clock.advance(1799)
    assertBlocked(await guess(app, nobody(20), from), '1')
    app.clock.advance(1)
    assert.deepEqual(await fail(from, 10, 20), [401])
    assertBlocked(await guess(app, nobody(30), from), '1800')
  })

  test('a success gives its own place back, and does not forgive the failures before it', async () => {
    const from = newHost()
    assert.deepEqual(await fail(from, 19), [401])
    for (const [, door] of everyDoor) assert.equal((await door(app, ann, { from })).status, 200)
    assert.deepEqual(await fail(from, 1, 19), [401])
    assertBlocked(await doors.JSON(app, ann, { from }), '3600')
  })

  test('LOGIN_IP_ATTEMPTS and LOGIN_ADDRESS_WINDOW_SECONDS set the limit; 0 is none', async () => {
    const env = { LOGIN_IP_ATTEMPTS: '2', LOGIN_ADDRESS_WINDOW_SECONDS: '60' }
    const strict = await testApp(env)
    const from = newHost()
    for (const index of [0, 1]) assert.equal((await guess(strict, nobody(index), from)).status, 401)
    assertBlocked(await guess(strict, nobody(2), from), '60')
    strict.clock.advance(60)
    assert.equal((await guess(strict, nobody(2), from)).status, 401)

    const open = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
    for (let index = 0; index < 30; index += 1) {
      assert.equal((await guess(open, nobody(index), from)).status, 401)
    }
  })
})

suite('spec 8: account lock after 10 failures', async () => {
  const app = await testApp()
  const fail = (who: { username: string }, times: number, on = app) =>
    tryTimes(times, () => guess(on, who, newHost()))
  const right = (who: { username: string; password: string }) =>
    doors.JSON(app, who, { from: newHost() })
  const put = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: app.basic(app.admin), json })

  test('10 failures in a row, over all addresses, lock it for 30 minutes through every door', async () => {
    const ann = await app.account('ann')
    assert.deepEqual(await fail(ann, 10), Array(10).fill(401))
    for (const [name, door] of everyDoor) {
      const isBasic = name.startsWith('Basic')
      const error = isBasic ? 'Authentication required' : 'Invalid credentials'
      assertRefusal(await door(app, ann, { from: newHost() }), 401, error)
    }
    app.clock.advance(1799.999)
    assertRefusal(await right(ann), 401, 'Invalid credentials')
    app.clock.advance(0.001)
    assert.equal((await right(ann)).status, 200)
  })

  test('a success starts the count anew', async () => {
    const bob = await app.account('bob')
    for (const door of [doors['form, session'], doors.JSON, doors.Basic]) {
      await fail(bob, 9)
      app.clock.advance(60) // no verdict on Basic is remembered any more
      assert.equal((await door(app, bob, { from: newHost() })).status, 200)
    }
  })

  test('tries during the lock do not lengthen it, and do not count for the next one', async () => {
    const cat = await app.account('cat')
    await fail(cat, 10)
    app.clock.advance(1000)
    await fail(cat, 10)
    await right(cat)
    app.clock.advance(800)
    await fail(cat, 9)
    assert.equal((await right(cat)).status, 200)
  })

  test('it ends nothing: sessions and tokens go on', async () => {
    const dan = await app.account('dan')
    const session = await app.session(dan)
    const bearer = await app.bearer(dan)
    const { refresh_token } = await app.pair(dan)
    await fail(dan, 10)
    assertRefusal(await right(dan), 401, 'Invalid credentials')
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 200)
    assert.equal((await app.call('GET', '/api/me', { headers: bearer })).status, 200)
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 200)
  })

  test('`locked: false` lifts the lock and the count, `active: true` does not', async () => {
    const eva = await app.account('eva')
    await fail(eva, 10)
    assert.equal((await put('eva', { active: true })).status, 200)
    assertRefusal(await right(eva), 401, 'Invalid credentials')
    const { status, body } = await put('eva', { locked: false })
    assert.deepEqual([status, body.locked], [200, false])
    assert.equal((await right(eva)).status, 200)
    await fail(eva, 9)
    await put('eva', { locked: false })
    await fail(eva, 9)
    assert.equal((await right(eva)).status, 200)
  })

  test("the administrator's lock is another: it stays until it is lifted, and lifting lifts both", async () => {
    const fay = await app.account('fay')
    await fail(fay, 10)
    assert.equal((await put('fay', { locked: true })).body.locked, true)
    app.clock.advance(3600)
    assertRefusal(await right(fay), 401, 'Invalid credentials')
    await fail(fay, 10)
    await put('fay', { locked: false })
    assert.equal((await right(fay)).status, 200)
  })

  test('LOGIN_LOCK_AFTER and LOGIN_LOCK_SECONDS set it; 0 is none, for a lock that holds as well', async () => {
    const env = { LOGIN_LOCK_AFTER: '2', LOGIN_LOCK_SECONDS: '60' }
    const strict = await testApp(env)
    const { directory, clock, admin } = strict
    const open = await testApp({ LOGIN_LOCK_AFTER: '0' }, { directory, clock })
    await fail(admin, 2, strict)
    const login = async (on = strict) => (await doors.JSON(on, admin, { from: newHost() })).status
    assert.equal(await login(), 401)
    assert.equal(await login(open), 200)
    clock.advance(60)
    assert.equal(await login(), 200)
    await fail(admin, 30, open)
    assert.equal(await login(open), 200)
  })
})

suite('spec 8: CAPTCHA after 3 failures', async () => {
  const env = { LOGIN_PROOF_OF_WORK_AFTER: '3', LOGIN_LOCK_AFTER: '0' }
  const app = await testApp(env, { clock: presentClock() })
  const ann = await app.account('ann')
  const logIn = (from: string, password: string, captcha?: string) =>
    app.call('POST', '/login', { from, json: { username: 'ann', password, captcha } })

  test('the next login needs the solution of a challenge, and counts with it', async () => {
    const from = newHost()
    assert.deepEqual(await tryTimes(3, () => guess(app, ann, from)), [401, 401, 401])
    const asked = await logIn(from, ann.password)
    const { captcha } = asked.body
    assertRefusal(asked, 401, 'Captcha required', '', { captcha })
    assert.deepEqual(Object.keys(captcha), ['parameters', 'signature'])
    assertRefusal(await logIn(from, 'wrong', await solve(captcha)), 401, 'Invalid credentials')
    const { body } = await logIn(from, ann.password)
    assert.equal((await logIn(from, ann.password, await solve(body.captcha))).status, 200)
    assert.deepEqual(await tryTimes(3, () => guess(app, ann, from)), [401, 401, 401])
  })

  test('a form sends it as well, and the failures of 15 minutes ago are forgotten', async () => {
    const from = newHost()
    await tryTimes(3, () => guess(app, ann, from))
    const form = { username: 'ann', password: ann.password }
    const asked = await app.call('POST', '/login', { from, form })
    const captcha = await solve(asked.body.captcha)
    const answer = await app.call('POST', '/login', { from, form: { ...form, captcha } })
    assert.ok(answer.cookies.JSESSIONID)
    await tryTimes(3, () => guess(app, ann, from))
    app.clock.advance(900)
    assert.equal((await app.call('POST', '/login', { from, form })).status, 200)
  })

  test('the throttle comes first: a blocked client gets no challenge', async () => {
    const from = newHost()
    await tryTimes(3, () => guess(app, ann, from))
    for (let tries = 0; tries < 2; tries += 1) {
      const { body } = await app.call('GET', '/api/public/captcha')
      assert.equal((await logIn(from, 'wrong', await solve(body))).status, 401)
    }
    assertBlocked(await logIn(from, ann.password), '900')
  })

  test('Basic has no room for one and is refused, also where its password is remembered', async () => {
    const from = newHost()
    assert.equal((await doors.Basic(app, ann, { from })).status, 200)
    await tryTimes(3, () => guess(app, ann, from))
    const answer = await doors.Basic(app, ann, { from })
    assertRefusal(answer, 401, 'Authentication required')
    assert.match(String(answer.headers['www-authenticate']), /^Basic realm="API"/)
    assert.equal((await doors.Basic(app, ann, { from: newHost() })).status, 200)
  })

  test('GET /api/public/captcha gives a challenge', async () => {
    const answer = await app.call('GET', '/api/public/captcha')
    assert.equal(answer.status, 200)
    assertHeaders(answer)
    const { parameters, signature } = answer.body
    assert.match(signature, /^[0-9a-f]{64}$/)
    assert.equal(parameters.expiresAt, Math.floor(app.clock.now() / 1000) + 600)
    const again = await app.call('GET', '/api/public/captcha')
    assert.notEqual(again.body.parameters.nonce, parameters.nonce)
  })

  test('off by default: none is required, the field is ignored, and there is no challenge', async () => {
    const off = await testApp()
    const from = newHost()
    await tryTimes(4, () => guess(off, off.admin, from))
    const { username, password } = off.admin
    const json = { username, password, captcha: 'anything' }
    assert.equal((await off.call('POST', '/login', { from, json })).status, 200)
    const answer = await off.call('GET', '/api/public/captcha')
    assertRefusal(answer, 404, 'Route not found')
  })
})

suite('spec 8: general request rate', async () => {
  const env = { RATE_LIMIT_MAX: '100', CORS_ORIGINS: 'https://app.example' }
  const app = await testApp(env)

  test('100 requests per 15 minutes per address, then 429 on every route but /health', async () => {
    const from = newHost()
    const get = (path: string) => app.call('GET', path, { from })
    const first = await tryTimes(60, () => get('/api/public/status'))
    assert.deepEqual(new Set(first), new Set([200]))
    app.clock.advance(600)
    assert.deepEqual(new Set(await tryTimes(40, () => get('/nowhere'))), new Set([404]))
    for (const path of ['/api/public/status', '/nowhere', '/users', '/api/admin/accounts']) {
      const answer = await get(path)
      assertRefusal(answer, 429, 'Too many requests')
      assert.equal(answer.headers['retry-after'], '300')
    }
    for (const path of ['/health/live', '/health/ready'])
      assert.equal((await get(path)).status, 200)
    assert.equal((await app.call('GET', '/api/public/status', { from: newHost() })).status, 200)
    app.clock.advance(300)
    assert.equal((await get('/api/public/status')).status, 200)
  })

  test('browsers of an allowed origin can read the refusal, and the log tells of it once', async () => {
    const from = newHost()
    const headers = { origin: 'https://app.example' }
    const get = () => app.call('GET', '/api/public/status', { from, headers })
    await tryTimes(100, get)
    const answer = await get()
    assertRefusal(answer, 429, 'Too many requests')
    assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example')
    await tryTimes(5, get)
    const told = app.log.filter(
      ({ event, address }) => event === 'excess_rate_limit_exceeded' && address === from,
    )
    assert.equal(told.length, 1)
  })

  test('off by default; RATE_LIMIT_WINDOW_SECONDS sets the window', async () => {
    const off = await testApp()
    const from = newHost()
    const statuses = await tryTimes(300, () => off.call('GET', '/api/public/status', { from }))
    assert.deepEqual(new Set(statuses), new Set([200]))
    const strict = await testApp({ RATE_LIMIT_MAX: '1', RATE_LIMIT_WINDOW_SECONDS: '10' })
    const get = () => strict.call('GET', '/api/public/status', { from })
    assert.deepEqual(await tryTimes(2, get), [200, 429])
    strict.clock.advance(10)
    assert.deepEqual(await tryTimes(2, get), [200, 429])
  })
})
