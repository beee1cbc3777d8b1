import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { type Device, enrolAtProvider } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { eventsNamed, newHost, tally } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { type TestBrowser, testBrowser } from '../test-browser.ts'
import { interruptedReads } from '../watched-database.ts'

const idp = await identityProvider()

/** A user who signs in by the provider and has a second factor, in a service of these settings. */
async function withFactor(app: TestApp, username: string): Promise<Device> {
  idp.person = { sub: username, preferred_username: username, email: 'someone@example.org' }
  idp.clock = app.clock
  const browser = testBrowser(app)
  await browser.open('/oauth/login')
  const device = await enrolAtProvider(app, browser)
  app.clock.advance(30)
  return device
}

/** As far as the question for the code. */
async function signedIn(app: TestApp): Promise<TestBrowser> {
  const browser = testBrowser(app)
  const page = await browser.open('/oauth/login')
  assert.ok(page.text.includes('action="/oauth/second-factor"'), page.text)
  return browser
}

suite('an account that vanishes on the way from its provider', async () => {
  const reads = await interruptedReads('accounts')
  const app = await testApp(settingsFor(idp), { clock: clockOfToday(), ...reads.options })
  const headers = await app.bearer(app.admin)
  const remove = (path: string) => async () => {
    const removed = await app.call('DELETE', path, { headers })
    assert.equal(removed.status, 200)
  }

  for (const what of ['account', 'user'] as const) {
    const pathOf = async (username: string) => {
      const path = `/api/admin/accounts/${username}`
      if (what === 'account') return path
      return `/users/${(await app.call('GET', path, { headers })).body.user_id}`
    }

    test(`T57: its ${what} goes before the second factor is asked for: 401, and nothing is left`, async () => {
      await withFactor(app, `early-${what}`)
      const browser = testBrowser(app)
      const begun = await browser.call('GET', '/oauth/login')
      const back = await browser.until(String(begun.headers.location))
      reads.atNextRead(remove(await pathOf(`early-${what}`)))
      const answer = await browser.call('GET', `${back.pathname}${back.search}`)
      assert.equal(reads.isWaiting(), false)
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.deepEqual((await app.rows()).flows, [])
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    })

    test(`T57: its ${what} goes while the code is looked at: 401, and no session`, async () => {
      const { code } = await withFactor(app, `late-${what}`)
      const browser = await signedIn(app)
      reads.atNextRead(remove(await pathOf(`late-${what}`)))
      const form = { totp: code() }
      const answer = await browser.call('POST', '/oauth/second-factor', { form })
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    })
  }

  test('T57: an account that goes while it asks for a link, or for a second factor: 401', async () => {
    const ways = {
      '/api/account/identities': { provider: 'default' },
      '/api/account/totp': {},
    }
    for (const [index, [path, json]] of Object.entries(ways).entries()) {
      const who = await app.account(`asker${index}`)
      const own = await app.session(who)
      reads.atNextRead(remove(`/api/admin/accounts/${who.username}`))
      const proven = { ...json, current_password: who.password }
      const answer = await app.call('POST', path, { headers: own, json: proven })
      assertRefusal(answer, 401, 'Invalid credentials')
      const { flows, second_factors } = await app.rows()
      assert.deepEqual([flows, second_factors], [[], []])
    }
  })
})

