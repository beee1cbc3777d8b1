// A database makes a difference: the steps of a flow are rows that change under conditions.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { type Answer, testApp } from '../app.ts'
import { fromBase32 } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { invited, mailboxOf, person, profileFields, profileOf } from '../registration.ts'
import type { TestBrowser } from '../test-browser.ts'

const heading = ({ text }: Answer) => /<h1>(.*?)<\/h1>/s.exec(text)?.[1]
const session = ({ cookies }: TestBrowser) => cookies.get('JSESSIONID')
const me = async ({ browser }: ReturnType<typeof person>) =>
  (await browser.call('GET', '/api/session')).body.username

suite('the pages of a sign-up', async () => {
  const app = await testApp({ SIGN_UP: 'open' })
  const mailbox = await mailboxOf(app)

  test('by the code: address, mailbox, profile, signed in', async () => {
    const ann = person(app)
    assert.deepEqual(heading(await ann.open('/signup')), 'Create an account')
    const sent = await ann.send({ email: 'Ann@example.org' })
    assert.deepEqual([sent.status, heading(sent)], [200, 'Check your mailbox'])
    assert.match(sent.text, /<strong>Ann@example.org<\/strong>/)
    assert.match(sent.text, /autocomplete="one-time-code"/)
    const { code } = await mailbox.newest()
    const proved = await ann.send({ code: `${code.slice(0, 4)} ${code.slice(4)}` })
    assert.deepEqual(heading(proved), 'Your new account')
    assert.equal(session(ann.browser), undefined, 'not signed in yet')
    const done = await ann.send(profileFields('ann'))
    assert.deepEqual([done.status, done.headers.location], [303, '/account'])
    assert.equal(await me(ann), 'ann')
  })

  test('by the link, in any browser; the token leaves the address at once', async () => {
    app.clock.advance(61)
    const first = person(app)
    await first.open('/signup')
    await first.send({ email: 'bea@example.org' })
    const { token } = await mailbox.newest()
    const other = person(app)
    const opened = await other.browser.call('GET', `/signup?token=${token}`)
    assert.equal(opened.status, 303)
    assert.match(String(opened.headers.location), /^\/signup\?flow=[A-Za-z0-9_-]+$/)
    const page = await other.open(String(opened.headers.location))
    assert.deepEqual(heading(page), 'Your new account')
    assert.ok(!page.text.includes(token))
    assert.match(page.text, /<strong>bea@example.org<\/strong>/)
    const done = await other.send(profileFields('bea'))
    assert.equal(done.headers.location, '/account')
    assert.equal(await me(other), 'bea')
    assert.equal(session(first.browser), undefined, 'the browser that began is not signed in')
  })

  test('problems are told at their fields, and what was typed stays', async () => {
    app.clock.advance(61)
    const cleo = person(app)
    await cleo.open('/signup')
    const wrong = await cleo.send({ email: 'cleo@' })
    assert.deepEqual([wrong.status, heading(wrong)], [400, 'Create an account'])
    assert.match(wrong.text, /id="email-problem"/)
    assert.match(wrong.text, /value="cleo@"/)
    await cleo.send({ email: 'cleo@example.org' })
    const { code } = await mailbox.newest()
    const typo = await cleo.send({ code: '00000000' })
    assert.deepEqual([typo.status, heading(typo)], [400, 'Check your mailbox'])
    assert.match(typo.text, /id="code-problem"/)
    await cleo.send({ code })
    const empty = await cleo.send({})
    for (const field of ['username', 'name', 'new_password']) {
      assert.match(empty.text, new RegExp(`id="${field}-problem"`), field)
    }
    const differs = await cleo.send({ ...profileFields('cleo'), new_password_again: 'another' })
    assert.match(differs.text, /id="new_password_again-problem"/)
    const taken = await cleo.send({ ...profileFields('cleo'), username: 'ANN' })
    assert.deepEqual([taken.status, heading(taken)], [409, 'Your new account'])
    assert.match(taken.text, /This username is taken/)
    assert.match(taken.text, /value="ANN"/)
    assert.ok(!taken.text.includes(profileOf('cleo').password), 'no password in a page')
    const weak = await cleo.send({
      ...profileFields('cleo'),
      new_password: 'correct horse cleo@example.org',
      new_password_again: 'correct horse cleo@example.org',
    })
    assert.equal(weak.status, 400)
    assert.match(weak.text, /must not contain your (?:username|e-mail address)/)
    assert.equal((await cleo.send(profileFields('cleo'))).headers.location, '/account')
  })

  test('the mail is sent again from the page, to the same link', async () => {
    app.clock.advance(61)
    const dora = person(app)
    await dora.open('/signup')
    const first = await dora.send({ email: 'dora@example.org' })
    assert.match(first.text, /data-resend="60"/)
    const { token } = await mailbox.newest()
    app.clock.advance(61)
    const again = await dora.send({ resend: '1' })
    assert.match(again.text, /The e-mail is on its way once more/)
    assert.equal((await mailbox.newest()).token, token)
  })

  test('a taken address sees the same pages, and its owner gets a mail', async () => {
    const emma = await app.account('emma')
    await verifyAddress(app, emma, 'emma@example.org')
    const [free, taken] = [person(app), person(app)]
    const shown = async (who: typeof free, email: string) => {
      app.clock.advance(61)
      await who.open('/signup')
      const { text } = await who.send({ email })
      return text
        .replaceAll(email, 'ADDRESS')
        .replaceAll(/flow=[\w-]+|value="[\w-]{43}"|datetime="[^"]+"|>[^<]+ UTC</gi, '')
    }
    const one = await shown(free, 'free@example.org')
    assert.equal(await shown(taken, 'emma@example.org'), one)
    assert.equal((await mailbox.newest()).message, 'sign_up_exists')
  })

  test('an address that was taken meanwhile is told behind the proof', async () => {
    app.clock.advance(61)
    const fay = person(app)
    await fay.open('/signup')
    await fay.send({ email: 'fay@example.org' })
    const { code, token } = await mailbox.newest()
    await verifyAddress(app, await app.account('fay'), 'fay@example.org')
    assert.deepEqual(heading(await fay.send({ code })), 'You have an account already')
    assert.deepEqual(
      heading(await person(app).open(`/signup?token=${token}`)),
      'You have an account already',
    )
  })

  test('a dead link and an ended flow lead to a new beginning', async () => {
    const gus = person(app)
    const dead = await gus.open(`/signup?token=${'x'.repeat(22)}.${'y'.repeat(43)}`)
    assert.deepEqual([dead.status, heading(dead)], [400, 'This link is no longer valid'])
    await gus.open('/signup')
    app.clock.advance(3601)
    const { action, csrf_token } = gus.form()
    const form = { csrf_token, email: 'gus@example.org' }
    const ended = await gus.browser.call('POST', action, { form })
    assert.deepEqual(
      [ended.status, ended.headers.location],
      [303, '/signup?return_to=%2Faccount&ended=1'],
    )
    assert.match((await gus.open('/signup?ended=1')).text, /took too long/)
    assert.match((await gus.open('/signup?flow=unknown')).text, /took too long/)
  })
})

