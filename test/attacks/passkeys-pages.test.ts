// A database makes a difference: one answer of a passkey ends one step of one flow.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { codeOf } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import {
  addPasskey,
  assertionOf,
  type CreationOptions,
  type RequestOptions,
  type SoftwarePasskey,
  softwarePasskey,
  withPasskey,
} from '../passkeys.ts'

/** What the page gives to the browser; the form has the same address. */
function optionsOf(browser: PageBrowser): RequestOptions & CreationOptions {
  const [, text = ''] = /data-passkey="(.*?)"/.exec(browser.page().text) ?? []
  assert.notEqual(text, '', browser.page().text)
  return JSON.parse(text.replaceAll('&quot;', '"'))
}

const use = (browser: PageBrowser, sent: unknown) =>
  browser.submit({ passkey: JSON.stringify(sent) }, 'name="passkey"')

const refusal = 'This passkey was not accepted.'

suite('passkeys on the pages', async () => {
  const origin = 'https://id.example.org'
  const app = await testApp({ BASE_URL: origin, LOGIN_IP_ATTEMPTS: '0', LOGIN_LOCK_AFTER: '4' })

  async function signedIn(passkey: SoftwarePasskey, path = '/signin'): Promise<PageBrowser> {
    const browser = pageBrowser(app)
    await browser.open(path)
    await use(browser, passkey.assertion(optionsOf(browser)))
    return browser
  }

  async function assertRefused(browser: PageBrowser, sent: object): Promise<void> {
    const { sessions } = await app.rows()
    const answer = await use(browser, sent)
    assert.equal(answer.status, 401)
    assert.ok(answer.text.includes(refusal), answer.text)
    assert.ok(!answer.text.includes('data-in-field'), 'the browser must not ask again by itself')
    assert.deepEqual((await app.rows()).sessions, sessions)
  }

  test('signs in without a username', async () => {
    const { passkey } = await withPasskey(app, 'ann')
    const browser = await signedIn(passkey)
    assert.equal(browser.path(), '/account')
    assert.match(browser.page().text, /ann/)
  })

  test('an answer is of one flow and one browser, and counts once', async () => {
    const { passkey } = await withPasskey(app, 'ben')
    const [one, other] = [pageBrowser(app), pageBrowser(app)]
    await one.open('/signin')
    await other.open('/signin')
    const sent = passkey.assertion(optionsOf(one))
    await assertRefused(other, sent)
    const json = await app.call('POST', '/login', { json: { passkey: sent } })
    assert.equal(json.status, 401)
    const { action, fields } = one.form('name="passkey"')
    const cookie = [...one.cookies].map((pair) => pair.join('=')).join('; ')
    const form = { ...fields, passkey: JSON.stringify(sent) }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app.call('POST', action, { headers: { cookie }, form })),
    )
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 303).length, 1, statuses.join())
    assert.ok(
      statuses.every((status) => [303, 400, 401].includes(status)),
      statuses.join(),
    )
  })

  test('without a CSRF token nothing is judged', async () => {
    const { passkey } = await withPasskey(app, 'csrf')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    const passkeyText = JSON.stringify(passkey.assertion(optionsOf(browser)))
    const { action } = browser.form('name="passkey"')
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await app.call('POST', action, {
      ...{ headers: { cookie }, form: { passkey: passkeyText } },
    })
    assert.equal(answer.status, 403)
  })

  test('as the second factor: of this account alone, and wrong ones lock nothing', async () => {
    const { who, passkey } = await withPasskey(app, 'cat')
    const { passkey: foreign } = await withPasskey(app, 'dan')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    const first = optionsOf(browser)
    const { username, password } = who
    await browser.submit({ username, password })
    assert.ok(!browser.page().text.includes('name="totp"'))
    const step = optionsOf(browser)
    assert.notEqual(step.challenge, first.challenge)
    // Of the step before, of another account.
    await assertRefused(browser, passkey.assertion(first))
    for (let tries = 0; tries < 3; tries += 1) {
      await assertRefused(browser, foreign.assertion(optionsOf(browser)))
    }
    await use(browser, passkey.assertion(optionsOf(browser)))
    assert.equal(browser.path(), '/account')
    const { body } = await app.call('GET', '/api/admin/throttle', {
      headers: app.basic(app.admin),
    })
    assert.deepEqual(body.accounts.data, [])
  })

  test('`again` takes a passkey of the same account alone', async () => {
    const { passkey } = await withPasskey(app, 'eve')
    const { passkey: foreign } = await withPasskey(app, 'fay')
    const browser = await signedIn(passkey)
    await browser.open('/signin?again=1')
    const options = optionsOf(browser)
    assert.deepEqual(
      (options as { allowCredentials?: { id: string }[] }).allowCredentials?.map(({ id }) => id),
      [passkey.id],
    )
    await assertRefused(browser, foreign.assertion(options))
    await use(browser, passkey.assertion(optionsOf(browser)))
    assert.equal(browser.path(), '/account')
  })

  test('added, renamed and removed by pages; the passkey is the proof', async () => {
    const who = await app.account('gus')
    const { cookie } = await app.session(who)
    const browser = pageBrowser(app)
    browser.cookies.set('JSESSIONID', cookie.split('=')[1] ?? '')
    await browser.open('/account/passkeys')
    await browser.submit({}, '/account/passkeys/add')
    await browser.submit({ current_password: who.password }, 'current_password')
    assert.match(browser.path(), /^\/account\/passkeys\/new\?flow=/)
    const passkey = softwarePasskey({ origin })
    const made = passkey.registration(optionsOf(browser))
    const wrong = softwarePasskey({ origin, rpId: 'evil.example' })
    const refused = await use(browser, wrong.registration(optionsOf(browser)))
    assert.equal(refused.status, 400)
    await browser.submit({ passkey: JSON.stringify(made), name: 'Key' }, 'name="passkey"')
    assert.match(browser.path(), /^\/account\/recovery-codes\?flow=/)
    await browser.open('/account/passkeys')
    assert.match(browser.page().text, /<bdi>Key<\/bdi>/)
    const [, id = ''] = /rename\?id=([\w-]+)"/.exec(browser.page().text) ?? []
    await browser.open(`/account/passkeys/rename?id=${id}`)
    assert.equal((await browser.submit({ name: '' }, 'name="name"')).status, 400)
    await browser.submit({ name: '<b>Ring</b>' }, 'name="name"')
    assert.match(browser.page().text, /&lt;b>Ring&lt;\/b>|&lt;b&gt;Ring/)
    await browser.open(`/account/passkeys/remove?id=${id}`)
    await browser.submit({}, '/account/passkeys/remove')
    assert.match(browser.path(), /^\/account\/confirm\?flow=/)
    await use(browser, passkey.assertion(optionsOf(browser)))
    assert.match(browser.path(), /^\/account\/passkeys\?done=passkey_removed/)
    assert.doesNotMatch(browser.page().text, /<bdi>/)
  })

  test('at a reset by mail, as the second factor', async () => {
    const { who, passkey } = await withPasskey(app, 'kim')
    const { passkey: foreign } = await withPasskey(app, 'lea')
    await verifyAddress(app, who, 'kim@example.org')
    const them = await confirmationsOf(app)
    app.clock.advance(61)
    const { body } = await app.call('POST', '/api/public/reset', { json: { username: 'kim' } })
    const browser = pageBrowser(app)
    await browser.open(`/reset?token=${(await them.mailed(body.id)).token}`)
    await assertRefused(browser, foreign.assertion(optionsOf(browser)))
    await use(browser, passkey.assertion(optionsOf(browser)))
    const next = 'amber violin thicket, 87 of them'
    await browser.submit({ new_password: next, new_password_again: next }, 'new_password')
    const { status, body: asked } = await app.call('POST', '/login', {
      json: { username: 'kim', password: next },
    })
    assert.deepEqual([status, asked.second_factor], [401, 'passkey'])
  })

  test('a passkey of another person is neither shown, renamed nor removed', async () => {
    const { id } = await withPasskey(app, 'hal')
    const { cookie } = await app.session(await app.account('ida'))
    const browser = pageBrowser(app)
    browser.cookies.set('JSESSIONID', cookie.split('=')[1] ?? '')
    for (const action of ['rename', 'remove']) {
      await browser.open(`/account/passkeys/${action}?id=${id}`)
      assert.equal(browser.path(), '/account/passkeys')
    }
    const { passkeys } = await app.rows()
    const { fields } = browser.form('/account/passkeys/add')
    for (const action of ['rename', 'remove']) {
      const form = { ...fields, id, name: 'Mine' }
      await app.call('POST', `/account/passkeys/${action}`, { headers: { cookie }, form })
    }
    assert.deepEqual((await app.rows()).passkeys, passkeys)
  })

  test('where passkeys are impossible no page has their form or their script', async () => {
    const here = await testApp({ BASE_URL: 'https://192.0.2.7' })
    const browser = pageBrowser(here)
    await browser.open('/signin')
    assert.doesNotMatch(browser.page().text, /passkey/)
    const session = await here.session(await here.account('ann'))
    await addPasskey(here, session) // by a program, which knows better
    await browser.open('/signin')
    assert.doesNotMatch(browser.page().text, /passkey/)
  })
})

