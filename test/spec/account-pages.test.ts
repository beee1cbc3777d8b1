// A database makes a difference: what a page shows once is a row that a request takes.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type SessionHeaders, type Someone, testApp } from '../app.ts'
import { mailboxes } from '../emails.ts'
import { codeOf, enrol } from '../factor.ts'
import { sendConfirmed } from '../proofs.ts'
import { assertPage } from '../refusal.ts'

const accept = 'text/html'
const next = 'a quieter melon rolls'

suite('the pages of the own account', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const { confirmations, emailOf } = await mailboxes(app)
  let made = 0

  /** A person who is signed in by a browser. */
  async function someone(roles: ('USER' | 'ADMIN')[] = ['USER']) {
    const who = await app.account(`reader${++made}`, roles)
    return { who, ...browserOf(await app.session(who)) }
  }

  function browserOf({ cookie: session, 'x-csrf-token': csrf_token }: SessionHeaders) {
    const cookies = new Map([[...session.split('=')] as [string, string]])
    const headers = () => ({
      accept,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    })
    const keep = (answer: Answer) => {
      for (const [name, value] of Object.entries(answer.cookies)) cookies.set(name, value)
      return answer
    }
    return {
      session: { cookie: session, 'x-csrf-token': csrf_token },
      csrf_token,
      open: async (path: string, more = {}) =>
        keep(await app.call('GET', path, { headers: { ...headers(), ...more } })),
      send: async (path: string, form: Record<string, string>, more = {}) =>
        keep(
          await app.call('POST', path, {
            headers: { ...headers(), ...more },
            form: { csrf_token, ...form },
          }),
        ),
    }
  }

  const went = ({ status, headers }: Answer) => [status, String(headers.location).split('?')[0]]
  const heading = (text: string) => /<h1>(.*?)<\/h1>/s.exec(text)?.[1]
  const pages = {
    '/account': 'Your account',
    '/account/email': 'E-mail address',
    '/account/password': 'Password',
    '/account/second-factor': 'Second factor',
    '/account/recovery-codes': 'Recovery codes',
    '/account/sessions': 'Sessions',
    '/account/providers': 'Linked providers',
    '/account/notices': 'Notices',
    '/account/data': 'Your data',
    '/account/delete': 'Delete your account',
  }

  test('each page is there for a session, with the headers of pages', async () => {
    const { open } = await someone()
    for (const [path, title] of Object.entries(pages)) {
      assertPage(await open(path), 200, title, path)
    }
  })

  test('/account/delete asks for the username, and deletes the account', async () => {
    const { open, send, who } = await someone()
    assert.match((await open('/account')).text, /href="\/account\/delete"/)
    const wrong = await send('/account/delete', { username: 'another' })
    assertPage(wrong, 400, 'Delete your account', 'wrong')
    assert.match(wrong.text, /This is not your username\./)
    assert.equal((await open('/account')).status, 200)
    const form = { username: who.username }
    const proofs = { current_password: who.password }
    const done = await sendConfirmed(send, '/account/delete', form, proofs)
    assertPage(done, 200, 'Account deleted', 'done')
    assert.ok(!done.text.includes(who.username), 'it knows the person no more')
    assert.equal((await open('/account')).status, 303)
    const refused = await app.call('GET', `/api/admin/accounts/${who.username}`, {
      headers: app.basic(app.admin),
    })
    assert.equal(refused.status, 404)
  })

  test('/account/data leads to the file', async () => {
    const { open } = await someone()
    assert.match((await open('/account/data')).text, /href="\/api\/account\/export"/)
    const file = await open('/api/account/export')
    assert.equal(file.status, 200)
    assert.match(String(file.headers['content-disposition']), /attachment/)
  })

  test('without a session a browser is sent to the sign-in, and comes back', async () => {
    for (const path of Object.keys(pages)) {
      const answer = await app.call('GET', path, { headers: { accept } })
      const location = `/signin?return_to=${encodeURIComponent(path)}`
      assert.deepEqual([answer.status, answer.headers.location], [303, location])
    }
    const program = await app.call('GET', '/account')
    assert.deepEqual([program.status, program.body], [401, { error: 'Authentication required' }])
  })

  test('where the API asks for a recent login, the pages send to it', async () => {
    const { open, send } = await someone()
    app.clock.advance(901)
    for (const path of ['/account', '/account/sessions', '/account/email', '/account/providers']) {
      assert.equal((await open(path)).status, 200, path)
    }
    for (const path of ['/account/password', '/account/second-factor', '/account/recovery-codes']) {
      const location = `/signin?return_to=${encodeURIComponent(path)}&again=1`
      const answer = await open(path)
      assert.deepEqual([answer.status, answer.headers.location], [303, location])
    }
    for (const [path, back] of [
      ['/account/password', '/account/password'],
      ['/account/email', '/account/email'],
      ['/account/second-factor/set-up', '/account/second-factor'],
      ['/account/second-factor/remove', '/account/second-factor/remove'],
      ['/account/recovery-codes', '/account/recovery-codes'],
      ['/account/providers/link', '/account/providers'],
      ['/account/providers/unlink', '/account/providers'],
    ] as const) {
      const answer = await send(path, {})
      const location = `/signin?return_to=${encodeURIComponent(back)}&again=1`
      assert.deepEqual([answer.status, answer.headers.location], [303, location], path)
    }
  })

  test('the overview tells the two addresses apart, and a text of the account is escaped', async () => {
    const { who, open, session } = await someone()
    const { verify } = await mailboxes(app)
    await verify(session, 'two@example.com')
    await app.call('PUT', `/users/${who.userId}`, {
      headers: session,
      json: { name: '<script>alert(1)</script>' },
    })
    const { text } = await open('/account')
    const plain = text.replaceAll('<wbr/>', '')
    assert.match(plain, /<dt>Contact address<\/dt><dd>someone@example.org<\/dd>/)
    assert.match(plain, /<p>E-mail address<span class="muted">two@example.com<\/span>/)
    assert.ok(text.includes('&lt;script>alert(1)') && !text.includes('<script>alert'))
  })

  test('the password: a wrong field is told beside it, a right form changes it and says so', async () => {
    const { who, open, send } = await someone()
    const path = '/account/password'
    const form = {
      current_password: who.password,
      new_password: next,
      new_password_again: next,
    }
    const told = async (change: object, status: number, name: string, text: string) => {
      const answer = await send(path, { ...form, ...change })
      assertPage(answer, status, 'Password', text)
      assert.match(answer.text, /<title>Error: /)
      const field = new RegExp(`<p class="error" id="${name}-problem">(.*?)</p>`).exec(answer.text)
      assert.equal(field?.[1], text)
      assert.match(answer.text, new RegExp(`<input id="${name}"[^>]*aria-invalid="true"`))
      for (const secret of [who.password, next]) assert.ok(!answer.text.includes(secret))
    }
    await told(
      { current_password: 'wrong' },
      401,
      'current_password',
      'This is not your current password.',
    )
    const without = await send(path, { ...form, current_password: '' })
    assert.deepEqual(went(without), [303, '/account/confirm'])
    await told(
      { new_password_again: 'x' },
      400,
      'new_password_again',
      'The two new passwords are not the same.',
    )
    await told(
      { new_password: 'short', new_password_again: 'short' },
      400,
      'new_password',
      'The new password must have at least 12 characters.',
    )
    const { username } = who
    await told(
      { new_password: `${username} ${username}`, new_password_again: `${username} ${username}` },
      400,
      'new_password',
      'The new password must not contain your username.',
    )
    const other = await app.session(who)
    const answer = await send(path, form)
    assert.deepEqual(went(answer), [303, '/account'])
    const said = await open(String(answer.headers.location))
    assert.match(said.text, /role="status"><p>Your password was changed\./)
    assert.equal((await app.call('GET', '/api/session', { headers: other })).status, 401)
    const json = { username, password: next }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
    // Another session, or another site, cannot make the page say so.
    const mac = String(answer.headers.location).split('.')[1]
    const second = await someone()
    for (const claim of [`password.${mac}`, 'password', 'password.', 'password.x']) {
      const { text } = await second.open(`/account?done=${claim}`)
      assert.ok(!text.includes('Your password was changed'), claim)
    }
  })

  test('too many wrong passwords: 429 says when', async () => {
    const { send } = await someone()
    const form = { current_password: 'wrong', new_password: next, new_password_again: next }
    for (let tries = 0; tries < 5; tries += 1) await send('/account/password', form)
    const answer = await send('/account/password', form)
    assertPage(answer, 429, 'Password')
    assert.match(answer.text, /There were too many tries\. Try again in 15 minutes\./)
    assert.equal(answer.headers['retry-after'], '900')
  })

  test('the second factor: QR and key, a first code, codes shown once; then moved, renewed, removed', async () => {
    const { who, open, send } = await someone()
    const proofs = { current_password: who.password }
    const begun = await sendConfirmed(send, '/account/second-factor/set-up', {}, proofs)
    assert.deepEqual(went(begun), [303, '/account/second-factor/set-up'])
    const location = String(begun.headers.location)
    const page = await open(location)
    assertPage(page, 200, 'Set up your authenticator app')
    assert.match(page.text, /<div class="qr" role="img"[^>]*><svg /)
    const secret = /<code id="secret">(.*?)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? ''
    const action =
      /action="(\/account\/second-factor\/confirm\?flow=[\w-]{43})"/.exec(page.text)?.[1] ?? ''
    const wrong = await send(action, { totp: '000000' })
    assertPage(wrong, 401, 'Set up your authenticator app')
    assert.match(wrong.text, /The code is wrong, or was used before\./)
    assert.ok(wrong.text.includes('<svg '))
    const code = codeOf(app, secret)
    const confirmed = await send(action, { totp: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.deepEqual(went(confirmed), [303, '/account/recovery-codes'])
    const shown = await open(String(confirmed.headers.location))
    assertPage(shown, 200, 'Your recovery codes')
    const codes = [...shown.text.matchAll(/<li><code>(.*?)<\/code><\/li>/g)].map(
      ([, found]) => found ?? '',
    )
    assert.equal(new Set(codes).size, 10)
    const again = await open(String(confirmed.headers.location))
    assertPage(again, 200, 'Recovery codes')
    for (const each of codes) assert.ok(!again.text.includes(each))

    const none = await sendConfirmed(send, '/account/recovery-codes', {}, proofs)
    assertPage(none, 401, 'Confirm that it is you')
    assert.match(none.text, /Something is missing\./)
    const renewed = await sendConfirmed(
      send,
      '/account/recovery-codes',
      {},
      { ...proofs, recovery_code: codes[0] ?? '' },
    )
    assert.deepEqual(went(renewed), [303, '/account/recovery-codes'])
    const fresh = await open(String(renewed.headers.location))
    const [one = '', two = ''] = [...fresh.text.matchAll(/<li><code>(.*?)<\/code>/g)].map(
      ([, found]) => found ?? '',
    )
    assert.ok(one && !codes.includes(one))
    const moved = await sendConfirmed(
      send,
      '/account/second-factor/set-up',
      {},
      { ...proofs, recovery_code: one },
    )
    assert.deepEqual(went(moved), [303, '/account/second-factor/set-up'])
    const removal = '/account/second-factor/remove'
    const refused = await sendConfirmed(send, removal, {}, { ...proofs, totp: '000000' })
    assertPage(refused, 401, 'Confirm that it is you')
    assert.match(refused.text, /The code is wrong, or was used before\./)
    const removed = await sendConfirmed(send, removal, {}, { ...proofs, recovery_code: two })
    assert.deepEqual(went(removed), [303, '/account/second-factor'])
    const said = await open(String(removed.headers.location))
    assert.match(said.text, /The second factor was removed\./)
    assert.equal(
      (await app.call('GET', '/api/account', { headers: app.basic(who) })).body.second_factor,
      false,
    )
  })

  test('a HEAD or a GET of another browser does not use the codes up', async () => {
    const { who, open, send, session } = await someone()
    const device = await enrol(app, session)
    app.clock.advance(30)
    const proofs = { current_password: who.password, totp: device.code() }
    const renewed = await sendConfirmed(send, '/account/recovery-codes', {}, proofs)
    const path = String(renewed.headers.location)
    const head = await app.call('HEAD', path, { headers: { accept, cookie: session.cookie } })
    assert.equal(head.status, 404)
    const bare = await app.call('GET', path, { headers: { accept, cookie: session.cookie } })
    assert.equal(heading(bare.text), 'Recovery codes')
    const thief = await someone()
    assert.equal(heading((await thief.open(path)).text), 'Recovery codes')
    assert.equal(heading((await open(path)).text), 'Your recovery codes')
    assert.ok(who)
  })

  test('the sessions: device in words, this one; ends one, or all others', async () => {
    const { who, open, send } = await someone()
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { username, password } = who
    const login = () =>
      app.call('POST', '/login', {
        form: { username, password, mode: 'session' },
        headers: { 'user-agent': agent },
        from: '192.0.2.7',
      })
    const first = await login()
    const page = await open('/account/sessions')
    assert.match(page.text, /Firefox on Linux/)
    assert.match(page.text, /192\.0\.2\.7/)
    assert.match(page.text, /This session/)
    const id = /name="session" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const ended = await send('/account/sessions/end', { session: id })
    assert.deepEqual(went(ended), [303, '/account/sessions'])
    const cookie = `JSESSIONID=${first.cookies.JSESSIONID}`
    assert.equal((await app.call('GET', '/api/session', { headers: { cookie } })).status, 401)
    assertPage(await send('/account/sessions/end', { session: id }), 404, 'Something went wrong')
    const pair = await app.pair(who)
    await login()
    assert.deepEqual(went(await send('/account/sessions/end-others', {})), [
      303,
      '/account/sessions',
    ])
    const { refresh_token } = pair
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 401)
    const { text } = await open('/account/sessions')
    assert.ok(text.includes('This session') && !text.includes('name="session"'))
  })

  test('the address: asked for, typed code of this session, change, give up', async () => {
    const { who, open, send, session } = await someone()
    const pendingId = async () =>
      (await confirmations.pending(who.userId, ['verification', 'email_change']))?.id ?? ''
    const flow = async () => (await confirmations.stored(await pendingId()))?.flow
    const bad = await send('/account/email', { email: 'no address' })
    assertPage(bad, 400, 'E-mail address')
    assert.match(
      bad.text,
      /<p class="error" id="email-problem">This is not an e-mail address\.<\/p>/,
    )
    assert.match(bad.text, /<input id="email"[^>]*value="no address"/)
    const ask = (email: string) =>
      sendConfirmed(send, '/account/email', { email }, { current_password: who.password })
    const sent = await ask('typed@example.org')
    assert.deepEqual(went(sent), [303, '/account/email'])
    const page = await open(String(sent.headers.location))
    assert.match(page.text, /We have sent an e-mail\./)
    assert.match(page.text, /typed@example\.org/)
    const { code } = await confirmations.mailed(await pendingId(), (await flow()) ?? null)
    const wrong = await send('/account/email/confirm', { code: '00000000' })
    assertPage(wrong, 400, 'E-mail address')
    assert.match(wrong.text, /The code is wrong, or has ended\./)
    // Another session of the same person has another code.
    const other = browserOf(await app.session(who))
    assert.equal((await other.send('/account/email/confirm', { code })).status, 400)
    const confirmed = await send('/account/email/confirm', {
      code: `${code.slice(0, 4)} ${code.slice(4)}`,
    })
    assert.deepEqual(went(confirmed), [303, '/account/email'])
    assert.equal((await emailOf(who)).email, 'typed@example.org')
    await ask('other@example.org')
    assert.deepEqual(went(await send('/account/email/cancel', {})), [303, '/account/email'])
    const own = await app.call('GET', '/api/account/email', { headers: session })
    assert.deepEqual([own.body.email, own.body.pending], ['typed@example.org', null])
    await app.deps.db
      .updateTable('accounts')
      .set({ undeliverable_at: 1, undeliverable_reason: '550' })
      .where('user_id', '=', who.userId)
      .execute()
    assert.match((await open('/account/email')).text, /E-mail to this address comes back\./)
  })

  test('the notices say what happened, by whom and from where', async () => {
    const { who, open, session } = await someone()
    assert.match((await open('/account/notices')).text, /Nothing has happened/)
    await app.call('PUT', '/api/account/password', {
      headers: { ...session, 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
      json: { current_password: who.password, new_password: next },
    })
    const { text } = await open('/account/notices')
    assert.match(text, /Password changed.*>you<.*Firefox on Linux.*127\.0\.0\.1/s)
    assert.ok(!(await (await someone()).open('/account/notices')).text.includes('Password changed'))
  })

  test('the language of the account is that of its pages, whatever the browser asks for', async () => {
    const { open, send } = await someone()
    assert.deepEqual(went(await send('/account/language', { language: 'de' })), [303, '/account'])
    const page = await open('/account', { 'accept-language': 'en' })
    assert.match(page.text, /<html lang="de">/)
    assert.equal(heading(page.text), 'Ihr Konto')
    const refused = await send('/account/password', { current_password: 'x' })
    assert.equal(heading(refused.text), 'Passwort')
    await send('/account/language', { language: '' })
    assertPage(await open('/account', { 'accept-language': 'en' }), 200, 'Your account')
  })
})

suite('forms of the account refuse other pages', async () => {
  const app = await testApp()
  const who: Someone = await app.account('ann')
  const { cookie, 'x-csrf-token': csrf_token } = await app.session(who)
  const forms = [
    '/account/language',
    '/account/password',
    '/account/second-factor/set-up',
    '/account/second-factor/confirm',
    '/account/second-factor/remove',
    '/account/recovery-codes',
    '/account/sessions/end',
    '/account/sessions/end-others',
    '/account/providers/link',
    '/account/providers/unlink',
    '/account/email',
    '/account/email/confirm',
    '/account/email/cancel',
    '/account/delete',
    '/account/confirm?for=email',
  ]
  const foreign: [string, Record<string, string>, Record<string, string>, string][] = [
    [
      'another origin',
      { csrf_token },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'Access denied',
    ],
    [
      'Origin: null',
      { csrf_token },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      'Access denied',
    ],
    ['Origin: null of an old browser', { csrf_token }, { origin: 'null' }, 'Access denied'],
    [
      'no token',
      {},
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' },
      'CSRF token invalid',
    ],
    ['another token', { csrf_token: 'x'.repeat(43) }, {}, 'CSRF token invalid'],
    ['an empty token', { csrf_token: '' }, {}, 'CSRF token invalid'],
    ['the header alone', {}, { 'x-csrf-token': csrf_token }, 'CSRF token invalid'],
  ]
  for (const [name, form, headers, error] of foreign) {
    test(`22: ${name}: 403, and nothing changes`, async () => {
      const before = await app.rows('refusals', 'sessions')
      for (const path of forms) {
        const answer = await app.call('POST', path, { headers: { cookie, ...headers }, form })
        assert.deepEqual([answer.status, answer.body], [403, { error }], path)
      }
      assert.deepEqual(await app.rows('refusals', 'sessions'), before)
    })
  }

  test('23: no page of the account can be framed', async () => {
    const page = await app.call('GET', '/account', { headers: { cookie, accept } })
    assert.equal(page.headers['x-frame-options'], 'DENY')
    assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
  })

  test('24: no request of the pages gives or takes a session cookie', async () => {
    for (const path of ['/account', '/account/email', '/account/password']) {
      const answer = await app.call('GET', path, { headers: { cookie, accept } })
      assert.ok(!('JSESSIONID' in answer.cookies), path)
    }
  })
})
