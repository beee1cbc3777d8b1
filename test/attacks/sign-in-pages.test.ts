// A database makes a difference: one of many requests takes a step, and a mail counts once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { confirmationsOf, otherCode } from '../confirmations.ts'
import { refuseChanges } from '../database.ts'
import { enrolled } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'
import { navigation, testBrowser } from '../test-browser.ts'

const fresh = 'a copper kettle on a winter stove'

suite('attacks on the sign-in of pages', async () => {
  const app = await testApp({
    REDIRECT_ORIGINS: 'https://app.example.org',
    EMAIL_SIGN_IN: 'on',
    LOGIN_PROOF_OF_WORK_AFTER: '0',
    NODE_ENV: 'development',
  })
  const { db } = app.deps
  const { cookieName } = app.deps.config.session
  const confirmations = await confirmationsOf(app)
  const ann = await app.account('ann')
  await verifyAddress(app, ann, 'ann@example.org')
  const cookiesOf = ({ cookies }: PageBrowser) =>
    [...cookies].map((pair) => pair.join('=')).join('; ')
  /** Sends a form of the page as a program that prefers JSON. */
  const post = (
    browser: PageBrowser,
    more: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const { action, fields } = browser.form()
    const cookie = cookiesOf(browser)
    return app.call('POST', action, {
      headers: { cookie, ...headers },
      form: { ...fields, ...more },
    })
  }
  const sessions = async (userId: number) =>
    (await db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()).length
  async function begun(path = '/signin') {
    const browser = pageBrowser(app)
    await browser.open(path)
    return browser
  }
  async function asked(email: string) {
    const browser = await begun()
    await browser.open(`${browser.form().action}&by=mail`)
    await browser.submit({ email })
    return browser
  }
  async function mailed({ userId }: { readonly userId: number }) {
    const rows = (await mailRows(app)).filter(({ user_id }) => user_id === userId)
    return confirmations.mailed(rows.at(-1)?.confirmation ?? '')
  }
  const forget = async () => {
    await db.deleteFrom('confirmations').execute()
    await db.deleteFrom('mails').execute()
    await db.deleteFrom('throttle_places').execute()
  }

  const refused = [
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'https://app.example.org@evil.example/',
    'https://user@app.example.org/',
    'https://app.example.org.evil.example/',
    'https://app.example.org:444/',
    'http://app.example.org/',
    'https://app.example.org\\@evil.example/',
    'https://app.example.org/\tx',
    '/\t/evil.example',
    '/\n/evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    'https://аpp.example.org/', // the first letter is Cyrillic
    ' https://app.example.org/',
    'HTTPS://APP.EXAMPLE.ORG@evil.example/',
    'data:text/html,x',
    `/${'x'.repeat(3000)}`,
  ]
  test('19: no other return address than a path or a configured origin', async () => {
    for (const address of refused) {
      const browser = pageBrowser(app)
      await browser.open(`/signin?return_to=${encodeURIComponent(address)}`)
      const policy = String(browser.page().headers['content-security-policy'])
      assert.match(policy, /form-action 'self';/, address)
      await browser.submit({ username: 'ann', password: ann.password })
      assert.deepEqual([browser.elsewhere(), browser.path()], [null, '/account'], address)
    }
    const browser = pageBrowser(app)
    await browser.open('/signin?return_to=/a&return_to=//evil.example')
    await browser.submit({ username: 'ann', password: ann.password })
    assert.equal(browser.path(), '/account')
  })

  test('20: the return address stays that of the beginning, whatever later requests name', async () => {
    const { who, device } = await enrolled(app, 'bob')
    const browser = await begun('/signin?return_to=/users')
    const evil = '&return_to=https://app.example.org/evil'
    await browser.open(`${browser.form().action}${evil}`)
    const form = browser.form()
    const cookie = cookiesOf(browser)
    const next = await app.call('POST', `${form.action}${evil}`, {
      headers: { cookie },
      form: { ...form.fields, username: 'bob', password: who.password, return_to: '/evil' },
    })
    assert.equal(next.status, 303)
    await browser.open(String(next.headers.location) + evil)
    await browser.submit({ totp: device.code(), return_to: '/evil' })
    assert.equal(browser.path(), '/users')
  })

  test('22: a form of another origin, without origin, or without its token changes nothing', async () => {
    const browser = await begun()
    const right = { username: 'ann', password: ann.password }
    const before = await app.rows('refusals')
    const others = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of others) {
      assertRefusal(await post(browser, right, headers), 403, 'Access denied')
    }
    for (const csrf_token of ['', 'x'.repeat(43), (await begun()).form().fields.csrf_token ?? '']) {
      assertRefusal(await post(browser, { ...right, csrf_token }), 403, 'CSRF token invalid')
    }
    const { action, fields } = browser.form()
    const elsewhere = await app.call('POST', action, { form: { ...fields, ...right } })
    assertRefusal(elsewhere, 400, 'Sign-in failed')
    const victim = await begun() // another browser with a flow of its own
    const stolen = await app.call('POST', action, {
      headers: { cookie: cookiesOf(victim) },
      form: { ...fields, ...right },
    })
    assertRefusal(stolen, 400, 'Sign-in failed')
    const after = await app.rows('refusals', 'flows')
    const { flows, ...unchanged } = before
    assert.ok(flows)
    assert.deepEqual(after, unchanged)
    assert.equal((await post(browser, right)).status, 303)
  })

  test('24: a session has a new id, and the one before it has ended', async () => {
    const browser = pageBrowser(app)
    browser.cookies.set(cookieName, 'F'.repeat(43))
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: ann.password })
    const first = browser.cookies.get(cookieName)
    assert.notEqual(first, 'F'.repeat(43))
    await browser.open('/signin?again=1')
    assert.equal(browser.cookies.get(cookieName), first)
    await browser.submit({ password: ann.password })
    const second = browser.cookies.get(cookieName)
    assert.notEqual(second, first)
    const cookie = `${cookieName}=${first}`
    assert.equal((await app.call('GET', '/api/account', { headers: { cookie } })).status, 401)
  })

  test('25: no step is skipped, and none is taken twice', async () => {
    const { who, device } = await enrolled(app, 'cleo')
    await db.deleteFrom('sessions').where('user_id', '=', who.userId).execute()
    const early = await begun()
    // A code without a password is a sign-in without a password.
    const code = device.code()
    assert.equal((await post(early, { totp: code, username: 'cleo' })).status, 401)
    assert.equal(
      (await post(early, { new_password: fresh, new_password_again: fresh })).status,
      401,
    )
    const browser = await begun()
    const first = browser.form()
    await browser.submit({ username: 'cleo', password: who.password })
    // The form of the first step again, and those of later ones, meet the step that is due.
    for (const more of [
      { username: 'cleo', password: who.password },
      { new_password: fresh, new_password_again: fresh },
      { by: 'mail', email: 'ann@example.org' },
      { resend: '1', email: 'ann@example.org' },
      {},
    ]) {
      const headers = { cookie: cookiesOf(browser), accept: navigation }
      const sent = { headers, form: { ...first.fields, ...more } }
      const answer = await app.call('POST', first.action, sent)
      assert.equal(answer.status, 401)
      assert.match(answer.text, /<h1>Second factor<\/h1>.*Enter a code\./s)
    }
    assert.equal(await sessions(who.userId), 0)
    const both = await Promise.all([1, 2, 3].map(() => post(browser, { totp: code })))
    assert.equal(both.filter(({ status }) => status === 303).length, 1)
    assert.equal(await sessions(who.userId), 1)
    assertRefusal(await post(browser, { totp: code }), 400, 'Sign-in failed')
  })

  test('25: a new password that is due cannot be avoided by another address', async () => {
    const dan = await app.account('dan', ['USER'], { must_change: true })
    await verifyAddress(app, dan, 'dan@example.org')
    const browser = await begun()
    await browser.submit({ username: 'dan', password: dan.password })
    const due = browser.heading()
    for (const more of ['&by=mail', '&again=1', '&step=recovery_codes']) {
      await browser.open(browser.form().action + more)
      assert.equal(browser.heading(), due)
    }
    const recovered = await post(browser, { username: 'dan', password: dan.password })
    assert.equal(recovered.status, 403)
    await forget()
    const other = await asked('dan@example.org')
    await other.submit({ code: (await mailed(dan)).code })
    assert.equal(other.heading(), due)
    assert.equal(await sessions(dan.userId), 0)
  })

  test('a step of an account that was locked, ended or removed meanwhile is refused', async () => {
    const { who, device } = await enrolled(app, 'eli')
    const headers = await app.bearer(app.admin)
    const browser = await begun()
    await browser.submit({ username: 'eli', password: who.password })
    const locked = { headers, json: { locked: true } }
    assert.equal((await app.call('PUT', '/api/admin/accounts/eli', locked)).status, 200)
    assertRefusal(await post(browser, { totp: device.code() }), 400, 'Sign-in failed')
    const unlocked = { headers, json: { locked: false } }
    assert.equal((await app.call('PUT', '/api/admin/accounts/eli', unlocked)).status, 200)
    assertRefusal(await post(browser, { totp: device.code() }), 400, 'Sign-in failed')
    await app.call('DELETE', '/api/admin/accounts/eli', { headers })
    assertRefusal(await post(browser, { totp: device.code() }), 400, 'Sign-in failed')
  })

  test('4: no GET or HEAD uses a link up, however often and by whom it is opened', async () => {
    await forget()
    await asked('ann@example.org')
    const link = `/signin?token=${(await mailed(ann)).token}`
    const before = await sessions(ann.userId)
    for (let count = 0; count < 10; count += 1) {
      const headers = { accept: navigation, ...(count % 2 && { 'sec-purpose': 'prefetch' }) }
      assert.equal((await app.call('GET', link, { headers })).status, 303)
      assert.equal((await app.call('HEAD', link, { headers })).status, 404)
    }
    assert.equal(await sessions(ann.userId), before)
    const browser = pageBrowser(app)
    await browser.open(link)
    await browser.submit()
    assert.equal(await sessions(ann.userId), before + 1)
  })

  test('21: a link of an attacker names the account, and signs no one in without a press', async () => {
    await forget()
    const mallory = await app.account('mallory')
    await verifyAddress(app, mallory, 'mallory@example.org')
    await asked('mallory@example.org')
    const victim = pageBrowser(app)
    await victim.open('/signin') // the browser has a page cookie, and has requested no mail
    await victim.open(`/signin?token=${(await mailed(mallory)).token}`)
    assert.equal(victim.heading(), 'Sign in as mallory?')
    assert.match(victim.page().text, /asked for in another browser/)
    assert.equal(victim.cookies.has(cookieName), false)
    assert.equal(await sessions(mallory.userId), 0)
  })

  test('5: of fifty presses at once one signs in', async () => {
    await forget()
    await asked('ann@example.org')
    const { token } = await mailed(ann)
    const before = await sessions(ann.userId)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        app.call('POST', '/api/public/sign-in-code/complete', { json: { token, mode: 'session' } }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) {
      if (answer.status !== 200) assertRefusal(answer, 400, 'Invalid or expired code')
    }
    assert.equal(await sessions(ann.userId), before + 1)
  })

  test('7, 8: what is no token, and what is one of another purpose, are alike', async () => {
    await forget()
    const { id } = await confirmations.begin({
      purpose: 'reset',
      userId: ann.userId,
      version: 0,
      asked: 'ann',
    })
    const other = await confirmations.secretsOf(id)
    const tokens = ['', ' ', '.', 'null', `${id}.`, 'x'.repeat(66), other?.token ?? 'x']
    for (const token of tokens) {
      const answer = await app.call('POST', '/api/public/sign-in-code/complete', {
        json: { token },
      })
      assertRefusal(answer, 400, 'Invalid or expired code', token)
    }
    for (const json of [{ token: null }, { token: ['x'] }, { token: 'x'.repeat(5000) }, {}]) {
      const answer = await app.call('POST', '/api/public/sign-in-code/complete', { json })
      assert.equal(answer.status, 400, JSON.stringify(json))
    }
  })

  test('8, 10: a code counts in the browser that asked for it, five times, and not later', async () => {
    await forget()
    const browser = await asked('ann@example.org')
    const { code } = await mailed(ann)
    const other = await asked('nobody@example.org')
    assertRefusal(await post(other, { code }), 400, 'Invalid or expired code')
    const before = await sessions(ann.userId)
    const wrong = [1, 2, 3, 4, 5].map((by) => post(browser, { code: otherCode(code, by) }))
    for (const answer of await Promise.all(wrong)) {
      assertRefusal(answer, 400, 'Invalid or expired code')
    }
    assertRefusal(await post(browser, { code }), 400, 'Invalid or expired code')
    assert.equal(await sessions(ann.userId), before)
  })

  test('a mail that was asked for dies with a new password, and at its time', async () => {
    await forget()
    const gus = await app.account('gus')
    await verifyAddress(app, gus, 'gus@example.org')
    const browser = await asked('gus@example.org')
    const { code } = await mailed(gus)
    const json = { password: fresh }
    const headers = await app.bearer(app.admin)
    assert.equal(
      (await app.call('POST', '/api/admin/accounts/gus/password', { headers, json })).status,
      200,
    )
    assertRefusal(await post(browser, { code }), 400, 'Invalid or expired code')
    await forget()
    const late = await asked('gus@example.org')
    const next = await mailed(gus)
    app.clock.advance(600)
    assertRefusal(await post(late, { code: next.code }), 400, 'Invalid or expired code')
    assert.equal(await sessions(gus.userId), 0)
  })

  test('12: known, unknown, disabled, locked and unverified addresses have one answer', async () => {
    await forget()
    const headers = await app.bearer(app.admin)
    for (const [name, change] of [
      ['off', { active: false }],
      ['shut', { locked: true }],
    ] as const) {
      await verifyAddress(app, await app.account(name), `${name}@example.org`)
      await app.call('PUT', `/api/admin/accounts/${name}`, { headers, json: change })
    }
    await app.account('vague', ['USER'], { email: 'vague@example.org' })
    const names = ['ann', 'unknown', 'off', 'shut', 'vague']
    const answers: unknown[] = []
    for (const name of names) {
      const json = { email: `${name}@example.org` }
      const { status, body } = await app.call('POST', '/api/public/sign-in-code', { json })
      answers.push([status, Object.keys(body), body.expires_at, body.id.length])
    }
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
    const rows = await mailRows(app)
    assert.deepEqual(rows.map(({ state }) => state).toSorted(), [
      'dropped',
      'dropped',
      'dropped',
      'dropped',
      'waiting',
    ])
  })

  test('28: the limits of an account count its username and its address together', async () => {
    await forget()
    const strict = await testApp({ LOGIN_ATTEMPTS: '4', LOGIN_PROOF_OF_WORK_AFTER: '0' })
    const una = await strict.account('una')
    await verifyAddress(strict, una, 'una@example.org')
    const browser = pageBrowser(strict)
    await browser.open('/signin')
    for (const username of ['una', 'una@example.org', ' UNA ', 'Una@Example.org']) {
      assert.equal((await browser.submit({ username, password: 'wrong wrong' })).status, 401)
    }
    // Each spelling has room, and the account has none: no answer shows that both are its names.
    const login = { username: 'una', password: una.password }
    assertRefusal(await strict.call('POST', '/login', { json: login }), 401, 'Invalid credentials')
    for (const status of [401, 401, 429]) {
      const answer = await browser.submit({ username: 'una@example.org', password: una.password })
      assert.equal(answer.status, status)
      if (status === 401) continue
      assert.ok(Number(answer.headers['retry-after']) > 0)
      assert.match(answer.text, /Try again in [0-9]+ (?:minutes|seconds)/)
    }
  })

  test('11, 12: the limits tell no address with an account from one without, however they are spelt', async () => {
    const strict = await testApp({ LOGIN_ATTEMPTS: '3', LOGIN_PROOF_OF_WORK_AFTER: '0' })
    await verifyAddress(strict, await strict.account('una'), 'una@xn--mnchen-3ya.example')
    const spellings = [
      '@xn--mnchen-3ya.example',
      '@münchen.example',
      '@MÜNCHEN.example ',
      '\uff20xn--mnchen-3ya.example', // a username that looks the same
      '@XN--mnchen-3ya.example',
    ]
    const statuses = async (name: string, from: string) => {
      const browser = pageBrowser(strict, { from })
      await browser.open('/signin')
      const seen: number[] = []
      for (const spelling of spellings) {
        const sent = { username: `${name}${spelling}`, password: 'wrong wrong' }
        seen.push((await browser.submit(sent)).status)
      }
      // At the login that programs use, it is the name of no account.
      const json = { username: `${name}@xn--mnchen-3ya.example`, password: 'wrong wrong' }
      seen.push((await strict.call('POST', '/login', { json, from })).status)
      return seen
    }
    const known = await statuses('una', '192.0.2.1')
    assert.deepEqual(known, [401, 401, 401, 401, 429, 401])
    assert.deepEqual(await statuses('eva', '192.0.2.2'), known)
  })

  test('19: a return address in any letters is one that a header can hold', async () => {
    const eve = await app.account('eve')
    const browser = await begun(`/signin?return_to=${encodeURIComponent('/日本?x=é y')}`)
    const answer = await post(browser, { username: 'eve', password: eve.password })
    const path = '/%E6%97%A5%E6%9C%AC?x=%C3%A9 y'
    assert.deepEqual([answer.status, answer.headers.location], [303, path])
    const other = 'https://app.example.org/日本'
    const there = await begun(`/signin?return_to=${encodeURIComponent(other)}`)
    const { headers } = await post(there, { username: 'eve', password: eve.password })
    assert.equal(headers.location, 'https://app.example.org/%E6%97%A5%E6%9C%AC')
    const form = { language: 'de', return_to: '/日本' }
    const chosen = await app.call('POST', '/language', { form })
    assert.deepEqual([chosen.status, chosen.headers.location], [303, '/%E6%97%A5%E6%9C%AC'])
    const long = await begun(`/signin?return_to=${encodeURIComponent(`/${'日'.repeat(2000)}`)}`)
    await long.submit({ username: 'eve', password: eve.password })
    assert.equal(long.path(), '/account')
  })

  test('29: a link that counts no more stays in no address', async () => {
    for (const query of ['token=abc', 'token=', 'token=a&token=b', `token=${'x'.repeat(66)}`]) {
      const answer = await app.call('GET', `/signin?${query}`)
      assert.deepEqual([answer.status, answer.headers.location], [303, '/signin?link=invalid'])
    }
    const browser = pageBrowser(app)
    assert.equal((await browser.open('/signin?token=abc')).status, 400)
    assert.equal(browser.heading(), 'This link is no longer valid')
  })

  test('a mail that was asked for before the sign-in by mail was put off signs in no more', async () => {
    await forget()
    const browser = await asked('ann@example.org')
    const off = await testApp(
      { EMAIL_SIGN_IN: 'off', NODE_ENV: 'development' },
      { directory: app.directory, clock: app.clock },
    )
    const { code, token } = await mailed(ann)
    const opened = await begun(`/signin?token=${token}`)
    const before = await sessions(ann.userId)
    const again = await off.call('GET', `/signin?token=${token}`)
    assert.equal(again.headers.location, '/signin?link=invalid')
    for (const [page, more] of [
      [browser, { code }],
      [opened, {}],
    ] as const) {
      const { action, fields } = page.form()
      const headers = { cookie: cookiesOf(page) }
      const answer = await off.call('POST', action, { headers, form: { ...fields, ...more } })
      assertRefusal(answer, 400, 'Invalid or expired code')
    }
    assert.equal(await sessions(ann.userId), before)
  })

  test('5: of presses at once on two nodes one signs in', async () => {
    await forget()
    await asked('ann@example.org')
    const { token } = await mailed(ann)
    const other = await testApp(
      { EMAIL_SIGN_IN: 'on', NODE_ENV: 'development' },
      { directory: app.directory, clock: app.clock },
    )
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => begun(`/signin?token=${token}`)),
    )
    const before = await sessions(ann.userId)
    const answers = await Promise.all(
      pages.map((page, index) => {
        const { action, fields } = page.form()
        const headers = { cookie: cookiesOf(page) }
        return (index % 2 ? other : app).call('POST', action, { headers, form: fields })
      }),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [303, ...Array(7).fill(400)])
    assert.equal(await sessions(ann.userId), before + 1)
  })

  test('29: no token, code, flow or address stands in the log, the audit or what is told of them', async () => {
    await forget()
    const browser = await asked('ann@example.org')
    const { code, token } = await mailed(ann)
    const [, flow = 'no flow'] = browser.form().action.split('flow=')
    await browser.submit({ code: otherCode(code) })
    await browser.submit({ code })
    await begun(`/signin?token=${token}`)
    const secret = token.split('.')[1] ?? ''
    const audit = await db.selectFrom('audit_records').selectAll().execute()
    const refusals = await db.selectFrom('refusals').selectAll().execute()
    const kept = [app.log, audit, refusals]
    const cookie = browser.cookies.get('__Host-flow') ?? ''
    for (const wrong of [token, secret, code, cookie, flow, 'ann@example.org']) {
      const found = kept.flat().filter((line) => JSON.stringify(line).includes(wrong))
      assert.deepEqual(found, [], wrong)
    }
  })

  test('a new password behind a mail is no way to guess at the present one', async () => {
    await forget()
    const gil = await app.account('gil')
    await verifyAddress(app, gil, 'gil@example.org')
    const headers = await app.bearer(app.admin)
    await app.call('PUT', '/api/admin/accounts/gil', { headers, json: { must_change: true } })
    const browser = await asked('gil@example.org')
    await browser.submit({ code: (await mailed(gil)).code })
    assert.equal(browser.heading(), 'Choose a new password')
    const same = { new_password: gil.password, new_password_again: gil.password }
    await browser.submit(same)
    assert.equal(browser.path(), '/account')
    assert.equal(await sessions(gil.userId), 1)
  })

  for (const change of ['insert on sessions', 'update on confirmations']) {
    test(`a database that refuses "${change}" leaves link, flow and sessions as they were`, async () => {
      await forget()
      await asked('ann@example.org')
      const { token } = await mailed(ann)
      const browser = await begun(`/signin?token=${token}`)
      const before = await sessions(ann.userId)
      const { action, fields } = browser.form()
      const headers = { cookie: cookiesOf(browser), accept: navigation }
      const press = () => app.call('POST', action, { headers, form: fields })
      const allow = await refuseChanges(app, change)
      const refusal = await press()
      await allow()
      assert.ok(refusal.status >= 500, `${refusal.status}`)
      assert.equal(refusal.headers['set-cookie'], undefined)
      assert.equal(await sessions(ann.userId), before)
      assert.equal((await press()).status, 303)
    })
  }

  test('a database that refuses "delete on flows" leaves second factor, flow and sessions', async () => {
    await forget()
    const { who, device } = await enrolled(app, 'flora')
    const browser = await begun()
    await browser.submit({ username: 'flora', password: who.password })
    assert.equal(browser.heading(), 'Second factor')
    const before = await sessions(who.userId)
    const allow = await refuseChanges(app, 'delete on flows')
    const refusal = await post(browser, { totp: device.code() }, { accept: navigation })
    await allow()
    assert.ok(refusal.status >= 500, `${refusal.status}`)
    assert.equal(await sessions(who.userId), before)
    assert.equal((await post(browser, { totp: device.code(1) })).status, 303)
    assert.equal(await sessions(who.userId), before + 1)
  })

  test('who signs out leaves no step behind that the next person at the browser could take', async () => {
    await forget()
    await asked('ann@example.org')
    const { token } = await mailed(ann)
    const browser = await begun(`/signin?token=${token}`)
    const left = browser.path()
    assert.equal(browser.heading(), 'Sign in as ann?')
    const form = browser.form()
    await browser.open('/signin')
    await browser.submit({ username: 'ann', password: ann.password })
    await browser.open('/signout')
    await browser.submit({}, 'action="/signout"')
    const before = await sessions(ann.userId)
    const headers = { cookie: cookiesOf(browser) }
    const pressed = await app.call('POST', form.action, { headers, form: form.fields })
    assert.equal(pressed.status, 400)
    await browser.open(left)
    assert.equal(browser.path(), '/signin?ended=1')
    assert.equal(await sessions(ann.userId), before)
    assert.equal(browser.cookies.has('__Host-flow'), true, 'a new one, of the new flow')
  })
})