test('/signin offers passkeys, with their script, from the first passkey on, at every node', async () => {
  const env = { BASE_URL: 'https://id.example.org' }
  const app = await testApp(env)
  const other = await testApp(env, { directory: app.directory, clock: app.clock })
  const offers = async (node: TestApp) => {
    const browser = pageBrowser(node)
    const { text } = await browser.open('/signin')
    const offered = [/data-passkey=/, /passkey[^"]*\.js/, /autocomplete="username webauthn"/]
    return offered.map((pattern) => pattern.test(text))
  }
  const none = [false, false, false]
  assert.deepEqual([await offers(app), await offers(other)], [none, none])
  const { passkey } = await withPasskey(app, 'first')
  const all = [true, true, true]
  assert.deepEqual([await offers(other), await offers(app)], [all, all])
  const browser = pageBrowser(other)
  await browser.open('/signin')
  await use(browser, passkey.assertion(optionsOf(browser)))
  assert.equal(browser.path(), '/account')
})

suite('a passkey in place of an app, where a role asks for a second factor', async () => {
  const origin = 'https://id.example.org'
  const settings = { ROLES: 'BILLING', REQUIRE_SECOND_FACTOR: 'BILLING' }
  const app = await testApp({ BASE_URL: origin, ...settings })

  async function atEnrolment(name: string) {
    const who = await app.account(name, ['BILLING' as 'USER'])
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    await browser.submit({ username: name, password: who.password })
    assert.equal(browser.heading(), 'Set up a second factor')
    return { who, browser, passkey: softwarePasskey({ origin }) }
  }
  const sessionsOf = async ({ userId }: { userId: number }) => {
    const rows = (await app.rows()).sessions as { user_id: number; amr: string }[]
    return rows.filter((row) => row.user_id === userId).map(({ amr }) => amr)
  }

  test('it completes the sign-in, after ten recovery codes', async () => {
    const { who, browser, passkey } = await atEnrolment('ann')
    const first = optionsOf(browser)
    await browser.open(browser.path())
    assert.deepEqual(optionsOf(browser), first)
    await use(browser, passkey.registration(first))
    assert.equal(browser.heading(), 'Your recovery codes')
    assert.equal(browser.page().text.match(/<li>[A-Z2-7-]{19}<\/li>/g)?.length, 10)
    assert.deepEqual(await sessionsOf(who), [])
    await browser.submit()
    assert.equal(browser.path(), '/users')
    assert.deepEqual(await sessionsOf(who), ['pwd swk user pin mfa'])
    const json = { passkey: await assertionOf(app, passkey), mode: 'token' }
    const { token } = (await app.call('POST', '/login', { json })).body
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await app.call('GET', '/api/account/passkeys', { headers })
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['Firefox, Linux'],
    )
  })

  test('an answer for anything else is refused, stores nothing, and the app still works', async () => {
    const { who, browser, passkey } = await atEnrolment('ben')
    const { browser: other } = await atEnrolment('cat')
    const options = optionsOf(browser)
    const device = await withPasskey(app, 'dan')
    const wrong: unknown[] = [
      passkey.registration(optionsOf(other)), // of another sign-in
      passkey.registration(options, { origin: 'https://evil.example' }),
      passkey.registration(options, { flags: 0x01 }), // without user verification
      passkey.assertion(options),
      device.passkey.assertion(options),
      ...['text', 7, {}, [], null, { response: null }],
    ]
    const before = await app.rows()
    for (const sent of wrong) {
      const answer = await use(browser, sent)
      assert.equal(answer.status, 400)
      assert.ok(answer.text.includes(refusal), answer.text)
      assert.deepEqual(optionsOf(browser), options)
    }
    const { sessions, passkeys, recovery_codes: codes } = await app.rows()
    assert.deepEqual(
      [sessions, passkeys, codes],
      [before.sessions, before.passkeys, before.recovery_codes],
    )
    const [, secret = ''] = /id="secret">([A-Z2-7 ]+)</.exec(browser.page().text) ?? []
    await browser.submit({ totp: codeOf(app, secret.replaceAll(' ', '')) }, 'name="totp"')
    await browser.submit()
    assert.deepEqual(await sessionsOf(who), ['pwd otp mfa'])
  })

  test('after the end of all logins a made passkey is refused', async () => {
    const { who, browser, passkey } = await atEnrolment('eve')
    const sent = passkey.registration(optionsOf(browser))
    const headers = app.basic(app.admin)
    await app.call('DELETE', '/api/admin/accounts/eve/sessions', { headers })
    const { passkeys } = await app.rows()
    await use(browser, sent)
    assert.deepEqual((await app.rows()).passkeys, passkeys)
    assert.deepEqual(await sessionsOf(who), [])
  })
})
