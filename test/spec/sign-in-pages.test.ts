// A database makes a difference: each step is a row that is changed by condition.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { testApp } from '../app.ts'
import { presentClock, solve } from '../captcha.ts'
import { confirmationsOf } from '../confirmations.ts'
import { enrolled, fromBase32 } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertHeaders } from '../refusal.ts'

/** The sign-in on pages, without scripts: steps in their order, and back to where one came from. */
suite('the sign-in on pages', async () => {
  const app = await testApp({
    REDIRECT_ORIGINS: 'https://app.example.org',
    EMAIL_SIGN_IN: 'on',
    SIGN_UP: 'open',
    LOGIN_PROOF_OF_WORK_AFTER: '0',
    ROLES: 'BILLING',
    REQUIRE_SECOND_FACTOR: 'BILLING',
    NODE_ENV: 'development',
  })
  const { db } = app.deps
  const ann = await app.account('ann')
  const confirmations = await confirmationsOf(app)
  const flows = async () =>
    (await db.selectFrom('flows').select('id').where('purpose', '=', 'page_sign_in').execute())
      .length
  const sessions = (userId: number) =>
    db.selectFrom('sessions').select(['id', 'amr']).where('user_id', '=', userId).execute()
  const sessionName = app.deps.config.session.cookieName
  /** Token and code of the last mail to an account. */
  const mailed = async ({ userId }: { readonly userId: number }) => {
    const rows = (await mailRows(app)).filter(({ user_id }) => user_id === userId)
    return confirmations.mailed(rows.at(-1)?.confirmation ?? '')
  }

  test('a username and a password sign in, and lead back to the path that was asked for', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users?page=2')
    assert.equal(browser.heading(), 'Sign in')
    assert.match(browser.page().text, /autocomplete="username"/)
    assert.match(browser.page().text, /autocomplete="current-password"/)
    assert.equal(await flows(), 0, 'a form stores nothing')
    assert.equal(browser.cookies.has(sessionName), false)
    await browser.submit({ username: ' ANN ', password: ann.password })
    assert.equal(browser.path(), '/users?page=2')
    assert.ok(browser.cookies.has(sessionName))
    assert.equal(await flows(), 0)
    assert.deepEqual(
      (await sessions(ann.userId)).map(({ amr }) => amr),
      ['pwd'],
    )
    const cookie = `${sessionName}=${browser.cookies.get(sessionName)}`
    const me = await app.call('GET', '/api/account', { headers: { cookie } })
    assert.equal(me.body.username, 'ann')
  })

  test('who is signed in is not asked again, unless for a recent login', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: ann.password })
    const first = browser.cookies.get(sessionName)
    await browser.open('/signin?return_to=/users')
    assert.equal(browser.path(), '/users')
    await browser.open('/signin?return_to=/users&again=1')
    assert.equal(browser.heading(), 'Confirm that it is you')
    assert.match(browser.page().text, /<input[^>]*name="username"[^>]*readonly/i)
    assert.equal(browser.form().fields.username, 'ann')
    const bob = await app.account('bob')
    await browser.submit({ username: 'bob', password: bob.password })
    assert.equal(browser.page().status, 401)
    assert.equal(browser.cookies.get(sessionName), first)
    await browser.submit({ password: ann.password })
    assert.equal(browser.path(), '/users')
    assert.notEqual(browser.cookies.get(sessionName), first)
    const old = await app.call('GET', '/api/account', {
      headers: { cookie: `${sessionName}=${first}` },
    })
    assert.equal(old.status, 401)
  })

  test('a verified address signs in as well, an unverified one does not', async () => {
    const eve = await app.account('eve', ['USER'], { email: 'eve@example.org' })
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'eve@example.org', password: eve.password })
    assert.equal(browser.page().status, 401)
    assert.match(browser.page().text, /Username or password is not right/)
    await verifyAddress(app, eve, 'Eve@example.org')
    await browser.submit({ username: 'EVE@Example.ORG', password: eve.password })
    assert.equal(browser.path(), '/account')
    assert.deepEqual((await sessions(eve.userId)).length, 1)
  })

  test('a verified address comes before the same username of another account', async () => {
    const owner = await app.account('owner')
    await verifyAddress(app, owner, 'shared@example.org')
    const named = await app.account('shared@example.org')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'shared@example.org', password: named.password })
    assert.equal(browser.page().status, 401)
    await browser.submit({ username: 'shared@example.org', password: owner.password })
    assert.equal((await sessions(named.userId)).length, 0)
    assert.equal((await sessions(owner.userId)).length, 1)
  })

  test('an application of REDIRECT_ORIGINS gets its browser back', async () => {
    const browser = pageBrowser(app)
    const target = 'https://app.example.org/inbox?folder=1'
    await browser.open(`/signin?return_to=${encodeURIComponent(target)}`)
    const policies = String(browser.page().headers['content-security-policy'])
    assert.match(policies, /form-action 'self' https:\/\/app\.example\.org;/)
    await browser.submit({ username: 'ann', password: ann.password })
    assert.equal(browser.elsewhere(), target)
  })

  test('a wrong password is refused in words, with the status of POST /login', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    const before = await app.rows('throttle_places', 'refusals', 'accounts')
    const answer = await browser.submit({ username: 'ann', password: 'not the one of ann' })
    assert.equal(answer.status, 401)
    assert.match(answer.text, /aria-invalid="true"/)
    assert.match(answer.text, /id="problem" role="alert"/)
    assert.equal(browser.form().fields.username, 'ann')
    assert.match(answer.text, /<title>Error: Sign in/)
    assertHeaders({
      ...answer,
      headers: {
        ...answer.headers,
        'content-security-policy': "default-src 'self'; script-src 'self'",
        'referrer-policy': 'no-referrer',
      },
    })
    assert.deepEqual(await app.rows('throttle_places', 'refusals', 'accounts'), before)
    const missing = await browser.submit({ username: '', password: '' })
    assert.match(missing.text, /Enter your username and your password/)
    const json = await app.call('POST', browser.form().action, {
      headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      json: { ...browser.form().fields, username: 'ann', password: 'x' },
    })
    assert.deepEqual([json.status, json.body], [401, { error: 'Invalid credentials' }])
  })

  test('the second factor is a step: by a code of the app, or a recovery code', async () => {
    const { who, device } = await enrolled(app, 'fay')
    await db.deleteFrom('sessions').where('user_id', '=', who.userId).execute()
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    await browser.submit({ username: 'fay', password: who.password })
    assert.equal(browser.heading(), 'Second factor')
    assert.equal((await sessions(who.userId)).length, 0)
    assert.equal((await browser.submit({ totp: '' })).status, 401)
    assert.match(browser.page().text, /Enter a code/)
    assert.equal((await browser.submit({ totp: '000000' })).status, 401)
    assert.match(browser.page().text, /This code is not right/)
    assert.equal((await sessions(who.userId)).length, 0)
    const code = device.code()
    await browser.submit({ totp: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.equal(browser.path(), '/users')
    assert.deepEqual(
      (await sessions(who.userId)).map(({ amr }) => amr),
      ['pwd otp mfa'],
    )
    const other = pageBrowser(app)
    await other.open('/signin')
    await other.submit({ username: 'fay', password: who.password })
    await other.submit({ recovery_code: device.recoveryCodes[0] ?? '' })
    assert.equal(other.path(), '/account')
  })

  test('a password that must be changed is changed before there is a session', async () => {
    const gil = await app.account('gil', ['USER'], { must_change: true })
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    await browser.submit({ username: 'gil', password: gil.password })
    assert.equal(browser.heading(), 'Choose a new password')
    assert.equal(browser.form().fields.username, 'gil')
    assert.equal((await sessions(gil.userId)).length, 0)
    const fresh = 'a copper kettle on a winter stove'
    const refused = [
      [{ new_password: '', new_password_again: '' }, /Choose a new password\./],
      [{ new_password: fresh, new_password_again: 'other' }, /are not the same/],
      [{ new_password: 'short', new_password_again: 'short' }, /at least 12 characters/],
      [
        { new_password: gil.password, new_password_again: gil.password },
        /differ from the current one/,
      ],
      [
        { new_password: 'passwordpassword', new_password_again: 'passwordpassword' },
        /one piece repeated/,
      ],
    ] as const
    for (const [fields, told] of refused) {
      const answer = await browser.submit({ ...fields })
      assert.ok([400, 403].includes(answer.status), answer.text)
      assert.match(answer.text, told)
    }
    await browser.submit({ new_password: fresh, new_password_again: fresh })
    assert.equal(browser.path(), '/users')
    assert.equal((await sessions(gil.userId)).length, 1)
    await app.session({ ...gil, password: fresh })
  })

  test('a factor that a role asks for is set up before there is a session', async () => {
    const hal = await app.account('hal', ['BILLING' as 'USER'])
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    await browser.submit({ username: 'hal', password: hal.password })
    assert.equal(browser.heading(), 'Set up a second factor')
    const secretOf = () => /id="secret">([A-Z2-7 ]+)</.exec(browser.page().text)?.[1] ?? ''
    const secret = secretOf()
    assert.match(browser.page().text, /<svg/)
    await browser.open(browser.path())
    assert.equal(secretOf(), secret)
    assert.equal((await browser.submit({ totp: '000000' })).status, 401)
    assert.equal(secretOf(), secret)
    const key = fromBase32(secret.replaceAll(' ', ''))
    const step = Math.floor(app.clock.now() / 1000 / stepSeconds)
    await browser.submit({ totp: codeOfStep(key, step) })
    assert.equal(browser.heading(), 'Your recovery codes')
    const codes = [...browser.page().text.matchAll(/<li>([A-Z2-7]{4}(?:-[A-Z2-7]{4}){3})<\/li>/g)]
    assert.equal(codes.length, 10)
    assert.equal((await sessions(hal.userId)).length, 0)
    await browser.submit()
    assert.equal(browser.path(), '/users')
    assert.deepEqual(
      (await sessions(hal.userId)).map(({ amr }) => amr),
      ['pwd otp mfa'],
    )
    const answer = await app.call('POST', '/login', {
      json: { username: 'hal', password: hal.password, recovery_code: codes[0]?.[1] },
    })
    assert.equal(answer.status, 200)
  })

  test('a session that has to set up a factor since its role asks for one does so, in no circle', async () => {
    const pia = await app.account('pia')
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'pia', password: pia.password })
    const headers = await app.bearer(app.admin)
    const json = { roles: ['BILLING'] }
    const changed = await app.call('PUT', '/api/admin/accounts/pia', { headers, json })
    assert.equal(changed.status, 200)
    await browser.open('/account')
    assert.equal(browser.path(), '/signin?return_to=%2Faccount')
    assert.equal(browser.heading(), 'Confirm that it is you')
    await browser.submit({ password: pia.password })
    const secret = /<code[^>]*>([A-Z2-7 ]+)<\/code>/.exec(browser.page().text)?.[1] ?? ''
    const step = Math.floor(app.clock.now() / 1000 / stepSeconds)
    await browser.submit({ totp: codeOfStep(fromBase32(secret.replaceAll(' ', '')), step) })
    await browser.submit()
    assert.deepEqual([browser.path(), browser.page().status], ['/account', 200])
  })

  test('a mailed code signs in, in the browser that has asked for it', async () => {
    const ida = await app.account('ida')
    await verifyAddress(app, ida, 'ida@example.org')
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    await browser.open(`${browser.form().action}&by=mail`)
    assert.equal(browser.heading(), 'Sign in by e-mail')
    assert.equal((await browser.submit({ email: 'ida' })).status, 400)
    await browser.submit({ email: 'IDA@example.org' })
    assert.equal(browser.heading(), 'Check your mailbox')
    assert.match(browser.page().text, /autocomplete="one-time-code"/)
    assert.match(browser.page().text, /10 minutes/)
    const { code } = await mailed(ida)
    assert.equal((await browser.submit({ code: '00000000' }, 'name="code"')).status, 400)
    await browser.submit({ code }, 'name="code"')
    assert.equal(browser.path(), '/users')
    assert.deepEqual(
      (await sessions(ida.userId)).map(({ amr }) => amr),
      ['email'],
    )
  })

  test('a mailed link asks for a press, and tells another browser where it was asked for', async () => {
    const jon = await app.account('jon')
    await verifyAddress(app, jon, 'jon@example.org')
    const browser = pageBrowser(app, { from: '203.0.113.7' })
    await browser.open('/signin')
    await browser.open(`${browser.form().action}&by=mail`)
    await browser.submit({ email: 'jon@example.org' })
    const { token } = await mailed(jon)
    const link = `/signin?token=${token}`
    await browser.open(link)
    assert.doesNotMatch(browser.path(), /token/)
    assert.equal(browser.heading(), 'Sign in as jon?')
    assert.doesNotMatch(browser.page().text, /203\.0\.113\.7/)
    const other = pageBrowser(app)
    await other.open(link)
    assert.equal(other.heading(), 'Sign in as jon?')
    const known = pageBrowser(app)
    await known.open('/signin') // which gives it a cookie of its own
    await known.open(link)
    assert.match(known.page().text, /203\.0\.113\.7/)
    assert.match(other.page().text, /203\.0\.113\.7/)
    assert.match(other.page().text, /Firefox on Linux/)
    assert.equal((await sessions(jon.userId)).length, 0)
    await other.submit()
    assert.equal((await sessions(jon.userId)).length, 1)
    assert.equal((await browser.submit()).status, 400)
    assert.equal(browser.heading(), 'This link is no longer valid')
    assert.equal((await browser.open(link)).status, 400)
    assert.equal((await sessions(jon.userId)).length, 1)
  })

  test('after a mail the second factor is asked for, and a mail is none', async () => {
    const { who, device } = await enrolled(app, 'kim')
    await verifyAddress(app, who, 'kim@example.org')
    await db.deleteFrom('sessions').where('user_id', '=', who.userId).execute()
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.open(`${browser.form().action}&by=mail`)
    await browser.submit({ email: 'kim@example.org' })
    const { code } = await mailed(who)
    await browser.submit({ code }, 'name="code"')
    assert.equal(browser.heading(), 'Second factor')
    assert.equal((await sessions(who.userId)).length, 0)
    await browser.submit({ totp: device.code() })
    assert.deepEqual(
      (await sessions(who.userId)).map(({ amr }) => amr),
      ['email otp mfa'],
    )
  })

  test('another site leads here through a page of our own, so that a session is seen', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: ann.password })
    const before = await flows()
    const secret = browser.cookies.get(sessionName) ?? ''
    browser.cookies.delete(sessionName) // Strict
    await browser.open('/signin?return_to=/users&ui_locales=en', { 'sec-fetch-site': 'cross-site' })
    assert.equal(browser.heading(), 'One moment')
    const [, path = ''] =
      /http-equiv="refresh" content="0; url=([^"]+)"/.exec(browser.page().text) ?? []
    assert.equal(await flows(), before)
    browser.cookies.set(sessionName, secret)
    await browser.open(path.replaceAll('&amp;', '&'), { 'sec-fetch-site': 'same-origin' })
    assert.equal(browser.path(), '/users')
  })

  test('a flow that has ended begins anew, and a lost cookie does not go round in circles', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/users')
    const { action } = browser.form()
    app.clock.advance(1800)
    await browser.open(action)
    assert.match(browser.page().text, /took too long/)
    const other = pageBrowser(app)
    await other.open(action)
    assert.equal(other.path(), '/signin?ended=1')
    assert.equal(other.page().status, 200)
  })

  test('the page offers what the service has', async () => {
    const browser = pageBrowser(app)
    const { text } = await browser.open('/signin')
    for (const href of ['/reset', '/signup']) assert.ok(text.includes(`href="${href}"`), href)
    assert.match(text, /by=mail/)
    const german = pageBrowser(app)
    await german.open('/signin', { 'accept-language': 'de' })
    assert.equal(german.heading(), 'Anmelden')
  })

  test('/signout asks, and ends the session', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: ann.password })
    const cookie = `${sessionName}=${browser.cookies.get(sessionName)}`
    const isLive = async () =>
      (await app.call('GET', '/api/account', { headers: { cookie } })).status
    await browser.open('/signout')
    assert.equal(browser.heading(), 'Sign out?')
    assert.match(browser.page().text, /signed in as ann/)
    assert.equal(await isLive(), 200)
    const forged = await browser.submit({ csrf_token: 'x'.repeat(43) })
    assert.equal(forged.status, 403)
    assert.equal(await isLive(), 200)
    await browser.open('/signout')
    await browser.submit()
    assert.equal(browser.heading(), 'Signed out')
    assert.equal(await isLive(), 401)
    assert.equal(browser.cookies.has(sessionName), false)
  })
})