suite('a provider on the way to the pages', async () => {
  const idp = await identityProvider()
  const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
  idp.person = { sub: 'ivy', preferred_username: 'ivy', email: 'ivy@example.org' }

  test('the second factor is asked for on the pages, and there is no session before it', async () => {
    const first = testBrowser(app)
    await first.open('/oauth/login')
    const { enrolAtProvider } = await import('../factor.ts')
    const device = await enrolAtProvider(app, first)
    app.clock.advance(30)
    const browser = testBrowser(app, navigation)
    const page = await browser.open('/oauth/login?return_to=/users')
    assert.match(page.text, /<h1>Second factor<\/h1>/)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    const [, action = ''] = /action="(\/signin\?flow=[^"]+)"/.exec(page.text) ?? []
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.text) ?? []
    const wrong = await browser.call('POST', action, { form: { csrf_token, totp: '000000' } })
    assert.equal(wrong.status, 401)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    const right = await browser.call('POST', action, { form: { csrf_token, totp: device.code() } })
    assert.deepEqual([right.status, right.headers.location], [303, '/users'])
    assert.ok(browser.cookies.has('JSESSIONID'))
    const again = await browser.call('POST', action, { form: { csrf_token, totp: device.code(1) } })
    assert.equal(again.status, 400)
  })
})