suite('codes that are guessed behind a provider', async () => {
  const clock = clockOfToday()
  const started = (env: Record<string, string>) => testApp(settingsFor(idp, env), { clock })
  const wrong = { recovery_code: 'AAAA-BBBB-CCCC-DDDD' }
  const send = (browser: TestBrowser, form: Record<string, string>, from = newHost()) =>
    browser.call('POST', '/oauth/second-factor', { form, from })
  const failuresOf = async ({ deps }: TestApp, username: string) => {
    const accounts = deps.db.selectFrom('accounts').select(['failed_logins', 'locked_until'])
    return accounts.where('username', '=', username).executeTakeFirstOrThrow()
  }

  test('T42: they count towards the automatic lock, over all addresses, and it refuses the right code', async () => {
    const app = await started({ LOGIN_LOCK_AFTER: '3' })
    const { code } = await withFactor(app, 'ann')
    const browser = await signedIn(app)
    for (let tries = 0; tries < 3; tries += 1) {
      assertRefusal(await send(browser, wrong), 401, 'Invalid credentials')
    }
    assert.equal(eventsNamed(app, 'authn_login_lock'), 1)
    const before = await app.rows()
    for (const form of [{ totp: code() }, wrong]) {
      assertRefusal(await send(browser, form), 400, 'Sign-in failed') // the lock has ended it
    }
    assert.deepEqual(await app.rows(), before, 'what is not judged is not used up')
    assertRefusal(await testBrowser(app).open('/oauth/login'), 403, 'Access denied')
    clock.advance(1800)
    assert.equal((await send(await signedIn(app), { totp: code() })).status, 200)
    assert.deepEqual(await failuresOf(app, 'ann'), { failed_logins: 0, locked_until: null })
  })

  test('T42: they take the places of a login: full here, full at the password', async () => {
    const app = await started({ LOGIN_ATTEMPTS: '3', LOGIN_LOCK_AFTER: '0' })
    const { code } = await withFactor(app, 'bob')
    const browser = await signedIn(app)
    const from = newHost()
    for (let tries = 0; tries < 3; tries += 1) {
      assertRefusal(await send(browser, wrong, from), 401, 'Invalid credentials')
    }
    const full = await send(browser, { totp: code() }, from)
    assertRefusal(full, 429, 'Too many login attempts')
    assert.equal(full.headers['retry-after'], '900')
    assert.equal(eventsNamed(app, 'authn_login_fail_max'), 1)
    const json = { username: 'bob', password: 'whatever it may be' }
    const login = await app.call('POST', '/login', { json, from })
    assertRefusal(login, 429, 'Too many login attempts')
    assert.equal((await send(browser, { totp: code() })).status, 200, 'from elsewhere')
  })

  test('T42: they count for the address, whosever codes they are', async () => {
    const app = await started({ LOGIN_IP_ATTEMPTS: '2', LOGIN_PROOF_OF_WORK_AFTER: '1' })
    await withFactor(app, 'carl')
    const browser = await signedIn(app)
    const from = newHost()
    for (let tries = 0; tries < 2; tries += 1) {
      assertRefusal(await send(browser, wrong, from), 401, 'Invalid credentials')
    }
    assertRefusal(await send(browser, wrong, from), 429, 'Too many login attempts')
    const login = await app.call('POST', '/login', { json: app.admin, from })
    assertRefusal(login, 429, 'Too many login attempts')
  })

  test('T42: 40 at once get no more verdicts than the lock allows, and none is right behind it', async () => {
    const app = await started({ LOGIN_ATTEMPTS: '0', LOGIN_LOCK_AFTER: '3' })
    const { code } = await withFactor(app, 'dora')
    const browser = await signedIn(app)
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(browser, wrong)))
    const { 401: judged = 0, ...refused } = tally(answers)
    assert.ok(judged >= 3 && judged <= 5, `${judged} were judged`)
    assert.deepEqual(
      new Set(Object.keys(refused)).difference(new Set(['400', '403', '429'])),
      new Set(),
    )
    assert.equal((await send(browser, { totp: code() })).status, 400)
  })

  test('a success forgets the failures before it; nothing sent counts for nothing', async () => {
    const app = await started({})
    const { code } = await withFactor(app, 'eve')
    const browser = await signedIn(app)
    const from = newHost()
    for (let tries = 0; tries < 2; tries += 1) await send(browser, wrong, from)
    const asked = await send(browser, {}, from)
    assertRefusal(asked, 401, 'Second factor required', '', { second_factor: 'totp' })
    assert.equal((await failuresOf(app, 'eve')).failed_logins, 2)
    assert.equal((await send(browser, { totp: code() }, from)).status, 200)
    assert.equal((await failuresOf(app, 'eve')).failed_logins, 0)
    const places = await app.deps.db.selectFrom('throttle_places').select('username').execute()
    assert.deepEqual(places, [{ username: '' }, { username: '' }], "the address's own stay")
  })
})
