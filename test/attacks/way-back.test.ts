// A database makes a difference: the way back changes rows of several tables in one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, testApp } from '../app.ts'
import { mailboxes } from '../emails.ts'
import { beginEnrolment, enrol } from '../factor.ts'
import { servicesOf } from '../mail.ts'
import { pageVisitor, readPage } from '../page-forms.ts'
import { assertPage, assertRefusal } from '../refusal.ts'

const ofThief = 'a quieter melon rolls by'
const ofOwner = 'amber violin thicket, 87 of them'
const restored = 'Email restored, and all logins ended'
const invalid = [400, 'Invalid or expired code'] as const

suite('the owner takes an account back by the address before', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_IP_ATTEMPTS: '0' })
  const { ask, confirm, confirmations, emailOf, token, verify, waysBack } = await mailboxes(app)
  const { accounts, emails, identities } = await servicesOf(app)
  let made = 0

  /** Each act has a time of its own, so that the way back can distinguish them. */
  const later = () => app.clock.advance(31)
  const owner = async () => {
    const who = await app.account(`owner${++made}`)
    const address = `${who.username}@example.org`
    const session = await app.session(who)
    await verify(session, address)
    later()
    return { who, address, session }
  }
  const byPassword = ({ username }: Someone, password: string) => ({ username, password })
  const logIn = (who: Someone, password: string, more: object = {}) =>
    app.call('POST', '/login', { json: { ...byPassword(who, password), ...more } })
  const finish = (json: object) => app.call('PUT', '/api/public/reset', { json })
  const linked = async ({ userId }: Someone) =>
    (await identities.of(userId)).map(({ subject }) => subject.split(' of ')[0])
  const isIn = async (headers: Headers) =>
    (await app.call('GET', '/api/session', { headers })).status === 200

  const lastRestored = () => app.log.findLast(({ event }) => event === 'email_restored')

  async function link({ userId }: Someone, person: string): Promise<void> {
    const account = await accounts.byUserId(userId)
    assert.ok(account)
    const subject = `${person} of ${userId}`
    await identities.link(account, { issuer: 'https://idp.example', subject })
    later()
  }

  /** The thief's address replaces the owner's. What is added in between belongs to the thief. */
  async function takeOver(
    session: Headers,
    mailbox: string,
    between = async () => {},
    totp?: string,
  ) {
    const id = await ask(session, mailbox, undefined, totp)
    later()
    await between()
    const answer = await confirm({ token: await token(id) })
    assert.deepEqual(answer.body, { message: 'Email changed' })
    later()
  }

  /** A reset by the mailbox that the account has now. */
  async function resetBy(email: string, json: object): Promise<void> {
    const begun = await app.call('POST', '/api/public/reset', { json: { email } })
    later()
    const { token: link } = await confirmations.mailed(begun.body.id)
    const answer = await finish({ token: link, new_password: ofThief, ...json })
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Password changed' }])
    later()
  }

  test('a whole takeover: factor, identity, address, password and logins of the thief are void', async () => {
    const { who, address, session } = await owner()
    const mailbox = `thief${made}@evil.test`
    await takeOver(session, mailbox, () => link(who, 'thief'))
    const device = await enrol(app, session)
    later()
    await resetBy(mailbox, { totp: device.code() })
    const before = await logIn(who, ofThief, { totp: device.code(), mode: 'pair' })
    assert.equal(before.status, 200)
    later()
    const stolen = await app.call('POST', '/login', {
      form: { ...byPassword(who, ofThief), totp: device.code(), mode: 'session' },
    })
    const theirs = { cookie: `JSESSIONID=${stolen.cookies.JSESSIONID}` }
    assert.ok(await isIn(theirs))
    await link(who, 'thief, once more')
    assert.deepEqual(await linked(who), ['thief, once more'])

    const [way] = await waysBack(who)
    const back = await confirm({ token: way })
    const { reset_token, expires_at, ...said } = back.body
    assert.deepEqual([back.status, said], [200, { message: restored }])
    assert.equal(Date.parse(expires_at), app.clock.now() + 1_800_000)
    assert.equal(lastRestored()?.password_removed, true)

    // The thief: no password, no session, no token, no identity, no mailbox.
    later()
    const wrong = await logIn(who, ofThief, { totp: device.code() })
    assertRefusal(wrong, 401, 'Invalid credentials')
    assertRefusal(await logIn(who, ofThief), 401, 'Invalid credentials')
    assert.equal(await isIn(theirs), false)
    const { access_token, refresh_token } = before.body
    const bearer = { authorization: `Bearer ${access_token}` }
    assert.equal((await app.call('GET', '/api/protected', { headers: bearer })).status, 401)
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 401)
    assert.deepEqual(await linked(who), [])
    const asked = await app.call('POST', '/api/public/reset', { json: { email: mailbox } })
    await assert.rejects(confirmations.mailed(asked.body.id))

    // The owner: a new password, without the factor of the thief.
    const done = await finish({ token: reset_token, new_password: ofOwner })
    assert.deepEqual([done.status, done.body], [200, { message: 'Password changed' }])
    assert.equal((await logIn(who, ofOwner)).status, 200)
    assert.equal((await emailOf(who)).email, address)
    for (const used of [way, reset_token]) {
      assertRefusal(await confirm({ token: used }), ...invalid)
      assertRefusal(await finish({ token: used, new_password: ofThief }), ...invalid)
    }
  })

  test('a factor from before the change is asked, and its new recovery codes are void', async () => {
    const { who, session } = await owner()
    const device = await enrol(app, session)
    later()
    await takeOver(session, `thief${made}@evil.test`, undefined, device.code())
    const renewed = await app.call('POST', '/api/account/recovery-codes', {
      headers: session,
      json: { current_password: who.password, totp: device.code() },
    })
    assert.equal(renewed.status, 201, renewed.text)
    later()
    const [way] = await waysBack(who)
    const { reset_token } = (await confirm({ token: way })).body
    const wanted = { token: reset_token, new_password: ofOwner }
    const before = await app.rows('refusals')
    assertRefusal(await finish(wanted), 401, 'Second factor required', '', {
      second_factor: 'totp',
    })
    assert.deepEqual(await app.rows('refusals'), before)
    const [theirs] = renewed.body.recovery_codes
    const [own] = device.recoveryCodes
    for (const recovery_code of [theirs, own]) {
      assertRefusal(await finish({ ...wanted, recovery_code }), 401, 'Invalid credentials')
    }
    later()
    assert.equal((await finish({ ...wanted, totp: device.code() })).status, 200)
    later()
    assertRefusal(await logIn(who, ofOwner), 401, 'Second factor required', '', {
      second_factor: 'totp',
    })
    assert.equal((await logIn(who, ofOwner, { totp: device.code() })).status, 200)
  })

  test('what the owner had before stays: password, recovery codes, identity', async () => {
    const { who, session } = await owner()
    await link(who, 'the owner')
    const device = await enrol(app, session)
    later()
    await takeOver(session, `thief${made}@evil.test`, () => link(who, 'the thief'), device.code())
    const [way] = await waysBack(who)
    assert.equal((await confirm({ token: way })).body.message, restored)
    assert.deepEqual(await linked(who), ['the owner'])
    assert.equal(lastRestored()?.password_removed, false)
    const [recovery_code] = device.recoveryCodes
    assert.equal((await logIn(who, who.password, { recovery_code })).status, 200)
  })

  test('an enrolment that waits for its first code is void', async () => {
    const { who, session } = await owner()
    const code = await beginEnrolment(app, session)
    await takeOver(session, `thief${made}@evil.test`)
    const [way] = await waysBack(who)
    await confirm({ token: way })
    const again = await app.session(who)
    const answer = await app.call('PUT', '/api/account/totp', {
      headers: again,
      json: { totp: code() },
    })
    assertRefusal(answer, 401, 'Invalid credentials')
    const { second_factors } = await app.rows()
    assert.ok(!second_factors?.some((row) => (row as { user_id: number }).user_id === who.userId))
  })

  test('the second way back of a thief keeps what came before it; the first one removes that too', async () => {
    const { who, address, session } = await owner()
    await takeOver(session, `first${made}@evil.test`)
    await link(who, 'between')
    await takeOver(session, `second${made}@evil.test`, () => link(who, 'after'))
    const [way, wayOfThief] = await waysBack(who)
    const theirs = await confirm({ token: wayOfThief })
    assert.deepEqual(await linked(who), ['between'])
    later()
    assert.equal((await confirm({ token: way })).body.message, restored)
    assert.deepEqual(await linked(who), [])
    assert.equal((await emailOf(who)).email, address)
    // The reset that the thief was led to has ended.
    const { reset_token } = theirs.body
    assertRefusal(await finish({ token: reset_token, new_password: ofThief }), ...invalid)
    assert.equal((await logIn(who, who.password)).status, 200)
  })

  test('the reset that follows ends by a lock, by time, and by a reset that is mailed', async () => {
    const admin = app.basic(app.admin)
    const ends: Record<string, (who: Someone) => Promise<unknown>> = {
      lock: async ({ username }) => {
        for (const locked of [true, false]) {
          const path = `/api/admin/accounts/${username}`
          await app.call('PUT', path, { headers: admin, json: { locked } })
        }
      },
      time: async () => app.clock.advance(1800),
      reset: ({ username }) => resetBy(`${username}@example.org`, {}),
    }
    for (const [name, end] of Object.entries(ends)) {
      const { who, session } = await owner()
      await takeOver(session, `ends${made}@evil.test`)
      const [way] = await waysBack(who)
      const { reset_token } = (await confirm({ token: way })).body
      await end(who)
      const before = await app.rows('refusals')
      const answer = await finish({ token: reset_token, new_password: ofOwner })
      assertRefusal(answer, ...invalid, name)
      assert.deepEqual(await app.rows('refusals'), before, name)
    }
  })

  test('the pages: the press of the button leads to the new password', async () => {
    const { who, session } = await owner()
    await takeOver(session, `pages${made}@evil.test`)
    const [way] = await waysBack(who)
    const visitor = pageVisitor(app)
    await visitor.open(`/verify?token=${way}`)
    const page = await visitor.press()
    assertPage(page, 200, 'Choose a new password')
    assert.match(readPage(page).text, /Your former address is back/)
    assert.doesNotMatch(visitor.at(), /token/)
    const fields = { new_password: ofOwner, new_password_again: ofOwner }
    assertPage(await visitor.press(fields), 200, 'Your password is changed')
    assert.ok(!visitor.cookies.has('JSESSIONID'))
    assert.equal((await logIn(who, ofOwner)).status, 200)
  })

  test('the pages ask for a factor from before the change first', async () => {
    const { who, session } = await owner()
    const device = await enrol(app, session)
    later()
    await takeOver(session, `factor${made}@evil.test`, undefined, device.code())
    const [way] = await waysBack(who)
    const visitor = pageVisitor(app)
    await visitor.open(`/verify?token=${way}`)
    assertPage(await visitor.press(), 200, 'Second factor')
    assertPage(await visitor.press({ totp: device.code() }), 200, 'Choose a new password')
  })

  test('a way back and rows of a version before: its own time counts, and a time that is not known is before', async () => {
    const { who, session } = await owner()
    const device = await enrol(app, session)
    later()
    const { db } = app.deps
    const ofWho = ['user_id', '=', who.userId] as const
    await db
      .updateTable('second_factors')
      .set({ confirmed_at: null })
      .where(...ofWho)
      .execute()
    await db
      .updateTable('recovery_codes')
      .set({ created_at: null })
      .where(...ofWho)
      .execute()
    const linking = () => link(who, 'while it was asked for')
    await takeOver(session, `old${made}@evil.test`, linking, device.code())
    await link(who, 'after the change')
    const [way] = await waysBack(who)
    const opened = await confirmations.openByToken(String(way), ['email_undo'])
    const { since: _since, ...facts } = opened.facts
    assert.equal((await emails.confirm({ ...opened, facts })).done, 'restored')
    assert.deepEqual(await linked(who), ['while it was asked for'])
    const [recovery_code] = device.recoveryCodes
    assert.equal((await logIn(who, who.password, { recovery_code })).status, 200)
  })
})
