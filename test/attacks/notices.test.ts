// A database makes a difference: what is stored of a request is read back from both.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { MessageFacts } from '../../src/extras/mail/message-types.ts'
import { render } from '../../src/extras/mail/messages/render.ts'
import { testApp } from '../app.ts'
import { mailboxes } from '../emails.ts'
import { guess, newHost, throttleAlone } from '../logins.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { noticeRows, waitingMails } from '../notices.ts'

const evil = 'https://evil.example'

suite('attacks on what the owner of an account is told', async () => {
  const app = await testApp({ ...throttleAlone, LOGIN_LOCK_AFTER: '3', LOGIN_LOCK_SECONDS: '60' })
  const services = await servicesOf(app)
  const { baseUrl, pages } = app.deps.config
  let count = 0

  async function victim() {
    const who = await app.account(`victim${++count}`)
    await verifyAddress(app, who, `${who.username}@example.org`)
    return who
  }

  for (const [what, headers] of Object.entries({
    'HTML in the User-Agent': { 'user-agent': `Firefox/1 <a href="${evil}">Sign in</a>` },
    'an address in the User-Agent': { 'user-agent': `${evil} Chrome/1` },
    'a very long User-Agent': { 'user-agent': `${'('.repeat(8000)}${evil}` },
    'another host': { host: 'evil.example' },
    'headers of a proxy': {
      forwarded: 'host=evil.example;proto=https;for=evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-for': evil,
      'x-forwarded-proto': 'https',
    },
  })) {
    test(`${what}: none of it is in the notice or in the mail`, async () => {
      const who = await victim()
      const json = { username: who.username, password: who.password }
      await app.call('POST', '/login', { json, from: '192.0.2.1' })
      const { status } = await app.call('POST', '/login', { json, headers, from: '192.0.3.1' })
      assert.equal(status, 200)
      const [mail, ...more] = await waitingMails(app, services, who)
      assert.ok(mail)
      assert.deepEqual(more, [])
      const facts = mail.facts as unknown as MessageFacts['new_sign_in']
      const { subject, text, html } = render('new_sign_in', facts, 'en', {
        name: pages.name,
        baseUrl,
      })
      assert.doesNotMatch(subject + text + html, /evil/)
      assert.match(text, /192\.0\.3\.1/)
      assert.doesNotMatch(JSON.stringify(await services.notices.of(who.userId)), /evil/)
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g)) {
        assert.ok(href.startsWith(`${baseUrl}/`), href)
      }
    })
  }

  test('guesses that lock an account again and again send its owner one mail a day', async () => {
    const who = await victim()
    for (let lock = 0; lock < 10; lock += 1) {
      for (let n = 0; n < 3; n += 1) await guess(app, who, newHost())
      app.clock.advance(61)
    }
    assert.equal((await noticeRows(app, who)).length, 10)
    assert.equal((await waitingMails(app, services, who)).length, 1)
  })

  test('guesses that lock an account for weeks hide nothing that has happened to it', async () => {
    const who = await victim()
    const session = await app.session(who)
    const json = { current_password: who.password, new_password: 'a quieter melon rolls' }
    await app.call('PUT', '/api/account/password', { headers: session, json })
    const [first] = await noticeRows(app, who)
    assert.ok(first)
    const { sealed, user_id } = first
    app.clock.advance(60)
    const at = app.clock.now()
    const locks = Array.from({ length: 600 }, () => ({ user_id, type: 'locked', at, sealed }))
    await app.deps.db.insertInto('notices').values(locks).execute()
    const shown = (await services.notices.of(who.userId)).map(({ type }) => type)
    assert.deepEqual(shown, [...Array(100).fill('locked'), 'password_changed'])
  })

  test('sign-ins from ever new devices send twenty mails a day and one more, and each leaves its notice', async () => {
    const who = await victim()
    const json = { username: who.username, password: who.password }
    for (let n = 0; n < 25; n += 1) {
      await app.call('POST', '/login', { json, from: `198.18.${n}.1` })
    }
    const ofSignIn = (type: string) => type === 'new_sign_in'
    const rows = (await noticeRows(app, who)).filter(({ type }) => ofSignIn(type))
    const mails = await waitingMails(app, services, who)
    assert.deepEqual([rows.length, mails.length], [24, 21])
  })

  test('forty changes in a row send twenty mails and one that says so; those with a way back go on', async () => {
    const who = await victim()
    const session = await app.session(who)
    let password = who.password
    const change = async () => {
      const new_password = `${who.password} ${++count}`
      const json = { current_password: password, new_password }
      const { status } = await app.call('PUT', '/api/account/password', { headers: session, json })
      assert.equal(status, 200)
      password = new_password
      app.clock.advance(1)
    }
    const mailed = async (type = 'password_changed') =>
      (await waitingMails(app, services, who)).filter(({ message }) => message === type)
    const last = async () =>
      (await mailed()).map(({ facts }) => (facts as { isLast?: boolean }).isLast === true)
    for (let n = 0; n < 40; n += 1) await change()
    assert.deepEqual(await last(), [...Array(20).fill(false), true])
    assert.equal((await noticeRows(app, who)).length, 40)
    // Other types have mails of their own, and an address that was changed can be taken back.
    const mailbox = await mailboxes(app)
    await mailbox.verify(session, `${who.username}@example.net`, password)
    const [back, ...more] = await mailed('email_changed')
    assert.deepEqual(more, [])
    assert.ok(back)
    await change()
    assert.equal((await mailed()).length, 21)
    app.clock.advance(86_400)
    const again = await app.session({ ...who, password })
    const json = { current_password: password, new_password: `${password} again` }
    await app.call('PUT', '/api/account/password', { headers: again, json })
    // Also to the address before, which can still take the change back.
    assert.equal((await mailed()).length, 23)
  })

  test('the notices of another account are not listed', async () => {
    const [who, other] = [await victim(), await app.account('other')]
    for (let n = 0; n < 3; n += 1) await guess(app, who, newHost())
    for (const query of [`?user_id=${who.userId}`, `?username=${who.username}`, '']) {
      const headers = await app.session(other)
      const answer = await app.call('GET', `/api/account/notices${query}`, { headers })
      assert.deepEqual([answer.status, answer.body], [200, []])
    }
    const nobody = await app.call('GET', '/api/account/notices')
    assert.equal(nobody.status, 401)
    assert.equal(nobody.body.error, 'Authentication required')
  })
})
