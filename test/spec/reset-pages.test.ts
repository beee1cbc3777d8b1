// A database makes a difference: each step is a conditional change of a row.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { confirmationsOf, newestMail, otherCode } from '../confirmations.ts'
import { enrolled } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { pageVisitor, readPage } from '../page-forms.ts'
import { assertPage } from '../refusal.ts'

const next = 'amber violin thicket, 87 of them'

suite('the pages of a forgotten password', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const them = await confirmationsOf(app)
  let number = 0
  const owner = async () => {
    number += 1
    app.clock.advance(1)
    const who = await app.account(`owner-${number}`)
    const email = `owner-${number}@example.org`
    await verifyAddress(app, who, email)
    return { ...who, email }
  }
  const mailed = async () => (await newestMail(app, them, 'reset')) ?? assert.fail('no mail')
  const logIn = ({ username }: Pick<Someone, 'username'>, password: string) =>
    app.call('POST', '/login', { json: { username, password } })

  test('by the code of the mail: from the question to the new password', async () => {
    const who = await owner()
    const visitor = pageVisitor(app)
    assertPage(await visitor.open('/reset'), 200, 'Forgot your password?')
    assert.match(visitor.page().text, /<input[^>]*name="username"[^>]*autocomplete="username"/)
    const mailbox = await visitor.press({ username: ` ${who.email.toUpperCase()} ` })
    assertPage(mailbox, 200, 'Check your mailbox')
    assert.match(mailbox.text, /<input[^>]*inputmode="numeric"[^>]*autocomplete="one-time-code"/)
    assert.ok(!mailbox.text.includes(who.username)) // what was typed, and no more
    const { code } = await mailed()
    const password = await visitor.press({ code: `${code.slice(0, 4)} ${code.slice(4)}` })
    assertPage(password, 200, 'Choose a new password')
    assert.match(
      password.text,
      new RegExp(`autocomplete="username" value="${who.username}" readonly`, 'i'),
    )
    assert.equal(password.text.match(/autocomplete="new-password"/g)?.length, 2)
    const done = await visitor.press({ new_password: next, new_password_again: next })
    assertPage(done, 200, 'Your password is changed')
    assert.match(done.text, /<a class="button" href="\/signin">/)
    assert.deepEqual(
      [...visitor.cookies.keys()].filter((name) => name === 'JSESSIONID'),
      [],
    )
    assert.equal((await logIn(who, next)).status, 200)
    assertPage(await visitor.open(visitor.at()), 200, 'Your password is changed')
  })

  test('by the link, in a browser that has not asked: 303 to the page without it', async () => {
    const who = await owner()
    await pageVisitor(app)
      .open('/reset')
      .then(() => undefined)
    await app.call('POST', '/api/public/reset', { json: { username: who.username } })
    const { token } = await mailed()
    const visitor = pageVisitor(app)
    const arrived = await visitor.call('GET', `/reset?token=${token}`)
    assert.equal(arrived.status, 303)
    assert.match(String(arrived.headers.location), /^\/reset\?flow=[A-Za-z0-9_-]+$/)
    assertPage(await visitor.open(String(arrived.headers.location)), 200, 'Choose a new password')
    assert.ok(visitor.page().text.includes(who.username))
    assertPage(
      await visitor.press({ new_password: next, new_password_again: next }),
      200,
      'Your password is changed',
    )
    assert.equal((await logIn(who, next)).status, 200)
  })

  test('with a second factor: the code before the password, and a recovery code as well', async () => {
    const { who, device } = await enrolled(app, 'careful')
    await verifyAddress(app, who, 'careful@example.org')
    for (const [index, proof] of [
      () => ({ totp: device.code().replace(/^(...)/, '$1 ') }),
      () => ({ recovery_code: device.recoveryCodes[0] ?? '' }),
    ].entries()) {
      app.clock.advance(61)
      await app.call('POST', '/api/public/reset', { json: { username: 'careful' } })
      const visitor = pageVisitor(app)
      assertPage(await visitor.open(`/reset?token=${(await mailed()).token}`), 200, 'Second factor')
      assert.match(readPage(await visitor.press({ totp: '' })).problem, /Enter a code/)
      const wrong = await visitor.press({ totp: '000000' })
      assert.equal(wrong.status, 401)
      assert.match(readPage(wrong).problem, /not right/)
      assertPage(await visitor.press(proof()), 200, 'Choose a new password')
      const password = `${next} ${index}`
      const done = await visitor.press({ new_password: password, new_password_again: password })
      assertPage(done, 200, 'Your password is changed')
      assert.equal((await logIn(who, password)).body.error, 'Second factor required')
    }
  })

  test('what is wrong is said at its field, and the link counts on', async () => {
    const who = await owner()
    const visitor = pageVisitor(app)
    await visitor.open('/reset')
    for (const [username, words] of [
      ['', /Enter your username/],
      ['a:b', /neither a username/],
    ] as const) {
      const answer = await visitor.press({ username })
      assertPage(answer, 400, 'Forgot your password?')
      assert.match(readPage(answer).problem, words)
      assert.match(answer.text, /aria-describedby="username-problem"/)
    }
    await visitor.press({ username: who.username })
    const { code } = await mailed()
    const wrong = await visitor.press({ code: otherCode(code) })
    assertPage(wrong, 400, 'Check your mailbox')
    assert.match(readPage(wrong).problem, /not right/)
    await visitor.press({ code })
    for (const [fields, words] of [
      [{ new_password: '', new_password_again: '' }, /Choose a new password/],
      [{ new_password: 'short', new_password_again: 'short' }, /at least 12/],
      [{ new_password: next, new_password_again: `${next}.` }, /not the same/],
      [
        {
          new_password: `my ${who.username} and me`,
          new_password_again: `my ${who.username} and me`,
        },
        /your username/,
      ],
      [{ new_password: 'password12345', new_password_again: 'password12345' }, /known elsewhere/],
    ] as const) {
      const answer = await visitor.press(fields)
      assertPage(answer, 400, 'Choose a new password')
      assert.match(readPage(answer).problem, words)
    }
    const done = await visitor.press({ new_password: next, new_password_again: next })
    assertPage(done, 200, 'Your password is changed')
  })

  test('sent again: after a minute the same link is mailed', async () => {
    const who = await owner()
    const visitor = pageVisitor(app)
    await visitor.open('/reset')
    await visitor.press({ username: who.username })
    const { token } = await mailed()
    const states = async () =>
      (await mailRows(app))
        .filter(({ user_id }) => user_id === who.userId)
        .map(({ state }) => state)
        .sort()
    assert.match(visitor.page().text, /data-resend="60"/)
    const early = await visitor.press({ resend: '1' })
    assertPage(early, 200, 'Check your mailbox')
    assert.match(readPage(early).text, /on its way once more/)
    assert.deepEqual(await states(), ['dropped', 'waiting'])
    app.clock.advance(61)
    await visitor.open(visitor.at())
    assert.match(visitor.page().text, /data-resend="0"/)
    await visitor.press({ resend: '1' })
    assert.deepEqual(await states(), ['dropped', 'waiting', 'waiting'])
    const again = await mailed()
    assert.equal(again.token, token)
    assertPage(await visitor.press({ code: again.code }), 200, 'Choose a new password')
  })

  test('a link that counts no more leads to the question, and says so', async () => {
    const who = await owner()
    await app.call('POST', '/api/public/reset', { json: { username: who.username } })
    const { token } = await mailed()
    const [first, second] = [pageVisitor(app), pageVisitor(app)]
    await first.open(`/reset?token=${token}`)
    await second.open(`/reset?token=${token}`)
    await first.press({ new_password: next, new_password_again: next })
    // The other tab knows at its press, or when it is loaded again.
    const late = await second.press({ new_password: `${next}!`, new_password_again: `${next}!` })
    for (const page of [
      late,
      await second.open(`/reset?token=${token}`),
      await second.open('/reset?token=x'),
    ]) {
      assertPage(page, 200, 'Forgot your password?')
      assert.match(readPage(page).text, /This link is no longer valid/)
    }
    assert.equal((await logIn(who, next)).status, 200)
  })

  test('a flow that is unknown, or of another browser, begins anew', async () => {
    const visitor = pageVisitor(app)
    await visitor.open('/reset')
    const other = await pageVisitor(app).open(visitor.at())
    assertPage(other, 200, 'Forgot your password?')
    const unknown = pageVisitor(app)
    const page = await unknown.open(`/reset?flow=${'a'.repeat(43)}`)
    assert.match(readPage(page).text, /begin again/)
  })

  test('in German for a browser that asks for it', async () => {
    const visitor = pageVisitor(app)
    const page = await visitor.call('GET', '/reset', { headers: { 'accept-language': 'de' } })
    assert.match(page.text, /<html lang="de">/)
    assert.equal(readPage(page).heading, 'Passwort vergessen?')
  })
})

