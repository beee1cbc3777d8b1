// A database makes a difference: what a proof uses up, and what a refusal leaves, are rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Answer, type Headers, type SessionHeaders, type Someone, testApp } from '../app.ts'
import { codeOf, enrol } from '../factor.ts'
import { newHost, placesOf, tally } from '../logins.ts'
import { verifyAddress } from '../mail.ts'
import { headersOf, sendConfirmed } from '../proofs.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

const next = 'a quieter melon rolls'

interface Change {
  readonly method: string
  readonly path: string
  readonly json?: object
  /** What it answers with all proofs. */
  readonly status: number
  readonly needsFactor?: true
}

/** The changes that can take an account over or destroy it. */
function changesOf({ username }: Someone, identity: number): Record<string, Change> {
  const base = '/api/account'
  return {
    password: {
      method: 'PUT',
      path: `${base}/password`,
      json: { new_password: next },
      status: 200,
    },
    factor: { method: 'POST', path: `${base}/totp`, status: 201 },
    factor_removal: { method: 'DELETE', path: `${base}/totp`, status: 200, needsFactor: true },
    recovery_codes: {
      method: 'POST',
      path: `${base}/recovery-codes`,
      status: 201,
      needsFactor: true,
    },
    email: {
      method: 'PUT',
      path: `${base}/email`,
      json: { email: 'thief@example.org' },
      status: 202,
    },
    identity_removal: { method: 'DELETE', path: `${base}/identities/${identity}`, status: 200 },
    app_password: {
      method: 'POST',
      path: `${base}/keys`,
      json: { name: 'thief' },
      status: 201,
    },
    deletion: { method: 'DELETE', path: base, json: { username }, status: 200 },
  }
}

