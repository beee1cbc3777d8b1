// A database makes a difference: devices are counted and kept in the transaction of the login.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { transact } from '../../src/core/database/transactions.ts'
import { inContextOf } from '../../src/core/events/context.ts'
import { ofBrowser } from '../../src/modules/devices/device-cookie.ts'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { waitingMails } from '../notices.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const newer = firefox.replaceAll('140', '141')
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36'

const deviceRows = ({ deps }: TestApp, { userId }: Someone) =>
  deps.db
    .selectFrom('known_devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('first_seen_at')
    .execute()

suite('known devices', async () => {
  const app = await testApp()
  const services = await servicesOf(app)
  let count = 0

  async function someone(isVerified = true): Promise<Someone> {
    const who = await app.account(`person${++count}`)
    if (isVerified) await verifyAddress(app, who, `${who.username}@example.org`)
    return who
  }
  async function logIn(who: Someone, from: string, agent = firefox, mode = 'session') {
    const headers = { 'user-agent': agent }
    const json = { username: who.username, password: who.password, mode }
    const answer = await app.call('POST', '/login', { from, headers, json })
    assert.equal(answer.status, 200)
    return answer
  }
  const told = async (who: Someone) =>
    (await waitingMails(app, services, who)).map(({ message, facts }) => [message, facts.origin])

  test('the first device is learnt silently, and an unknown one is told of', async () => {
    const who = await someone()
    await logIn(who, '192.0.2.1')
    assert.deepEqual(await told(who), [])
    await logIn(who, '192.0.2.99', newer, 'token') // the same browser in the same network
    await logIn(who, '192.0.2.1', firefox, 'pair')
    assert.deepEqual(await told(who), [])
    await logIn(who, '192.0.3.1', chrome, 'token')
    const at = app.clock.now()
    const device = { browser: 'Chrome', system: 'Linux' }
    assert.deepEqual(await told(who), [['new_sign_in', { at, address: '192.0.3.1', device }]])
    await logIn(who, '192.0.3.1', chrome)
    assert.equal((await told(who)).length, 1)
    assert.deepEqual(
      (await services.notices.of(who.userId)).map(({ type }) => type),
      ['new_sign_in'],
    )
  })

  test('a /64 of IPv6 is one network, the next is another', async () => {
    const who = await someone()
    await logIn(who, '2001:db8:1:1::1')
    await logIn(who, '2001:db8:1:1:ffff::2')
    assert.equal((await deviceRows(app, who)).length, 1)
    await logIn(who, '2001:db8:1:2::1')
    assert.equal((await told(who)).length, 1)
  })

  test('a failed login and Basic learn nothing', async () => {
    const who = await someone()
    const json = { username: who.username, password: 'not the password' }
    await app.call('POST', '/login', { json })
    await app.call('GET', '/users/1', { headers: app.basic(who) })
    assert.deepEqual(await deviceRows(app, who), [])
  })

  test('an account without a verified address has devices too, of which no one is told', async () => {
    const who = await someone(false)
    const from = app.log.length
    for (let n = 0; n < 52; n += 1) {
      app.clock.advance(1)
      await logIn(who, `192.0.${n}.1`)
    }
    assert.equal((await deviceRows(app, who)).length, 50)
    assert.deepEqual(await services.notices.of(who.userId), [])
    assert.ok(!app.log.slice(from).some(({ event }) => event === 'authn_login_new_device'))
    // Once there is an address to write to, a device that was learnt before is no new one.
    await verifyAddress(app, who, `${who.username}@example.org`)
    await logIn(who, '192.0.51.9')
    assert.deepEqual(await told(who), [])
    await logIn(who, '192.0.99.1')
    assert.equal((await told(who)).length, 1)
  })

  test('the answer of a login sets no further cookie', async () => {
    const { cookies } = await logIn(await someone(), '192.0.2.1')
    assert.deepEqual(Object.keys(cookies), ['JSESSIONID'])
  })

  test('rows name neither the device nor the network, and are of one account alone', async () => {
    const [one, two] = [await someone(), await someone()]
    for (const who of [one, two]) await logIn(who, '192.0.2.1')
    const [[first], [second]] = [await deviceRows(app, one), await deviceRows(app, two)]
    assert.match(String(first?.device), /^[\w-]{43}$/)
    assert.notEqual(first?.device, second?.device)
  })

  test('a known device is touched once a day, and forgotten a year after that', async () => {
    const who = await someone()
    await logIn(who, '192.0.2.1')
    const first = app.clock.now()
    app.clock.advance(86_399)
    await logIn(who, '192.0.2.1')
    assert.equal((await deviceRows(app, who))[0]?.last_seen_at, first)
    app.clock.advance(1)
    await logIn(who, '192.0.2.1')
    assert.equal((await deviceRows(app, who))[0]?.last_seen_at, app.clock.now())
    const purge = app.app.jobs.find(({ name }) => name === 'known devices')
    app.clock.advance(365 * 86_400 - 1)
    await purge?.run()
    assert.equal((await deviceRows(app, who)).length, 1)
    app.clock.advance(1)
    await purge?.run()
    assert.deepEqual(await deviceRows(app, who), [])
  })

  test('an account keeps its newest 50', async () => {
    const { userId } = await someone()
    const account = { userId, email: 'x@example.org' }
    const signedIn = (browser: string) =>
      transact(app.deps.db, [], (trx) => services.devices.signedIn(trx, account, browser))
    for (let n = 0; n < 52; n += 1) {
      app.clock.advance(1)
      await signedIn(`browser ${n}`)
    }
    const rows = await deviceRows(app, { userId, username: '', password: '' })
    assert.equal(rows.length, 50)
    const before = (await services.notices.of(userId)).length
    await signedIn('browser 51')
    assert.equal((await services.notices.of(userId)).length, before)
    await signedIn('browser 0')
    assert.equal((await services.notices.of(userId)).length, before + 1)
  })

  test('the cookie of a browser is its device, wherever it is', async () => {
    const { userId } = await someone()
    const account = { userId, email: 'x@example.org' }
    const from = (address: string, browser: string) =>
      inContextOf(
        {
          eventContext: () => ({
            ...{ by: null, address, scheme: null, requestId: null, request: null },
          }),
        },
        () => transact(app.deps.db, [], (trx) => services.devices.signedIn(trx, account, browser)),
      )
    await from('192.0.2.1', 'one')
    await from('198.51.100.1', 'one')
    assert.deepEqual(await services.notices.of(userId), [])
    await from('192.0.2.1', 'two')
    assert.equal((await services.notices.of(userId)).length, 1)
  })

  test('a browser that has signed in on the pages is known in every network, another is not', async () => {
    const who = await someone()
    const signIn = async (browser: PageBrowser) => {
      await browser.open('/signin?return_to=/users')
      await browser.submit({ username: who.username, password: who.password })
      assert.equal(browser.path(), '/users')
      return browser.cookies.get('__Host-device')
    }
    const browser = pageBrowser(app, { from: '192.0.2.1' })
    const cookie = await signIn(browser)
    assert.match(String(cookie), /^[\w-]{43}$/)
    const elsewhere = pageBrowser(app, { from: '198.51.100.1' })
    elsewhere.cookies.set('__Host-device', String(cookie))
    assert.equal(await signIn(elsewhere), cookie)
    assert.deepEqual(await told(who), [])
    await signIn(pageBrowser(app, { from: '192.0.2.1' }))
    assert.equal((await told(who)).length, 1)
    assert.ok(!JSON.stringify(await deviceRows(app, who)).includes(String(cookie)))
  })

  test('a page keeps the cookie that the browser has, and makes one where it has none', async () => {
    const answers = async (cookie?: string) => {
      const set: unknown[][] = []
      const [request, reply] = [
        { headers: { cookie }, server: app.app.server } as FastifyRequest,
        { setCookie: (...given: unknown[]) => set.push(given) } as unknown as FastifyReply,
      ]
      const result = {
        issue: async () => 'given',
        respond: (given: string) => `${given}, answered`,
      }
      const wrapped = ofBrowser(result, request, reply, app.deps.random)
      const given = await wrapped.issue({} as never, {} as never)
      assert.deepEqual(set, [])
      assert.equal(await wrapped.respond(given, {} as never), 'given, answered')
      return { browser: wrapped.browser, set }
    }
    const flags = { httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge: 31_536_000 }
    const first = await answers()
    assert.match(String(first.browser), /^[\w-]{43}$/)
    assert.deepEqual(first.set, [['__Host-device', first.browser, flags]])
    const again = await answers(`a=1; __Host-device=${first.browser}`)
    assert.deepEqual(again, first)
    for (const forged of ['__Host-device=x', '__Host-device=', 'device=1']) {
      const made = await answers(forged)
      assert.match(String(made.browser), /^[\w-]{43}$/)
      assert.notEqual(made.browser, first.browser)
    }
  })
})
