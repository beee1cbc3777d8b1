// A database makes a difference: places are taken in the transaction that counts them.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { type Someone, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { countHashes } from '../hashes.ts'
import { assertBlocked, doors, eventsNamed, guess, newHost } from '../logins.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'

const wrong = 'not the password of anyone'
const cookieName = '__Host-device'

suite('attacks on the quota of a known browser', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0', LOGIN_IP_ATTEMPTS: '3' })
  const services = await servicesOf(app)
  const { db } = app.deps

  /** Closes an address by wrong passwords of names that no one has. */
  async function closed(from = newHost()): Promise<string> {
    for (let n = 0; n < 3; n += 1) await guess(app, { username: `nobody${n}` }, from)
    assertBlocked(await guess(app, { username: 'nobody' }, from), '3600')
    return from
  }
  async function send(
    who: { username: string; password: string },
    from: string,
    cookie?: string,
  ): Promise<{ status: number; browser: PageBrowser }> {
    const browser = pageBrowser(app, { from })
    if (cookie !== undefined) browser.cookies.set(cookieName, cookie)
    await browser.open('/signin?return_to=/users')
    const { username, password } = who
    const { status } = await browser.submit({ username, password })
    const isSignedIn = browser.path() === '/users'
    return { status: isSignedIn ? 303 : status, browser }
  }
  const statusOf = async (...sent: Parameters<typeof send>) => (await send(...sent)).status
  /** Signs in on the pages, and answers the cookie of the browser. */
  async function cookieOf(who: Someone, cookie?: string): Promise<string> {
    const { status, browser } = await send(who, newHost(), cookie)
    assert.equal(status, 303)
    return browser.cookies.get(cookieName) ?? assert.fail('no cookie')
  }
  const ofAddress = async (address: string) =>
    (
      await db
        .selectFrom('throttle_places')
        .select('id')
        .where('username', '=', '')
        .where('address', '=', address)
        .execute()
    ).length
  let count = 0
  const someone = () => app.account(`person${++count}`)

  test('a closed address is open for a browser that has signed in to the account, for it alone', async () => {
    const from = await closed()
    const cookie = await cookieOf(app.admin) // has no verified address
    const other = await someone()
    assert.equal(await statusOf(app.admin, from, cookie), 303)
    assert.equal(await statusOf(app.admin, from), 429)
    assert.equal(await statusOf(other, from, cookie), 429, 'another account')
    assert.equal(await statusOf({ ...other, username: 'nobody' }, from, cookie), 429)
    assert.equal(await statusOf(app.admin, from, 'A'.repeat(43)), 429, 'a forged cookie')
    const otherCookie = await cookieOf(other)
    assert.equal(await statusOf(app.admin, from, otherCookie), 429, 'of another account')
    const both = `${otherCookie}; ${cookieName}=${cookie}`
    assert.equal(await statusOf(app.admin, from, both), 429, 'several cookies are the first')
    for (const door of [doors.JSON, doors['form, session'], doors.Basic]) {
      const headers = { cookie: `${cookieName}=${cookie}` }
      assertBlocked(await door(app, app.admin, { from, headers }), '3600')
    }
  })

  test('its wrong passwords count in its quota, and not for the address', async () => {
    const who = await someone()
    const cookie = await cookieOf(who)
    const from = newHost()
    for (let n = 0; n < 5; n += 1) {
      assert.equal(await statusOf({ ...who, password: wrong }, newHost(), cookie), 401)
    }
    assert.equal(await statusOf({ ...who, password: wrong }, from, cookie), 401)
    assert.equal(await ofAddress(from), 1, 'the sixth is that of a stranger')
    assert.equal(await statusOf(who, await closed(), cookie), 429)
    app.clock.advance(900)
    const shut = await closed()
    assert.equal(await statusOf({ ...who, password: wrong }, shut, cookie), 401)
    assert.equal(await ofAddress(shut), 3)
    assert.equal(await statusOf(who, shut, cookie), 303, 'and a success forgets them')
    const left = await db
      .selectFrom('throttle_places')
      .select('id')
      .where('username', '=', `device ${who.userId}`)
      .where('expires_at', '>', app.clock.now())
      .execute()
    assert.deepEqual(left, [])
  })

  test('30 guesses at once from 30 closed addresses: its quota verifies five', async () => {
    const who = await someone()
    const cookie = await cookieOf(who)
    const browsers: PageBrowser[] = []
    for (let n = 0; n < 30; n += 1) {
      const browser = pageBrowser(app, { from: await closed() })
      browser.cookies.set(cookieName, cookie)
      await browser.open('/signin')
      browsers.push(browser)
    }
    const { hashes, result } = await countHashes(() =>
      Promise.all(browsers.map((one) => one.submit({ username: who.username, password: wrong }))),
    )
    const statuses = result.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(25).fill(429)])
    assert.equal(hashes, 5)
  })

  test('the limit of username and address holds for it, and clears by the username', async () => {
    const who = await someone()
    const cookie = await cookieOf(who)
    const from = newHost()
    for (let n = 0; n < 5; n += 1) {
      assert.equal(await statusOf({ ...who, password: wrong }, from, cookie), 401)
    }
    assert.equal(await statusOf(who, from, cookie), 429)
    assert.equal(await ofAddress(from), 0)
    const headers = await app.bearer(app.admin)
    const shown = await app.call('GET', `/api/admin/accounts/${who.username}/details`, { headers })
    const limits = shown.body.limits.map(({ count, address, used }: Record<string, unknown>) => [
      ...[count, address, used],
    ])
    assert.deepEqual(limits.toSorted(), [
      ['device', null, 5],
      ['login', from, 5],
    ])
    await app.call('DELETE', `/api/admin/throttle/${who.username}`, { headers })
    assert.equal(await statusOf(who, await closed(), cookie), 303)
  })

  test('a lockout holds for it', async () => {
    const strict = await testApp({ LOGIN_LOCK_AFTER: '2' })
    const who = await strict.account('locked')
    const browser = pageBrowser(strict)
    await browser.open('/signin')
    await browser.submit({ username: who.username, password: who.password })
    await browser.open('/signin?again=1')
    for (let n = 0; n < 2; n += 1) await browser.submit({ password: wrong })
    assert.equal((await browser.submit({ password: who.password })).status, 401)
    assert.equal(eventsNamed(strict, 'authn_login_lock'), 1)
  })

  test('a device that was forgotten, or not seen for a year, is a stranger', async () => {
    const who = await someone()
    const cookie = await cookieOf(who)
    await transact(db, [], (trx) => services.devices.forget(trx, who.userId))
    assert.equal(await statusOf(who, await closed(), cookie), 429)
    const again = await cookieOf(who, cookie)
    assert.equal(again, cookie)
    assert.equal(await statusOf(who, await closed(), cookie), 303)
    app.clock.advance(365 * 86_400)
    assert.equal(await statusOf(who, await closed(), cookie), 429, 'before the purge has run')
  })

  test('the kind of a browser and its network are no cookie', async () => {
    const who = await someone()
    const from = newHost()
    const login = await app.call('POST', '/login', {
      from,
      json: { username: who.username, password: who.password },
    })
    assert.equal(login.status, 200)
    assert.equal(await statusOf(who, await closed(from)), 429)
    const [row] = await db
      .selectFrom('known_devices')
      .select('device')
      .where('user_id', '=', who.userId)
      .execute()
    assert.equal(await statusOf(who, from, row?.device), 429, 'a stolen row of the database')
  })

  test('the step of a second factor counts in the quota too', async () => {
    const { who, device } = await enrolled(app, 'factored')
    const first = await send(who, newHost())
    await first.browser.submit({ totp: device.code() })
    assert.equal(first.browser.path(), '/users')
    const cookie = first.browser.cookies.get(cookieName) ?? ''
    app.clock.advance(60)
    const from = await closed()
    const { browser } = await send(who, from, cookie)
    assert.equal((await browser.submit({ totp: '000000' })).status, 401)
    await browser.submit({ totp: device.code() })
    assert.equal(browser.path(), '/users')
    assert.equal(await ofAddress(from), 3)
  })

  test('LOGIN_ATTEMPTS=0 is no quota without an end: the address counts', async () => {
    const open = await testApp({
      ...{ LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '2', LOGIN_LOCK_AFTER: '0' },
    })
    const who = await open.account('who')
    const browser = pageBrowser(open)
    await browser.open('/signin')
    await browser.submit({ username: who.username, password: who.password })
    await browser.open('/signin?again=1')
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await browser.submit({ password: wrong })).status)
    assert.deepEqual(statuses, [401, 401, 429])
  })
})

