// A database makes a difference: which sessions have ended is a condition of statements.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { servicesOf } from '../mail.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'

const box = 'keep_signed_in'
const days = (count: number) => count * 86_400

suite('attacks on "Keep me signed in"', async () => {
  const app = await testApp({ ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' })
  const { clock, deps } = app
  const { db, config } = deps
  const { cookieName } = config.session
  const { sessions } = await servicesOf(app)
  let count = 0

  const rowsOf = ({ userId }: Someone) =>
    db.selectFrom('sessions').select(['id', 'kept']).where('user_id', '=', userId).execute()
  async function signedIn(who: Someone, fields: Record<string, string> = { [box]: '1' }) {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    assert.match(browser.page().text, /Keep me signed in for 30 days/)
    const { action, fields: hidden } = browser.form()
    const form = { ...hidden, username: who.username, password: who.password, ...fields }
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await app.call('POST', action, { form, headers: { cookie } })
    assert.equal(answer.status, 303)
    for (const [name, value] of Object.entries(answer.cookies)) browser.cookies.set(name, value)
    const set = [answer.headers['set-cookie'] ?? []].flat().map(String)
    return { browser, cookie: set.find((one) => one.startsWith(`${cookieName}=`)) ?? '' }
  }
  const someone = () => app.account(`person${++count}`)
  const headersOf = ({ cookies }: PageBrowser) => ({
    cookie: `${cookieName}=${cookies.get(cookieName)}`,
  })
  const stateOf = async (browser: PageBrowser) =>
    app.call('GET', '/api/session', { headers: headersOf(browser) })

  test('its age is its only limit, and that of its cookie', async () => {
    const who = await someone()
    const { browser, cookie } = await signedIn(who)
    assert.match(cookie, /; Max-Age=2592000;/)
    assert.match(cookie, /HttpOnly/)
    assert.match(cookie, /Secure/)
    assert.match(cookie, /SameSite=Strict/)
    const end = clock.now() + days(30) * 1000
    for (const passed of [0, 1, 14, 14]) {
      clock.advance(days(passed))
      await sessions.purge(1000)
      const { status, body } = await stateOf(browser)
      assert.deepEqual([status, Date.parse(body.expires_at)], [200, end])
    }
    clock.advance(days(1))
    assertRefusal(await stateOf(browser), 401, 'Authentication required')
    await sessions.purge(1000)
    assert.deepEqual(await rowsOf(who), [])
  })

  test('without the box, and with any other value of its field, nothing is kept', async () => {
    const who = await someone()
    for (const fields of [{}, { [box]: '0' }, { [box]: 'on' }, { [box]: '' }]) {
      const { browser, cookie } = await signedIn(who, fields)
      assert.doesNotMatch(cookie, /Max-Age|Expires/)
      clock.advance(config.session.idleSeconds)
      assertRefusal(await stateOf(browser), 401, 'Authentication required')
    }
  })

  test('it is recent for REAUTHENTICATE_SECONDS alone', async () => {
    const { browser } = await signedIn(await someone())
    const exported = () => app.call('GET', '/api/account/export', { headers: headersOf(browser) })
    assert.equal((await exported()).status, 200)
    clock.advance(900.001)
    assertRefusal(await exported(), 401, 'Recent login required')
  })

  test('a login that asks again keeps it, and a new one without the box does not', async () => {
    const who = await someone()
    const { browser } = await signedIn(who)
    clock.advance(days(2))
    await browser.open('/account/delete')
    assert.equal(browser.heading(), 'Confirm that it is you')
    assert.doesNotMatch(browser.page().text, /keep_signed_in/)
    await browser.submit({ password: who.password })
    assert.equal(browser.path(), '/account/delete')
    assert.deepEqual(
      (await rowsOf(who)).map(({ kept }) => kept),
      [1],
    )
    const json = { username: who.username, password: who.password, mode: 'session' }
    const answer = await app.call('POST', '/login', { headers: headersOf(browser), json })
    assert.equal(answer.status, 200)
    assert.deepEqual(
      (await rowsOf(who)).map(({ kept }) => kept),
      [0],
    )
  })

  test('a field at `again` does not keep a session that was not', async () => {
    const who = await someone()
    const { browser } = await signedIn(who, {})
    await browser.open('/signin?return_to=/account&again=1')
    await browser.submit({ password: who.password, [box]: '1' })
    assert.deepEqual(
      (await rowsOf(who)).map(({ kept }) => kept),
      [0],
    )
  })

  test('POST /login keeps nothing', async () => {
    const who = await someone()
    const login = { username: who.username, password: who.password, [box]: '1' }
    const answer = await app.call('POST', '/login', { form: { ...login, mode: 'session' } })
    assert.equal(answer.status, 200)
    assert.doesNotMatch(String(answer.headers['set-cookie']), /Max-Age|Expires/)
    assert.deepEqual(
      (await rowsOf(who)).map(({ kept }) => kept),
      [0],
    )
  })

  test('it is shown as such, and ends as any other', async () => {
    const who = await someone()
    const { browser } = await signedIn(who)
    await browser.open('/account/sessions')
    assert.match(browser.page().text, /kept signed in/)
    const headers = headersOf(browser)
    const [session] = (await app.call('GET', '/api/account/sessions', { headers })).body
    assert.equal(session.kept, true)
    clock.advance(1)
    const other = await app.session(who)
    const all = (await app.call('GET', '/api/account/sessions', { headers: other })).body
    assert.deepEqual(
      all.map((one: object) => 'kept' in one),
      [false, true],
    )
    const admin = app.basic(app.admin)
    const locked = (value: boolean) =>
      app.call('PUT', `/api/admin/accounts/${who.username}`, {
        headers: admin,
        json: { locked: value },
      })
    await locked(true)
    await locked(false)
    assertRefusal(await stateOf(browser), 401, 'Authentication required')
  })

  test('a role that must have a second factor has the usual limits, also later', async () => {
    const who = await someone()
    const { browser } = await signedIn(who)
    clock.advance(days(1))
    assert.equal((await stateOf(browser)).status, 200)
    const json = { roles: ['USER', 'BILLING'] }
    const path = `/api/admin/accounts/${who.username}`
    const headers = app.basic(app.admin)
    assert.equal((await app.call('PUT', path, { headers, json })).status, 200)
    assertRefusal(await stateOf(browser), 401, 'Authentication required')
  })

  test('the count of live sessions has kept ones, and no others that have ended', async () => {
    const own = await testApp({})
    const services = await servicesOf(own)
    const before = await services.sessions.count()
    const who = await own.account('ann')
    await own.session(who)
    const browser = pageBrowser(own)
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: who.password, [box]: '1' })
    assert.equal(await services.sessions.count(), before + 2)
    own.clock.advance(days(1))
    assert.equal(await services.sessions.count(), 1)
    assert.equal((await services.sessions.of(who.userId)).length, 1)
    own.clock.advance(days(30))
    assert.equal(await services.sessions.count(), 0)
    assert.deepEqual(await services.sessions.of(who.userId), [])
  })
})

suite('a service that keeps no one signed in', async () => {
  const app = await testApp({ KEEP_SIGNED_IN_DAYS: '0' })

  test('has no box, and takes no field', async () => {
    const who = await app.account('ann')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    assert.doesNotMatch(browser.page().text, /keep_signed_in/)
    await browser.submit({ username: 'ann', password: who.password, [box]: '1' })
    assert.equal(browser.path(), '/account')
    const rows = await app.deps.db.selectFrom('sessions').select('kept').execute()
    assert.deepEqual(
      rows.map(({ kept }) => kept),
      [0],
    )
  })
})
