// A database makes a difference: a device ends in the transaction that ends the logins of its account.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { stepSeconds } from '../../src/modules/totp/totp.ts'
import { type Someone, testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { type Device, enrol, enrolled } from '../factor.ts'
import { holdAtTransaction, holdableDatabase } from '../held-requests.ts'
import { mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'

const cookieName = '__Host-device'
const box = 'remember_device'
const asksCode = 'Second factor'

suite('attacks on remembered devices', async () => {
  const settings = {
    ...{ ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' },
    ...{ EMAIL_SIGN_IN: 'on', NODE_ENV: 'development' },
  }
  const app = await testApp(settings, await holdableDatabase())
  const { clock, deps } = app
  const { db, config } = deps
  const services = await servicesOf(app)
  const admin = app.basic(app.admin)
  let count = 0

  const rowsOf = ({ userId }: Someone) =>
    db.selectFrom('remembered_devices').selectAll().where('user_id', '=', userId).execute()
  const amrOf = async ({ userId }: Someone) =>
    (
      await db
        .selectFrom('sessions')
        .select('amr')
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .execute()
    ).map(({ amr }) => amr)
  /** A browser with the device cookie of another, and no session. */
  function browserWith(cookie: string | undefined): PageBrowser {
    const browser = pageBrowser(app)
    if (cookie !== undefined) browser.cookies.set(cookieName, cookie)
    return browser
  }
  async function password(browser: PageBrowser, who: Someone, query = '?return_to=/users') {
    await browser.open(`/signin${query}`)
    await browser.submit({ username: who.username, password: who.password })
    return browser
  }
  /** Signs in with a code, and has the device remembered. */
  async function remembering(who: Someone, device: Device, cookie?: string) {
    clock.advance(stepSeconds)
    const browser = await password(browserWith(cookie), who)
    assert.equal(browser.heading(), asksCode)
    assert.match(browser.page().text, /Do not ask on this device for 30 days/)
    await browser.submit({ totp: device.code(), [box]: '1' })
    assert.equal(browser.path(), '/users')
    return browser.cookies.get(cookieName) ?? assert.fail('no cookie')
  }
  async function someone() {
    const { who, device } = await enrolled(app, `person${++count}`)
    const cookie = await remembering(who, device)
    assert.equal((await rowsOf(who)).length, 1)
    return { who, device, cookie }
  }
  const headingOf = async (cookie: string | undefined, who: Someone, query?: string) =>
    (await password(browserWith(cookie), who, query)).heading()
  async function assertAsked(cookie: string, who: Someone) {
    assert.equal(await headingOf(cookie, who), asksCode)
    assert.deepEqual(await rowsOf(who), [])
  }

  test('the password alone signs in there; the session proved one factor, and is never recent', async () => {
    const { who, cookie } = await someone()
    const browser = await password(browserWith(cookie), who, '?return_to=/account')
    assert.equal(browser.path(), '/account')
    assert.deepEqual((await amrOf(who)).toSorted(), ['pwd', 'pwd otp mfa', 'pwd otp mfa'])
    await browser.open('/account/delete')
    assert.equal(browser.path(), '/signin?return_to=%2Faccount%2Fdelete&again=1')
    const session = `${config.session.cookieName}=${browser.cookies.get(config.session.cookieName)}`
    const answer = await app.call('GET', '/api/account/export', { headers: { cookie: session } })
    assertRefusal(answer, 401, 'Recent login required')
  })

  test('a login that asks again takes the code as well, and gives a recent session', async () => {
    const { who, device, cookie } = await someone()
    const browser = await password(browserWith(cookie), who, '?return_to=/account')
    await browser.open('/account/delete')
    await browser.submit({ password: who.password })
    assert.equal(browser.heading(), asksCode)
    clock.advance(stepSeconds)
    await browser.submit({ totp: device.code() })
    assert.equal(browser.path(), '/account/delete')
    assert.equal(browser.page().status, 200)
  })

  test('an application that wants two factors gets two', async () => {
    const { who, device, cookie } = await someone()
    const query = '?return_to=/users&two_factor=1'
    const browser = await password(browserWith(cookie), who, query)
    assert.equal(browser.heading(), asksCode)
    const signedIn = await password(browserWith(cookie), who)
    assert.equal(signedIn.path(), '/users')
    await signedIn.open(`/signin${query}`)
    assert.equal(signedIn.heading(), 'Confirm that it is you')
    await signedIn.submit({ password: who.password })
    assert.equal(signedIn.heading(), asksCode, 'and no enrolment')
    clock.advance(stepSeconds)
    await signedIn.submit({ totp: device.code() })
    assert.equal(signedIn.path(), '/users')
  })

  test('a wrong password is a wrong password, and the device stays', async () => {
    const { who, cookie } = await someone()
    const before = await rowsOf(who)
    const browser = browserWith(cookie)
    await browser.open('/signin')
    const answer = await browser.submit({ username: who.username, password: 'not the one' })
    assert.equal(answer.status, 401)
    assert.match(answer.text, /Username or password is not right/)
    assert.deepEqual(await rowsOf(who), before)
  })

  test('the cookie of another person, a forged and a doubled one do not count', async () => {
    const { who, cookie } = await someone()
    const other = await someone()
    for (const sent of [
      other.cookie,
      'A'.repeat(43),
      'A'.repeat(7000),
      '',
      `${other.cookie}; ${cookieName}=${cookie}`,
      cookie.toLowerCase(),
    ]) {
      assert.equal(await headingOf(sent, who), asksCode, sent.slice(0, 50))
    }
  })

  test('programs have no remembered devices: POST /login never reads the cookie', async () => {
    const { who, cookie } = await someone()
    const before = await rowsOf(who)
    const headers = { cookie: `${cookieName}=${cookie}` }
    const { username, password } = who
    for (const mode of ['token', 'pair', 'session']) {
      const json = { username, password, mode }
      const answer = await app.call('POST', '/login', { headers, json })
      assertRefusal(answer, 401, 'Second factor required', mode, { second_factor: 'totp' })
    }
    const form = { username, password, [box]: '1' }
    const answer = await app.call('POST', '/login', { headers, form })
    assertRefusal(answer, 401, 'Second factor required', 'form', { second_factor: 'totp' })
    assert.deepEqual(await rowsOf(who), before)
  })

  const ends: Readonly<Record<string, (who: Someone, device: Device) => Promise<unknown>>> = {
    'a lock by ADMIN': (who) => put(who, { locked: true }).then(() => put(who, { locked: false })),
    'a disabling': (who) => put(who, { active: false }).then(() => put(who, { active: true })),
    'a new role': (who) => put(who, { roles: ['USER', 'EDITOR'] }),
    'a password set by ADMIN': (who) => put(who, { password: who.password }),
    'a sign-out everywhere by ADMIN': (who) =>
      app.call('DELETE', `/api/admin/accounts/${who.username}/sessions`, { headers: admin }),
    'the end of its devices by ADMIN': (who) =>
      app.call('DELETE', `/api/admin/accounts/${who.username}/devices`, { headers: admin }),
    'a new second factor': async (who) => {
      const path = `/api/admin/accounts/${who.username}/second-factor`
      await app.call('DELETE', path, { headers: admin })
      await enrol(app, await app.session(who))
      clock.advance(stepSeconds)
    },
  }
  async function put({ username }: Someone, json: object) {
    const path = `/api/admin/accounts/${username}`
    const answer = await app.call('PUT', path, { headers: admin, json })
    assert.equal(answer.status, 200, answer.text)
  }
  for (const [what, end] of Object.entries(ends)) {
    test(`${what} ends it`, async () => {
      const { who, device, cookie } = await someone()
      await end(who, device)
      await assertAsked(cookie, who)
    })
  }

  test('its owner ends it, at the page and by the API; the devices of others stay', async () => {
    const [{ who, device, cookie }, other] = [await someone(), await someone()]
    const ofAccount = `/api/admin/accounts/${who.username}/devices`
    const seen = (await app.call('GET', ofAccount, { headers: admin })).body
    assert.deepEqual(Object.keys(seen[0]), [
      ...['id', 'created_at', 'last_used_at', 'ends_at', 'address', 'user_agent'],
    ])
    assert.equal(seen.length, 1)
    assert.ok(!JSON.stringify(seen).includes(cookie))
    clock.advance(stepSeconds)
    const login = { username: who.username, password: who.password, totp: device.code() }
    const { body } = await app.call('POST', '/login', { json: { ...login, mode: 'token' } })
    const headers = { authorization: `Bearer ${body.token}` }
    const [listed] = (await app.call('GET', '/api/account/devices', { headers })).body
    const path = (id: string) => `/api/account/devices/${id}`
    const [ofOther] = await services.rememberedDevices.of(other.who.userId)
    for (const id of [ofOther?.handle ?? '', 'unknown', cookie]) {
      const answer = await app.call('DELETE', path(id), { headers })
      assertRefusal(answer, 404, 'Device not found')
    }
    assert.equal((await rowsOf(who)).length, 1)
    assert.equal((await app.call('DELETE', path(listed.id), { headers })).status, 200)
    await assertAsked(cookie, who)
    assert.equal((await rowsOf(other.who)).length, 1)

    clock.advance(stepSeconds)
    const browser = browserWith(other.cookie)
    await password(browser, other.who, '?return_to=/account/devices')
    assert.match(browser.page().text, /This device/)
    await browser.submit({}, '/account/devices/forget-all')
    assert.equal(browser.heading(), 'Confirm that it is you', 'wants a recent login')
    await browser.submit({ password: other.who.password })
    await browser.submit({ totp: other.device.code() })
    await browser.submit({}, '/account/devices/forget-all')
    assert.match(browser.page().text, /All devices were forgotten/)
    await assertAsked(other.cookie, other.who)
  })

  test('it ends REMEMBER_DEVICE_DAYS after the code, however often it is used', async () => {
    const { who, cookie } = await someone()
    clock.advance(29 * 86_400)
    assert.equal((await password(browserWith(cookie), who)).path(), '/users')
    clock.advance(86_400)
    assert.equal(await headingOf(cookie, who), asksCode)
    await services.rememberedDevices.purge(1000)
    assert.deepEqual(await rowsOf(who), [])
  })

  test('a role that must have a second factor is never offered it, and no field gives it', async () => {
    const { who, device } = await enrolled(app, 'strict')
    await put(who, { roles: ['USER', 'BILLING'] })
    clock.advance(stepSeconds)
    const browser = await password(browserWith(undefined), who)
    assert.equal(browser.heading(), asksCode)
    assert.doesNotMatch(browser.page().text, /remember_device/)
    await browser.submit({ totp: device.code(), [box]: '1' })
    assert.equal(browser.path(), '/users')
    assert.deepEqual(await rowsOf(who), [])
    // As if the setting had named the role later.
    const cookie = browser.cookies.get(cookieName) ?? ''
    await transact(db, [], (trx) => services.rememberedDevices.remember(trx, who.userId, cookie))
    assert.equal(await headingOf(cookie, who), asksCode)
  })

  test('its session ends with a role that must have a second factor', async () => {
    const { who, cookie } = await someone()
    const browser = await password(browserWith(cookie), who, '?return_to=/account')
    const { cookieName: name } = config.session
    const headers = { cookie: `${name}=${browser.cookies.get(name)}` }
    assert.equal((await app.call('GET', '/api/account', { headers })).status, 200)
    await put(who, { roles: ['USER', 'BILLING'] })
    const answer = await app.call('GET', '/api/account', { headers })
    assertRefusal(answer, 401, 'Authentication required')
  })

  const meanwhile: typeof ends = {
    'forgotten by its owner': (who) =>
      services.rememberedDevices.forget(who.userId, { reason: 'owner', guard: undefined }),
    'ended by a new role': (who) => put(who, { roles: ['USER', 'EDITOR'] }),
  }
  for (const [what, end] of Object.entries(meanwhile)) {
    test(`a device that is ${what} while it signs in does not complete the sign-in`, async () => {
      const { who, device, cookie } = await someone()
      const browser = browserWith(cookie)
      await browser.open('/signin?return_to=/users')
      const { action, fields } = browser.form()
      const sent = { ...fields, username: who.username, password: who.password }
      const before = await amrOf(who)
      const held = holdAtTransaction(
        app,
        {
          ...{ method: 'POST', path: action, body: new URLSearchParams(sent).toString() },
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
          },
        },
        // The completion: the device has been looked up.
        1,
      )
      await held.held
      await end(who, device)
      held.goOn()
      const answer = await held.answer
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.deepEqual(await amrOf(who), before)
    })
  }

  test('a mailed code is followed by the code of the app, whatever the device', async () => {
    const { who, cookie } = await someone()
    await verifyAddress(app, who, `${who.username}@example.org`)
    await db.deleteFrom('remembered_devices').where('user_id', '=', who.userId).execute()
    await transact(db, [], (trx) => services.rememberedDevices.remember(trx, who.userId, cookie))
    const browser = browserWith(cookie)
    await browser.open('/signin')
    await browser.open(`${browser.form().action}&by=mail`)
    await browser.submit({ email: `${who.username}@example.org` })
    const rows = (await mailRows(app)).filter(({ user_id }) => user_id === who.userId)
    const { mailed } = await confirmationsOf(app)
    const { code } = await mailed(
      rows.findLast(({ message }) => message === 'sign_in')?.confirmation ?? '',
    )
    await browser.submit({ code }, 'name="code"')
    assert.equal(browser.heading(), asksCode)
    assert.doesNotMatch(browser.page().text, /remember_device/)
  })

  test('an account without a second factor has nothing to remember', async () => {
    const who = await app.account('plain')
    const browser = browserWith(undefined)
    await browser.open('/signin')
    await browser.submit({ username: 'plain', password: who.password, [box]: '1' })
    assert.equal(browser.path(), '/account')
    assert.deepEqual(await rowsOf(who), [])
  })
})

suite('a service that remembers no devices', async () => {
  const app = await testApp({ REMEMBER_DEVICE_DAYS: '0' })

  test('offers it to no one, and takes no field', async () => {
    const { who, device } = await enrolled(app, 'ann')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: who.password })
    assert.doesNotMatch(browser.page().text, /remember_device/)
    await browser.submit({ totp: device.code(), [box]: '1' })
    assert.equal(browser.path(), '/account')
    const rows = await app.deps.db.selectFrom('remembered_devices').selectAll().execute()
    assert.deepEqual(rows, [])
  })
})