suite('the captcha on pages', async () => {
  const app = await testApp({ LOGIN_PROOF_OF_WORK_AFTER: '1' }, { clock: presentClock() })
  const lou = await app.account('lou')

  test('where no mail signs in, no page asks for an address', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin?by=mail')
    assert.equal(browser.heading(), 'Sign in')
    await browser.open(`${browser.form().action}&by=mail`)
    assert.equal(browser.heading(), 'Sign in')
  })

  test('after wrong passwords the form has one, says what it needs, and takes its solution', async () => {
    const browser = pageBrowser(app)
    await browser.open('/signin')
    assert.doesNotMatch(browser.page().text, /data-captcha/)
    await browser.submit({ username: 'lou', password: 'not the one of lou' })
    await browser.submit({ username: 'lou', password: lou.password })
    assert.equal(browser.page().status, 401)
    assert.match(browser.page().text, /data-captcha="\/api\/public\/captcha"/)
    assert.match(browser.page().text, /<noscript>[^<]*JavaScript/)
    const { body } = await app.call('GET', '/api/public/captcha')
    await browser.submit({ username: 'lou', password: lou.password, captcha: await solve(body) })
    assert.equal(browser.path(), '/account')
    assert.ok(browser.cookies.has(app.deps.config.session.cookieName))
  })
})