suite('what a sign-up leads to', () => {
  test('where a role needs a second factor, the sign-in goes on', async () => {
    const app = await testApp({ SIGN_UP: 'open', REQUIRE_SECOND_FACTOR: 'USER' })
    const mailbox = await mailboxOf(app)
    const ann = person(app)
    await ann.open('/signup?return_to=/users')
    await ann.send({ email: 'ann@example.org' })
    await ann.send({ code: (await mailbox.newest()).code })
    const enrolment = await ann.send(profileFields('ann'))
    assert.equal(heading(enrolment), 'Set up a second factor')
    assert.equal(session(ann.browser), undefined)
    const [, secret = ''] = /<code id="secret">([A-Z2-7 ]+)<\/code>/.exec(enrolment.text) ?? []
    const step = Math.floor(app.clock.now() / 1000 / stepSeconds)
    const totp = codeOfStep(fromBase32(secret.replaceAll(' ', '')), step)
    const codes = await ann.send({ totp })
    assert.match(String(heading(codes)), /recovery codes/i)
    const done = await ann.send({})
    assert.deepEqual([done.status, done.headers.location], [303, '/users'])
    assert.equal(await me(ann), 'ann')
  })

  test('it leads back to the application that it began at, by the code and by the link', async () => {
    const app = await testApp({ SIGN_UP: 'open', REDIRECT_ORIGINS: 'https://app.example.org' })
    const mailbox = await mailboxOf(app)
    const there = 'https://app.example.org/after?a=1'
    const begin = async (email: string, returnTo: string) => {
      const who = person(app)
      await who.open(`/signup?return_to=${encodeURIComponent(returnTo)}`)
      await who.send({ email })
      app.clock.advance(61)
      return { who, ...(await mailbox.newest()) }
    }
    const ann = await begin('ann@example.org', there)
    const profile = await ann.who.send({ code: ann.code })
    const policies = String(profile.headers['content-security-policy'])
    assert.match(policies, /form-action 'self' https:\/\/app\.example\.org/)
    assert.equal((await ann.who.send(profileFields('ann'))).headers.location, there)
    const bob = await begin('bob@example.org', there)
    const other = person(app)
    await other.open(`/signup?token=${bob.token}`)
    assert.equal((await other.send(profileFields('bob'))).headers.location, there)
    const cleo = await begin('cleo@example.org', 'https://evil.example/')
    await cleo.who.send({ code: cleo.code })
    assert.equal((await cleo.who.send(profileFields('cleo'))).headers.location, '/account')
  })

  for (const [mode, text] of [
    ['off', /made by an administrator/],
    ['invitation', /need an invitation/],
  ] as const) {
    test(`with SIGN_UP=${mode} the page says so`, async () => {
      const app = await testApp({ SIGN_UP: mode })
      const page = await person(app).open('/signup')
      assert.deepEqual([page.status, heading(page)], [403, 'You cannot sign up here'])
      assert.match(page.text, text)
    })
  }
})