suite('the page without mail', async () => {
  const app = await testApp({
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.org',
    TRUST_PROXY: '127.0.0.1',
  })

  test('says that no password can be reset here', async () => {
    const page = await pageVisitor(app).open('/reset')
    assertPage(page, 503, 'A password cannot be reset here')
  })
})

suite('the page that confirms an address', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const them = await confirmationsOf(app)
  const ask = async (who: Someone, email: string) => {
    app.clock.advance(61)
    const headers = await app.session(who)
    const json = { email, current_password: who.password }
    const asked = await app.call('PUT', '/api/account/email', { headers, json })
    assert.equal(asked.status, 202, asked.text)
  }
  const mailed = async (message: string) =>
    (await newestMail(app, them, message)) ?? assert.fail(message)
  const addressOf = async ({ userId }: Someone) =>
    (
      await app.deps.db
        .selectFrom('accounts')
        .select('verified_email')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow()
    ).verified_email

  test('verification, change and the way back, each by a press in any browser', async () => {
    const who = await app.account('ann')
    await ask(who, 'ann@example.org')
    const visitor = pageVisitor(app)
    const page = await visitor.open(`/verify?token=${(await mailed('verification')).token}`)
    assertPage(page, 200, 'Confirm your e-mail address')
    assert.match(visitor.at(), /^\/verify\?flow=/)
    assert.match(readPage(page).text, /ann@example.org .*ann/)
    assert.equal(await addressOf(who), null)
    assertPage(await visitor.press(), 200, 'Your address is confirmed')
    assert.equal(await addressOf(who), 'ann@example.org')
    assertPage(await visitor.open(visitor.at()), 200, 'Your address is confirmed')
    await ask(who, 'other@example.org')
    assertPage(
      await visitor.open(`/verify?token=${(await mailed('email_change')).token}`),
      200,
      'Confirm your new e-mail address',
    )
    assertPage(await visitor.press(), 200, 'Your address is changed')
    assert.equal(await addressOf(who), 'other@example.org')
    assertPage(
      await visitor.open(`/verify?token=${(await mailed('email_changed')).token}`),
      200,
      'Take the change of your address back',
    )
    const pressed = visitor.at()
    assertPage(await visitor.press(), 200, 'Choose a new password')
    assertPage(await visitor.open(pressed), 200, 'Your address is back')
    assert.equal(await addressOf(who), 'ann@example.org')
    assert.ok(!visitor.cookies.has('JSESSIONID')) // it signs no one in
  })

  test('a link that counts no more, one of another purpose, and no link', async () => {
    const who = await app.account('bob')
    await ask(who, 'bob@example.org')
    const { token } = await mailed('verification')
    const visitor = pageVisitor(app)
    const other = pageVisitor(app)
    await visitor.open(`/verify?token=${token}`)
    await other.open(`/verify?token=${token}`)
    await visitor.press()
    const late = await other.press()
    assertPage(late, 400, 'This link is no longer valid')
    assertPage(await other.open(`/verify?token=${token}`), 200, 'This link is no longer valid')
    assertPage(await other.open('/verify'), 200, 'Confirm an address')
    await app.call('POST', '/api/public/reset', { json: { username: 'bob' } })
    const reset = (await mailed('reset')).token
    assertPage(await other.open(`/verify?token=${reset}`), 200, 'This link is no longer valid')
    assertPage(
      await other.open(`/verify?flow=${'a'.repeat(43)}`),
      200,
      'This link is no longer valid',
    )
  })

  test('an address that another account has verified meanwhile is refused', async () => {
    const [one, other] = [await app.account('one'), await app.account('other')]
    await ask(one, 'shared@example.org')
    const { token } = await mailed('verification')
    await verifyAddress(app, other, 'shared@example.org')
    const visitor = pageVisitor(app)
    await visitor.open(`/verify?token=${token}`)
    assertPage(await visitor.press(), 409, 'This address belongs to another account')
    assert.equal(await addressOf(one), null)
  })
})
