// A database makes a difference: a flow changes under conditions, and a refusal must change nothing.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import {
  begunSignUp,
  invited,
  mailboxOf,
  person,
  profileFields,
  profileOf,
} from '../registration.ts'
import { testBrowser } from '../test-browser.ts'

const heading = ({ text }: Answer) => /<h1>(.*?)<\/h1>/s.exec(text)?.[1]

suite('the pages of sign-up and invitation, against other pages and other browsers', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const mailbox = await mailboxOf(app)
  let count = 0
  const fresh = () => `visitor${++count}@example.org`
  const accounts = async () => (await app.rows()).accounts?.length ?? 0
  /** A visitor who has asked for a mail, and what is in it. */
  async function waiting() {
    app.clock.advance(61)
    const visitor = person(app)
    await visitor.open('/signup')
    const page = await visitor.send({ email: fresh() })
    assert.equal(heading(page), 'Check your mailbox')
    return { visitor, mail: await mailbox.newest() }
  }

  test('looking at a link ten times, by GET, HEAD or prefetch, uses nothing up', async () => {
    const { token } = await begunSignUp(app, mailbox, fresh())
    const { token: invitation } = await invited(app, mailbox, { email: fresh(), roles: ['USER'] })
    const before = await app.rows('flows')
    for (const path of [`/signup?token=${token}`, `/invitation?token=${invitation}`]) {
      for (let look = 0; look < 10; look += 1) {
        const browser = testBrowser(app)
        await browser.call('HEAD', path)
        await browser.call('GET', path, { headers: { 'sec-purpose': 'prefetch' } })
        assert.equal((await browser.open(`${app.deps.config.baseUrl}${path}`)).status, 200)
      }
    }
    assert.deepEqual(await app.rows('flows'), before)
    const json = { token, ...profileOf('after.looks') }
    assert.equal((await app.call('POST', '/api/public/sign-up/complete', { json })).status, 201)
    const accepted = { token: invitation, ...profileOf('after.more.looks') }
    assert.equal((await app.call('POST', '/api/public/invitation', { json: accepted })).status, 201)
  })

  test('a HEAD of a link changes nothing at all', async () => {
    const { token } = await begunSignUp(app, mailbox, fresh())
    const before = await app.rows()
    assert.equal((await app.call('HEAD', `/signup?token=${token}`)).status, 404)
    assert.deepEqual(await app.rows(), before)
  })

  test('no page is sent by a page of another origin, nor without its token', async () => {
    const { visitor } = await waiting()
    const { action, csrf_token } = visitor.form()
    const other = person(app)
    await other.open('/signup')
    const before = await app.rows()
    for (const [form, headers, status] of [
      [{ csrf_token, resend: '1' }, { origin: 'https://evil.example' }, 403],
      [{ csrf_token, resend: '1' }, { origin: 'null' }, 403],
      [{ csrf_token, resend: '1' }, { 'sec-fetch-site': 'cross-site' }, 403],
      [{ csrf_token, resend: '1' }, { 'sec-fetch-site': 'same-site' }, 403],
      [{ resend: '1' }, {}, 403],
      [{ csrf_token: '', resend: '1' }, {}, 403],
      [{ csrf_token: other.form().csrf_token, resend: '1' }, {}, 403],
    ] as const) {
      const answer = await visitor.browser.call('POST', action, { form, headers })
      assert.equal(answer.status, status, JSON.stringify([form, headers]))
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('the flow of one browser is nothing to another', async () => {
    const { visitor, mail } = await waiting()
    const { action, csrf_token } = visitor.form()
    const thief = testBrowser(app)
    await thief.call('GET', '/signup') // it has a cookie of its own
    const before = await app.rows()
    const form = { csrf_token, code: mail.code }
    const sent = await thief.call('POST', action, { form, headers: { accept: 'application/json' } })
    assert.deepEqual([sent.status, sent.body], [400, { error: 'Sign-in failed' }])
    const seen = await thief.call('GET', action)
    assert.deepEqual([seen.status, seen.headers.location], [303, '/signup?ended=1'])
    assert.deepEqual(await app.rows(), before)
  })

  test('the code counts in the flow that asked for it, and in no other', async () => {
    const { mail, visitor } = await waiting()
    const thief = person(app)
    await thief.open('/signup')
    app.clock.advance(61)
    const [address] = /visitor\d+@example\.org/.exec(visitor.page.text) ?? ['']
    await thief.send({ email: address })
    const wrong = await thief.send({ code: mail.code })
    assert.deepEqual([wrong.status, heading(wrong)], [400, 'Check your mailbox'])
    const json = { id: mail.confirmation, code: mail.code, ...profileOf('thief') }
    assert.equal((await app.call('POST', '/api/public/sign-up/complete', { json })).status, 400)
  })

  test('no step is skipped: a profile without a proof, an account without either', async () => {
    const visitor = person(app)
    await visitor.open('/signup')
    const made = await accounts()
    const atAddress = await visitor.send({ ...profileFields('skipper'), step: 'profile' })
    assert.deepEqual([atAddress.status, heading(atAddress)], [400, 'Create an account'])
    const { visitor: second } = await waiting()
    const atMailbox = await second.send({ ...profileFields('skipper'), step: 'profile' })
    assert.deepEqual([atMailbox.status, heading(atMailbox)], [400, 'Check your mailbox'])
    assert.equal(await accounts(), made)
  })

  test('an address that is sent twice is one address: the last, for lookup and mail alike', async () => {
    const visitor = person(app)
    await visitor.open('/signup')
    const { action, csrf_token } = visitor.form()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (fields: string) =>
      visitor.browser.call('POST', action, { body: `csrf_token=${csrf_token}&${fields}`, headers })
    const before = await app.rows()
    assert.equal((await send('email[]=a%40example.org&email[]=b%40example.org')).status, 400)
    assert.deepEqual(await app.rows(), before)
    app.clock.advance(61)
    assert.equal((await send('email=a%40example.org&email=b%40example.org')).status, 303)
    assert.equal((await app.rows()).mails?.length, (before.mails?.length ?? 0) + 1)
    const { token } = await mailbox.newest()
    const opened = await mailbox.confirmations.open(token, ['sign_up'])
    assert.equal(opened?.address.key, 'b@example.org')
  })

  test('five wrong codes end the code of the page, whatever flow they come from', async () => {
    const { visitor, mail } = await waiting()
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal((await visitor.send({ code: `0000000${tries}` })).status, 400)
    }
    const answer = await visitor.send({ code: mail.code })
    assert.deepEqual([answer.status, heading(answer)], [400, 'Check your mailbox'])
    const page = await person(app).open(`/signup?token=${mail.token}`)
    assert.equal(heading(page), 'Your new account', 'the link stays')
  })

  test('a form that is sent twice at once makes one account and one session', async () => {
    const { visitor, mail } = await waiting()
    await visitor.send({ code: mail.code })
    const [{ action, csrf_token }, made] = [visitor.form(), await accounts()]
    const form = { csrf_token, ...profileFields('twice.sent') }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => visitor.browser.call('POST', action, { form })),
    )
    const signedIn = answers.filter(({ headers }) => headers.location === '/account')
    assert.equal(signedIn.length, 1)
    assert.equal(answers.filter(({ cookies }) => cookies.JSESSIONID).length, 1)
    assert.equal(await accounts(), made + 1)
  })

  test('the session is a new one, and ends that of the browser before', async () => {
    const someone = await app.account('there.before')
    const { cookie } = await app.session(someone)
    const { token } = await begunSignUp(app, mailbox, fresh())
    const visitor = person(app)
    visitor.browser.cookies.set('JSESSIONID', cookie.split('=')[1] ?? '')
    await visitor.open(`/signup?token=${token}`)
    await visitor.send(profileFields('new.here'))
    const now = await visitor.browser.call('GET', '/api/session')
    assert.equal(now.body.username, 'new.here')
    const before = await app.call('GET', '/api/session', { headers: { cookie } })
    assert.equal(before.status, 401)
  })

  test('the roles and the address of an invitation are no fields of its form', async () => {
    const { token } = await invited(app, mailbox, { email: fresh(), roles: ['USER'] })
    const guest = person(app)
    await guest.open(`/invitation?token=${token}`)
    await guest.send({ ...profileFields('modest'), roles: 'ADMIN', email: 'evil@example.org' })
    const { body } = await guest.browser.call('GET', '/api/session')
    assert.deepEqual([body.username, body.roles], ['modest', ['USER']])
  })

  test('an invitation that is revoked while its page is open makes nothing', async () => {
    const headers = await app.bearer(app.admin)
    const { id, token } = await invited(app, mailbox, { email: fresh(), roles: ['ADMIN'] })
    const guest = person(app)
    await guest.open(`/invitation?token=${token}`)
    await app.call('DELETE', `/api/admin/invitations/${id}`, { headers })
    const made = await accounts()
    const answer = await guest.send(profileFields('too.late'))
    assert.deepEqual([answer.status, heading(answer)], [400, 'This invitation is no longer valid'])
    assert.equal(await accounts(), made)
  })

  test('a name with HTML stays text on the page', async () => {
    const wanted = { email: fresh(), roles: ['USER'], name: '"><script>alert(1)</script>' }
    const { token } = await invited(app, mailbox, wanted)
    const { text } = await person(app).open(`/invitation?token=${token}`)
    assert.ok(!text.includes('<script>alert'))
  })

  test('no link, code or whole address stands in the log', async () => {
    const log = JSON.stringify(app.log)
    const { visitor: _, mail } = await waiting()
    for (const secret of [mail.token, mail.code, '@example.org']) {
      assert.ok(!log.includes(secret), secret)
      assert.ok(!JSON.stringify(app.log).includes(secret), secret)
    }
  })
})