suite('the pages of an invitation', async () => {
  const app = await testApp()
  const mailbox = await mailboxOf(app)

  test('it names address and roles, and signs in with the account that it makes', async () => {
    const wanted = { email: 'ann@example.org', roles: ['EDITOR', 'ADMIN'], name: 'Ann' }
    const { token } = await invited(app, mailbox, wanted)
    const ann = person(app)
    const page = await ann.open(`/invitation?token=${token}`)
    assert.deepEqual([page.status, heading(page)], [200, 'You are invited'])
    assert.match(page.text, /ann@example.org/)
    assert.match(page.text, /write and edit posts/)
    assert.match(page.text, /administer users and accounts/)
    assert.match(page.text, /value="Ann"/)
    assert.ok(!page.text.includes(token))
    const weak = await ann.send({
      ...profileFields('ann'),
      new_password: 'x',
      new_password_again: 'x',
    })
    assert.deepEqual([weak.status, heading(weak)], [400, 'You are invited'])
    assert.match(weak.text, /at least 12 characters/)
    const done = await ann.send(profileFields('ann'))
    assert.equal(done.headers.location, '/account')
    const { body } = await ann.browser.call('GET', '/api/session')
    assert.deepEqual([body.username, body.roles], ['ann', ['EDITOR', 'ADMIN']])
    const again = await person(app).open(`/invitation?token=${token}`)
    assert.deepEqual([again.status, heading(again)], [400, 'This invitation is no longer valid'])
  })

  test('without a link there is nothing to accept', async () => {
    const page = await person(app).open('/invitation')
    assert.deepEqual([page.status, heading(page)], [400, 'This invitation is no longer valid'])
  })
})