suite('attacks on the spellings of an account', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0', LOGIN_IP_ATTEMPTS: '0' })
  const una = await app.account('una')
  await verifyAddress(app, una, 'una@example.org')
  const submit = async (from: string, username: string, password = wrong) => {
    const browser = pageBrowser(app, { from })
    await browser.open('/signin?return_to=/users')
    const { status } = await browser.submit({ username, password })
    return browser.path() === '/users' ? 303 : status
  }
  const placesAt = (address: string) =>
    db.selectFrom('throttle_places').select('username').where('address', '=', address).execute()
  const { db } = app.deps

  test('what is answered, verified and counted is the same with an account and without', async () => {
    const seen: object[] = []
    for (const name of ['una', 'nobody']) {
      for (const spellings of [
        [name, `${name}@example.org`],
        [`${name}@example.org`, name],
      ] as const) {
        const from = newHost()
        const { hashes, result } = await countHashes(async () => {
          const statuses: number[] = []
          for (const spelling of spellings) {
            for (let n = 0; n < 6; n += 1) statuses.push(await submit(from, spelling))
          }
          return statuses
        })
        const api = await doors.JSON(app, { username: name, password: wrong }, { from })
        seen.push({ hashes, result, api: api.status, places: (await placesAt(from)).length })
      }
    }
    const [first, second] = seen
    assert.deepEqual(seen, [first, second, first, second])
    assert.deepEqual(first, {
      hashes: 10,
      result: [...Array(5).fill(401), 429, ...Array(5).fill(401), 429],
      api: 429,
      places: 15,
    })
  })

  test('five passwords are verified in all, and the right one is refused after them', async () => {
    for (const [first, then] of [
      ['una', 'una@example.org'],
      ['una@example.org', 'una'],
    ] as const) {
      const from = newHost()
      for (let n = 0; n < 5; n += 1) assert.equal(await submit(from, n < 3 ? first : then), 401)
      for (const spelling of [first, then]) {
        assert.equal(await submit(from, spelling, una.password), 401)
      }
      const json = await doors.JSON(app, una, { from })
      assert.deepEqual([json.status, json.body], [401, { error: 'Invalid credentials' }])
      app.clock.advance(900)
      assert.equal(await submit(from, then, una.password), 303)
      assert.equal(await submit(from, first, una.password), 303)
    }
  })

  test('a success forgets the failures of both; clearing the username does as well', async () => {
    const from = newHost()
    for (let n = 0; n < 4; n += 1) await submit(from, n % 2 ? 'una' : 'una@example.org')
    assert.equal(await submit(from, 'una@example.org', una.password), 303)
    assert.deepEqual(await placesAt(from), [])
    for (let n = 0; n < 10; n += 1) await submit(from, n % 2 ? 'una' : 'una@example.org')
    assert.equal(await submit(from, 'una@example.org', una.password), 429)
    const headers = await app.bearer(app.admin)
    await app.call('DELETE', '/api/admin/throttle/una', { headers })
    assert.deepEqual(await placesAt(from), [])
    assert.equal(await submit(from, 'una@example.org', una.password), 303)
  })

  test('clearing a username that reads as a mail address opens it, verified or not', async () => {
    const headers = await app.bearer(app.admin)
    const who = await app.account('una@example.com')
    for (const name of [who.username, 'nobody@example.com']) {
      const from = newHost()
      for (let n = 0; n < 5; n += 1) assert.equal(await submit(from, name), 401)
      assert.equal(await submit(from, name), 429)
      await app.call('DELETE', `/api/admin/throttle/${encodeURIComponent(name)}`, { headers })
      const isOpen = name === who.username ? 303 : 401
      assert.equal(await submit(from, name, who.password), isOpen, name)
    }
    const details = () =>
      app.call('GET', '/api/admin/accounts/una@example.com/details', { headers })
    assert.deepEqual((await details()).body.limits, [])
    await submit(newHost(), who.username)
    const counts = (await details()).body.limits.map(({ count }: { count: string }) => count)
    assert.deepEqual(counts.toSorted(), ['login', 'login_by_email'])
  })

  test('the operator learns why the right password was refused', async () => {
    const from = newHost()
    for (let n = 0; n < 5; n += 1) await submit(from, 'una@example.org')
    const refused = await doors.JSON(app, una, { from })
    await app.app.jobs.find((job) => job.name === 'refusals')?.run()
    const headers = await app.bearer(app.admin)
    const id = refused.headers['x-request-id']
    const { body } = await app.call('GET', `/api/admin/explain/${id}`, { headers })
    assert.deepEqual(
      [body.status, body.code, body.username, body.facts.used, body.mends],
      [401, 'limit_account_address', 'una', 5, ['clear_throttle', 'send_reset', 'set_password']],
    )
  })
})
