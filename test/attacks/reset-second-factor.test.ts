// A database makes a difference: wrong codes are counted under refusals, in a transaction of their own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Someone, testApp } from '../app.ts'
import { confirmationsOf, otherCode } from '../confirmations.ts'
import { type Device, enrolled } from '../factor.ts'
import { mailRows, verifyAddress } from '../mail.ts'
import { pageVisitor } from '../page-forms.ts'
import { assertPage, assertRefusal } from '../refusal.ts'

const next = 'amber violin thicket, 87 of them'
const wrong = [401, 'Invalid credentials'] as const

suite('wrong codes of the second factor at a reset', async () => {
  const settings = { MAIL_REQUESTS_PER_CLIENT: '0', LOGIN_LOCK_AFTER: '4' }
  const app = await testApp(settings)
  const them = await confirmationsOf(app)
  let made = 0

  /** An account with a factor, whose mailbox a thief reads. */
  const victim = async () => {
    const { who, device } = await enrolled(app, `victim${++made}`)
    await verifyAddress(app, who, `${who.username}@example.org`)
    app.clock.advance(61)
    const json = { username: who.username }
    const { body } = await app.call('POST', '/api/public/reset', { json })
    const { token } = await them.mailed(body.id)
    return { who, device, token }
  }
  const finish = (json: object) => app.call('POST', '/api/public/reset/complete', { json })
  const wrongCode = (device: Device) => otherCode(device.code()).slice(-6)
  const logIn = ({ username, password }: Someone, totp: string) =>
    app.call('POST', '/login', { json: { username, password, totp } })
  const noticesOf = async ({ userId }: Someone) =>
    (await mailRows(app)).filter(
      ({ message, user_id }) => message === 'locked' && user_id === userId,
    )
  const failedLogins = ({ userId }: Someone) =>
    app.deps.db
      .selectFrom('accounts')
      .select(['failed_logins', 'locked_until'])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()

  test('they lock the account as wrong codes of a login do, and its owner is notified', async () => {
    const { who, device, token } = await victim()
    for (let count = 1; count <= 3; count += 1) {
      const answer = await finish({ token, new_password: next, totp: wrongCode(device) })
      assertRefusal(answer, ...wrong)
      assert.deepEqual(await failedLogins(who), { failed_logins: count, locked_until: null })
    }
    assert.deepEqual(await noticesOf(who), [])
    const recovery_code = 'AAAA-AAAA-AAAA-AAAA'
    assertRefusal(await finish({ token, new_password: next, recovery_code }), ...wrong)
    const until = app.clock.now() + 1_800_000
    assert.deepEqual(await failedLogins(who), { failed_logins: 0, locked_until: until })
    assert.equal((await noticesOf(who)).length, 1)
    const [event] = app.log.filter((line) => line.event === 'authn_login_lock').slice(-1)
    assert.deepEqual([event?.user_id, event?.during], [who.userId, 'reset'])

    // The right password and code do not sign in any more.
    app.clock.advance(30)
    assertRefusal(await logIn(who, device.code()), ...wrong)
    // The lock does not deny the reset of the owner, which ends it.
    app.clock.advance(900)
    const done = await finish({ token, new_password: next, totp: device.code() })
    assert.deepEqual([done.status, done.body], [200, { message: 'Password changed' }])
    app.clock.advance(30)
    const bearer = await logIn({ ...who, password: next }, device.code())
    assert.equal(bearer.status, 200)
    const headers = { authorization: `Bearer ${bearer.body.token}` }
    const { body } = await app.call('GET', '/api/account/notices', { headers })
    const locked = body.find(({ type }: { type: string }) => type === 'locked')
    assert.equal(locked.facts.locked_during, 'reset')
  })

  test('a lockout by strangers hides none of them', async () => {
    const { who, device, token } = await victim()
    for (let count = 1; count <= 4; count += 1) {
      const json = { username: who.username, password: 'none of theirs' }
      assertRefusal(await app.call('POST', '/login', { json, from: '198.51.100.7' }), ...wrong)
    }
    const locked = await failedLogins(who)
    assert.notEqual(locked.locked_until, null)
    app.clock.advance(1)
    for (let count = 1; count <= 4; count += 1) {
      const answer = await finish({ token, new_password: next, totp: wrongCode(device) })
      assertRefusal(answer, ...wrong)
    }
    const until = app.clock.now() + 1_800_000
    assert.deepEqual(await failedLogins(who), { failed_logins: 0, locked_until: until })
    assert.equal((await noticesOf(who)).length, 2)
  })

  test('the pages count them too, with wrong codes of the API and of logins', async () => {
    const { who, device, token } = await victim()
    assertRefusal(await logIn(who, wrongCode(device)), ...wrong)
    assertRefusal(await finish({ token, new_password: next, totp: wrongCode(device) }), ...wrong)
    const visitor = pageVisitor(app)
    await visitor.open(`/reset?token=${token}`)
    for (let count = 3; count <= 4; count += 1) {
      assertPage(await visitor.press({ totp: wrongCode(device) }), 401, 'Second factor')
    }
    assert.notEqual((await failedLogins(who)).locked_until, null)
    assert.equal((await noticesOf(who)).length, 1)
  })

  test('no code, a full limit and a right code count nothing', async () => {
    const { who, device, token } = await victim()
    const none = { failed_logins: 0, locked_until: null }
    const answer = await finish({ token, new_password: next })
    assertRefusal(answer, 401, 'Second factor required', '', { second_factor: 'totp' })
    assert.deepEqual(await failedLogins(who), none)
    // A password that is refused uses up no code.
    const short = await finish({ token, new_password: 'short', totp: wrongCode(device) })
    assert.equal(short.status, 400)
    assert.deepEqual(await failedLogins(who), none)
    assert.equal((await finish({ token, new_password: next, totp: device.code() })).status, 200)
    assert.deepEqual(await failedLogins(who), none)
  })
})