suite('a copied session cookie of a recent login takes nothing over', async () => {
  const app = await testApp({
    APP_PASSWORDS: 'on',
    LOGIN_IP_ATTEMPTS: '0',
    MAIL_REQUESTS_PER_CLIENT: '0',
  })
  let made = 0

  /** A person with a recent session, and the row of a linked identity. */
  async function victim(hasFactor = false) {
    const who = await app.account(`victim${++made}`)
    const session = await app.session(who)
    const device = hasFactor ? await enrol(app, session) : undefined
    if (device) app.clock.advance(30)
    const row = { user_id: who.userId, issuer: 'https://one.example', subject: who.username }
    const { id } = await app.deps.db
      .insertInto('identities')
      .values({ ...row, created_at: 0 })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { who, session, device, changes: changesOf(who, id) }
  }

  const send = (
    { method, path, json }: Change,
    headers: Headers,
    proofs: object = {},
    from = newHost(),
  ) => app.call(method, path, { headers, json: { ...json, ...proofs }, from })
  const stored = () => app.rows('sessions', 'refusals', 'throttle_places')

  test('the session alone, or with empty proofs: 401 says what is missing, and nothing changes', async () => {
    const { session, changes } = await victim()
    const before = await stored()
    for (const [name, change] of Object.entries(changes)) {
      if (change.needsFactor) continue
      for (const none of [
        {},
        { current_password: '' },
        { current_password: null },
        { totp: '1' },
      ]) {
        if (name === 'password' && none.current_password === null) continue // it is typed there
        const extra = { proofs: ['password'] }
        assertRefusal(await send(change, session, none), 401, 'Confirmation required', name, extra)
      }
    }
    assert.deepEqual(await stored(), before)
  })

  test('an account with both sends both: a missing one is named, and the other is not used up', async () => {
    const { who, session, device, changes } = await victim(true)
    const [totp, current_password] = [device?.code(), who.password]
    const before = await stored()
    for (const [name, change] of Object.entries(changes)) {
      const missing = async (proofs: object, ...names: string[]) =>
        assertRefusal(await send(change, session, proofs), 401, 'Confirmation required', name, {
          proofs: names,
        })
      await missing({}, 'password', 'totp')
      await missing({ current_password }, 'totp')
      await missing({ totp }, 'password')
      await missing({ recovery_code: device?.recoveryCodes[0] }, 'password')
    }
    assert.deepEqual(await stored(), before)
    const { factor } = changes
    assert.equal((await send(factor as Change, session, { totp, current_password })).status, 201)
  })

  test('a wrong password uses no code up, and a wrong rest uses neither', async () => {
    const { who, session, device, changes } = await victim(true)
    const totp = device?.code()
    const { email, password, deletion } = changes as Record<string, Change>
    assert.ok(email && password && deletion)
    const before = await app.rows('sessions', 'refusals', 'throttle_places', 'accounts')
    const wrong = await send(email, session, { totp, current_password: 'wrong' })
    assertRefusal(wrong, 401, 'Invalid credentials')
    const proofs = { totp, current_password: who.password }
    for (const change of [
      { ...email, json: { email: 'none' } },
      { ...deletion, json: { username: 'another' } },
      { ...password, json: { new_password: 'short' } },
      { ...password, json: { new_password: who.password } },
    ]) {
      assert.equal((await send(change, session, proofs)).status, 400, change.path)
    }
    assert.deepEqual(await app.rows('sessions', 'refusals', 'throttle_places', 'accounts'), before)
    assert.equal((await send(password, session, proofs)).status, 200, 'the code was not used')
  })

  test('a code counts once, and the code of another change is used up as well', async () => {
    const { who, session, device, changes } = await victim(true)
    const proofs = { totp: device?.code(), current_password: who.password }
    assert.equal((await send(changes.recovery_codes as Change, session, proofs)).status, 201)
    const again = await send(changes.email as Change, session, proofs)
    assertRefusal(again, 401, 'Invalid credentials')
  })

  test('each change is made with the right proofs', async () => {
    for (const hasFactor of [false, true]) {
      const names = Object.keys(changesOf(app.admin, 0))
      for (const name of names) {
        const { who, session, device, changes } = await victim(hasFactor)
        const change = changes[name]
        if (!change || (change.needsFactor && !hasFactor)) continue
        const proofs = { current_password: who.password, ...(device && { totp: device.code() }) }
        const answer = await send(change, session, proofs)
        assert.equal(answer.status, change.status, `${name} ${answer.text}`)
      }
    }
  })

  test('wrong proofs count like failed logins: five, then 429; ten lock the account', async () => {
    const { who, session, changes } = await victim()
    const email = changes.email as Change
    const from = newHost()
    const wrong = { current_password: 'wrong' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(email, session, wrong, from)),
    )
    assert.deepEqual(tally(answers), { 401: 5, 429: 15 })
    assert.equal((await placesOf(app, from)).length, 5)
    const right = { current_password: who.password }
    assert.equal((await send(email, session, right, from)).status, 429)
    for (let tries = 0; tries < 5; tries += 1) await send(email, session, wrong)
    const locked = await send(email, session, right)
    assertRefusal(locked, 401, 'Invalid credentials', 'the automatic lock holds here')
    const json = { username: who.username, password: who.password }
    assert.equal((await app.call('POST', '/login', { json, from: newHost() })).status, 401)
    app.clock.advance(1800)
  })

  test('parallel wrong codes get five verdicts, and the right one behind them none', async () => {
    const { who, session, device, changes } = await victim(true)
    const email = changes.email as Change
    const current_password = who.password
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(email, session, { current_password, totp: String(100_000 + index) }),
      ),
    )
    const counts = tally(answers)
    assert.equal(counts[202] ?? 0, 0)
    assert.ok((counts[401] ?? 0) <= 5, JSON.stringify(counts))
    const right = { current_password, totp: device?.code() }
    assert.equal((await send(email, session, right)).status, 429)
  })

  test('an account that an administrator has locked proves nothing', async () => {
    const { who, session, changes } = await victim()
    const json = { locked: true }
    const path = `/api/admin/accounts/${who.username}`
    await app.call('PUT', path, { headers: app.basic(app.admin), json })
    const answer = await send(changes.email as Change, session, { current_password: who.password })
    assertRefusal(answer, 401, 'Authentication required')
  })

  test('doubled, huge and strange values are wrong proofs or bad requests', async () => {
    const { who, session, changes } = await victim()
    const email = changes.email as Change
    const before = await app.rows('sessions', 'refusals', 'throttle_places', 'accounts')
    for (const current_password of [7, true, [who.password], { is: who.password }, ' ']) {
      assertRefusal(await send(email, session, { current_password }), 401, 'Invalid credentials')
    }
    const headers = { ...session, 'content-type': 'application/json' }
    const doubled = `{"email":"thief@example.org","current_password":"${who.password}","current_password":"x"}`
    const answer = await app.call('PUT', email.path, { headers, body: doubled, from: newHost() })
    assertRefusal(answer, 401, 'Invalid credentials', 'the last one counts')
    const huge = await send(email, session, { current_password: 'x'.repeat(20_000) })
    assertRefusal(huge, 413, 'Request body too large')
    assert.deepEqual(await app.rows('sessions', 'refusals', 'throttle_places', 'accounts'), before)
  })

  test('Basic and an enrolment token are proofs of the password; a bearer token is none', async () => {
    const { who, changes } = await victim()
    const email = changes.email as Change
    assertRefusal(await send(email, await app.bearer(who)), 401, 'Confirmation required', '', {
      proofs: ['password'],
    })
    assert.equal((await send(email, app.basic(who))).status, 202)
    const strict = await testApp({ ROLES: 'NURSE', REQUIRE_SECOND_FACTOR: 'NURSE' })
    const nurse = await strict.account('nurse', ['NURSE' as Role])
    const { username, password } = nurse
    const login = await strict.call('POST', '/login', { json: { username, password } })
    const authorization = `Bearer ${login.body.enrolment_token}`
    const begun = await strict.call('POST', '/api/account/totp', { headers: { authorization } })
    assert.equal(begun.status, 201, begun.text)
  })

  test('an enrolment ends with the logins of its account: its proofs count no more', async () => {
    const { who, session } = await victim()
    const path = '/api/account'
    const proof = { current_password: who.password }
    const begin = await app.call('POST', `${path}/totp`, { headers: session, json: proof })
    assert.equal(begin.status, 201)
    const json = { ...proof, new_password: next }
    const changed = await app.call('PUT', `${path}/password`, { headers: session, json })
    assert.equal(changed.status, 200)
    const totp = codeOf(app, begin.body.secret)
    const headers = await app.session({ ...who, password: next })
    for (const caller of [session, headers]) {
      const answer = await app.call('PUT', `${path}/totp`, { headers: caller, json: { totp } })
      assertRefusal(answer, 401, 'Invalid credentials')
    }
    const { body } = await app.call('GET', path, { headers })
    assert.equal(body.second_factor, false)
  })

  test('a session from before the second factor is not recent, and the one that enrolled is', async () => {
    const { who, session, device } = await victim(true)
    assert.ok(device)
    const { db } = app.deps
    const proofs = { current_password: who.password, totp: device.code() }
    const path = '/api/account/recovery-codes'
    const renewed = await app.call('POST', path, { headers: session, json: proofs })
    assert.equal(renewed.status, 201)
    await db.updateTable('sessions').set({ amr: 'pwd' }).where('user_id', '=', who.userId).execute()
    app.clock.advance(30)
    const json = { ...proofs, totp: device.code() }
    const refused = await app.call('POST', path, { headers: session, json })
    assertRefusal(refused, 401, 'Recent login required')
  })
})

