import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Call, type Someone, testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'
import { enrolled } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/public/sign-in-code'
const newPassword = 'a copper kettle on a winter stove'

suite('a sign-in by mail as JSON asks for what a login asks for', async () => {
  const app = await testApp({ EMAIL_SIGN_IN: 'on' })
  const confirmations = await confirmationsOf(app)

  /** The token of the link that is mailed to an account. */
  async function mailed(who: Someone): Promise<string> {
    const email = `${who.username}@example.org`
    await verifyAddress(app, who, email)
    const { status, body } = await app.call('POST', path, { json: { email } })
    assert.equal(status, 202)
    return (await confirmations.mailed(body.id)).token
  }
  const finish = (json: object, more: Call = {}) => app.call('PUT', path, { json, ...more })
  /** Asserts a refusal after which the link still counts, and no login has begun. */
  async function assertRefused(json: object, ...expected: [number, string, object?]) {
    const before = await app.rows('throttle_places', 'accounts')
    const answer = await finish(json)
    const [status, error, more = {}] = expected
    assertRefusal(answer, status, error, '', more)
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual(await app.rows('throttle_places', 'accounts'), before)
  }

  test('a second factor: 401 until its code comes with the link, which counts once', async () => {
    const { who, device } = await enrolled(app, 'ann')
    const token = await mailed(who)
    await assertRefused({ token }, 401, 'Second factor required', { second_factor: 'totp' })
    await assertRefused({ token, totp: '000000' }, 401, 'Invalid credentials')
    const { status, body } = await finish({ token, totp: device.code() })
    assert.deepEqual([status, body.token_type], [200, 'Bearer'])
    const again = { token, recovery_code: device.recoveryCodes[0] }
    await assertRefused(again, 400, 'Invalid or expired code')
  })

  test('after too many wrong codes of the second factor: 429, and none is judged any more', async () => {
    const { who, device } = await enrolled(app, 'bob')
    const token = await mailed(who)
    for (let tries = 0; tries < 5; tries += 1) {
      assertRefusal(await finish({ token, totp: '000000' }), 401, 'Invalid credentials')
    }
    const answer = await finish({ token, totp: device.code() })
    assertRefusal(answer, 429, 'Too many login attempts')
    assert.match(String(answer.headers['retry-after']), /^[1-9][0-9]*$/)
  })

  test('a password that must be changed: 403 until a new one comes with the link', async () => {
    const who = await app.account('must', ['USER'], { must_change: true })
    const token = await mailed(who)
    await assertRefused({ token }, 403, 'Password change required')
    const answer = await finish({ token, new_password: newPassword })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(await app.session({ ...who, password: newPassword }))
  })

  test('a role that requires a second factor: 403 with the token that enrols one', async () => {
    const strict = await testApp({ EMAIL_SIGN_IN: 'on', REQUIRE_SECOND_FACTOR: 'ADMIN' })
    await verifyAddress(strict, strict.admin, 'admin@example.org')
    const begun = await strict.call('POST', path, { json: { email: 'admin@example.org' } })
    const { token } = await (await confirmationsOf(strict)).mailed(begun.body.id)
    const answer = await strict.call('PUT', path, { json: { token } })
    const { enrolment_token } = answer.body
    assertRefusal(answer, 403, 'Second factor enrolment required', '', { enrolment_token })
    const headers = { authorization: `Bearer ${enrolment_token}` }
    assert.equal((await strict.call('POST', '/api/account/totp', { headers })).status, 201)
  })

  test('a page of another origin neither begins nor finishes one: 403', async () => {
    const who = await app.account('carl')
    const token = await mailed(who)
    const headers = { origin: 'https://evil.example' }
    const before = await app.rows()
    const json = { email: 'carl@example.org' }
    assertRefusal(await app.call('POST', path, { headers, json }), 403, 'Access denied')
    assertRefusal(await finish({ token }, { headers }), 403, 'Access denied')
    assert.deepEqual(await app.rows(), before)
    assert.equal((await finish({ token })).status, 200)
  })
})
