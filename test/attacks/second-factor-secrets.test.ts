import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrol, enrolled } from '../factor.ts'
import { holdAtTransaction, holdableDatabase } from '../held-requests.ts'
import { assertRefusal } from '../refusal.ts'

suite('the secret of a second factor', async () => {
  const app = await testApp({}, await holdableDatabase())
  const logIn = (who: { username: string; password: string }, totp: string) =>
    app.call('POST', '/login', { json: { ...who, totp, mode: 'session' } })

  test('the code that confirmed the enrolment is used up: it is no code of a login', async () => {
    const who = await app.account('ann')
    const device = await enrol(app, await app.session(who))
    const sessions = (await app.rows()).sessions
    assertRefusal(await logIn(who, device.code()), 401, 'Invalid credentials')
    assert.deepEqual((await app.rows()).sessions, sessions)
    assert.equal((await logIn(who, device.code(1))).status, 200, 'the next one is')
  })

  test('opens for its own account alone: moved to the row of another it proves nothing', async () => {
    const bob = await enrolled(app, 'bob')
    const mallory = await enrolled(app, 'mallory')
    const factors = () => app.deps.db.selectFrom('second_factors').selectAll()
    const stored = await factors().where('user_id', '=', mallory.who.userId).executeTakeFirst()
    assert.ok(stored?.sealed)
    const [sealed, pending] = [stored.sealed, stored.sealed]
    // An attacker who can write to the database but cannot read the secrets could do this.
    const moved = app.deps.db.updateTable('second_factors').set({ sealed, pending, last_step: 0 })
    await moved.where('user_id', '=', bob.who.userId).execute()
    const sessions = (await app.rows()).sessions

    const answer = await logIn(bob.who, mallory.device.code())
    assertRefusal(answer, 500, 'Internal server error')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual((await app.rows()).sessions, sessions)
  })
  test('that is removed while new recovery codes are made gets none', async () => {
    const { who, device } = await enrolled(app, 'cleo')
    const login = await logIn(who, device.code())
    const cookie = `JSESSIONID=${login.cookies.JSESSIONID}`
    const headers = { cookie, 'x-csrf-token': login.body.csrf_token }
    app.clock.advance(30)
    const body = JSON.stringify({ current_password: who.password, totp: device.code() })
    const path = '/api/account/recovery-codes'
    const request = holdAtTransaction(app, { method: 'POST', path, headers, body }, 3)
    await request.held
    // It is removed, and another enrolment begins.
    const factors = app.deps.db.updateTable('second_factors').set({ sealed: null, pending: 'x' })
    await factors.where('user_id', '=', who.userId).execute()
    await app.deps.db.deleteFrom('recovery_codes').where('user_id', '=', who.userId).execute()
    const { recovery_codes } = await app.rows()
    request.goOn()
    assertRefusal(await request.answer, 401, 'Invalid credentials')
    assert.deepEqual((await app.rows()).recovery_codes, recovery_codes)
  })
})