suite('what the confirmation page has taken counts for one change alone', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0', MAIL_REQUESTS_PER_CLIENT: '0' })
  let made = 0

  function browserOf(session: SessionHeaders) {
    const cookies = new Map([session.cookie.split('=') as [string, string]])
    const headers = () => ({
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      'x-csrf-token': session['x-csrf-token'],
      accept: 'text/html',
    })
    const keep = (answer: Answer) => {
      for (const [name, value] of Object.entries(answer.cookies)) cookies.set(name, value)
      return answer
    }
    return {
      cookies,
      headers,
      send: async (path: string, form: Record<string, string>) =>
        keep(
          await app.call('POST', path, {
            headers: headers(),
            form: { csrf_token: session['x-csrf-token'], ...form },
          }),
        ),
    }
  }

  async function person() {
    const who = await app.account(`person${++made}`)
    return { who, ...browserOf(await app.session(who)) }
  }

  const confirm = (one: Awaited<ReturnType<typeof person>>, change: string) =>
    one.send(`/account/confirm?for=${change}`, { current_password: one.who.password })
  const mail = (headers: Headers, email = 'one@example.org') =>
    app.call('PUT', '/api/account/email', { headers, json: { email } })

  test('the API takes it once, in this session and this browser', async () => {
    const one = await person()
    assert.equal((await confirm(one, 'email')).status, 303)
    assert.equal((await mail(one.headers())).status, 202)
    const extra = { proofs: ['password'] }
    assertRefusal(await mail(one.headers()), 401, 'Confirmation required', 'used', extra)
  })

  test('not for another change, session, browser or account, and not after five minutes', async () => {
    const one = await person()
    assert.equal((await confirm(one, 'email')).status, 303)
    const extra = { proofs: ['password'] }
    const refuse = (answer: Answer, what: string) =>
      assertRefusal(answer, 401, 'Confirmation required', what, extra)
    const before = await app.rows('sessions', 'refusals')
    const path = '/api/account'
    refuse(await app.call('POST', `${path}/totp`, { headers: one.headers() }), 'another change')
    const json = { username: one.who.username }
    refuse(await app.call('DELETE', path, { headers: one.headers(), json }), 'deletion')
    const [name = '', value = ''] = [...one.cookies].find(([key]) => key !== 'JSESSIONID') ?? []
    const session = [...one.cookies].find(([key]) => key === 'JSESSIONID')?.join('=') ?? ''
    refuse(await mail({ ...one.headers(), cookie: session }), 'a browser without its cookie')
    const strange = `${session}; ${name}=${'A'.repeat(43)}`
    refuse(await mail({ ...one.headers(), cookie: strange }), 'another browser')
    assert.deepEqual(await app.rows('sessions', 'refusals'), before)
    const sessions = [await app.session(one.who), await app.session(app.admin)]
    for (const other of sessions) {
      const cookie = `${other.cookie}; ${name}=${value}`
      refuse(await mail({ ...other, cookie }), 'another session')
    }
    app.clock.advance(299)
    const later = await person()
    assert.equal((await confirm(later, 'email')).status, 303)
    app.clock.advance(1)
    refuse(await mail(one.headers(), 'late@example.org'), 'five minutes later')
    assert.equal((await mail(later.headers(), 'later@example.org')).status, 202)
  })

  test('the page neither renews a proof nor copies it into another flow', async () => {
    const one = await person()
    const form = { new_password: 'short', new_password_again: 'short' }
    const { headers } = await one.send('/account/password', form)
    const flow = String(headers.location)
    assert.equal((await one.send(flow, { current_password: one.who.password })).status, 400)
    const flows = () => app.deps.db.selectFrom('flows').selectAll().orderBy('id').execute()
    const before = await flows()
    const copied = await one.send('/account/confirm?for=password', {})
    assert.equal(copied.status, 401)
    assert.match(copied.text, /Something is missing\./)
    assert.deepEqual(await flows(), before)
    app.clock.advance(299)
    assert.equal((await one.send(flow, {})).status, 400, 'its time has not passed yet')
    app.clock.advance(1)
    assert.equal((await one.send(flow, {})).status, 401)
    const again = await one.send('/account/password', form)
    assert.match(`${again.status} ${again.headers.location}`, /^303 \/account\/confirm\?flow=/)
  })

  test('a confirmed form keeps no password: the present one is refused as the new one', async () => {
    const one = await person()
    assert.equal((await confirm(one, 'password')).status, 303)
    const { password } = one.who
    const form = { new_password: password, new_password_again: password, current_password: '' }
    assert.equal((await one.send('/account/password', form)).status, 400)
  })

  test('it ends with the password that it was given for', async () => {
    const one = await person()
    assert.equal((await confirm(one, 'deletion')).status, 303)
    const change = { current_password: one.who.password, new_password: next }
    const path = '/api/account/password'
    const changed = await app.call('PUT', path, { headers: one.headers(), json: change })
    assert.equal(changed.status, 200)
    const json = { username: one.who.username }
    const answer = await app.call('DELETE', '/api/account', { headers: one.headers(), json })
    assertRefusal(answer, 401, 'Confirmation required', '', { proofs: ['password'] })
  })

  test('of ten requests at once one uses it', async () => {
    const one = await person()
    assert.equal((await confirm(one, 'email')).status, 303)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => mail(one.headers(), `many${index}@example.org`)),
    )
    const late = answers.filter(({ status }) => status !== 202)
    assert.equal(late.length, 9, JSON.stringify(tally(answers)))
    const extra = { proofs: ['password'] }
    for (const answer of late) assertRefusal(answer, 401, 'Confirmation required', 'late', extra)
  })

  test('a form that is refused keeps it, and continues without another proof', async () => {
    const [one, two] = [await person(), await person()]
    await verifyAddress(app, two.who, 'taken@example.org')
    const form = { new_password: 'short', new_password_again: 'short' }
    const proofs = { current_password: one.who.password }
    const refused = await sendConfirmed(one.send, '/account/password', form, proofs)
    assert.equal(refused.status, 400)
    const done = await one.send('/account/password', {
      new_password: next,
      new_password_again: next,
    })
    assert.match(String(done.headers.location), /^\/account\?done=password/)
  })

  test('the page shows a wrong proof, counts it, and changes nothing', async () => {
    const one = await person()
    const path = '/account/second-factor/set-up'
    const { headers } = await one.send(path, {})
    const confirmPath = String(headers.location)
    const before = await app.rows('sessions', 'refusals', 'throttle_places', 'accounts')
    const wrong = await one.send(confirmPath, { current_password: 'wrong' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /This is not your current password\./)
    assert.ok(!wrong.text.includes('value="wrong"'))
    const empty = await one.send(confirmPath, {})
    assert.match(empty.text, /Something is missing\./)
    assert.deepEqual(await app.rows('sessions', 'refusals', 'throttle_places', 'accounts'), before)
    for (let tries = 0; tries < 4; tries += 1)
      await one.send(confirmPath, { current_password: 'x' })
    const many = await one.send(confirmPath, { current_password: one.who.password })
    assert.equal(many.status, 429)
    assert.match(many.text, /There were too many tries\./)
    app.clock.advance(900)
  })

  test('a flow of another person, browser or session is none', async () => {
    const [one, thief] = [await person(), await person()]
    const { headers } = await one.send('/account/email', { email: 'own@example.org' })
    const path = String(headers.location)
    for (const [name, value] of one.cookies)
      if (name !== 'JSESSIONID') thief.cookies.set(name, value)
    const proofs = { current_password: thief.who.password }
    const answer = await thief.send(path, proofs)
    assertPage(answer, 400, 'This sign-in cannot be finished', 'another person')
    const own = browserOf(await app.session(one.who))
    const other = await own.send(path, { current_password: one.who.password })
    assertPage(other, 400, 'This sign-in cannot be finished', 'another session')
    const done = await one.send(path, { current_password: one.who.password })
    assert.match(String(done.headers.location), /^\/account\/email\?done=email_sent/)
  })
})

suite('a proof on the confirmation page', async () => {
  const app = await testApp()

  test('lasts five minutes, and no wrong passkey makes it last longer', async () => {
    const who = await app.account('ann')
    const session = await app.session(who)
    const browser = testBrowser(app, 'text/html')
    const [name = '', value = ''] = session.cookie.split('=')
    browser.cookies.set(name, value)
    const send = (path: string, form: Record<string, string>) =>
      browser.call('POST', path, { form: { csrf_token: session['x-csrf-token'], ...form } })
    const weak = { new_password: 'short', new_password_again: 'short' }
    const confirm = String((await send('/account/password', weak)).headers.location)
    assert.match(confirm, /^\/account\/confirm\?flow=/)
    assert.equal((await send(confirm, { current_password: who.password })).status, 400)
    app.clock.advance(280)
    await send(confirm, { passkey: 'none' })
    app.clock.advance(30)
    const json = { new_password: next }
    const headers = await headersOf(browser)
    const late = await app.call('PUT', '/api/account/password', { headers, json })
    assertRefusal(late, 401, 'Confirmation required', 'late', { proofs: ['password'] })
  })
})
