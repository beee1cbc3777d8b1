// A database makes a difference: account, user, address and proof are of one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { begunSignUp, mailboxOf, profileOf } from '../registration.ts'

const path = '/api/public/sign-up'
const details = (field: string, message: string) => ({
  details: [{ path: [field], message }],
})

suite('sign-up by a mail address', async () => {
  const app = await testApp({ SIGN_UP: 'open', SIGN_UP_ROLES: 'USER,EDITOR' })
  const mailbox = await mailboxOf(app)
  const begin = (email: unknown) => app.call('POST', path, { json: { email } })
  const finish = (json: object) => app.call('PUT', path, { json })
  const login = (username: string) =>
    app.call('POST', '/login', { json: { username, password: profileOf(username).password } })
  const users = async () => (await app.rows()).users?.length

  test('the address is asked for alone, and nothing is there before the proof', async () => {
    const before = await app.rows()
    const { status, body } = await begin('Ann@Example.ORG')
    assert.equal(status, 202)
    assert.deepEqual(Object.keys(body), ['id', 'expires_at'])
    assert.equal(Date.parse(body.expires_at) - app.clock.now(), 86_400_000)
    const { confirmations: _, mails: __, ...after } = await app.rows()
    const { confirmations: ___, mails: ____, ...rest } = before
    assert.deepEqual(after, rest, 'no user, no account')
    assert.deepEqual(await mailbox.states(), ['sign_up waiting'])
  })

  test('behind the link: account, user and verified address, in one', async () => {
    const { token } = await begunSignUp(app, mailbox, 'Bea@example.org')
    const { status, body } = await finish({ token, ...profileOf('Bea') })
    const { user_id, created_at: _, ...account } = body
    assert.equal(status, 201)
    assert.deepEqual(account, {
      username: 'bea',
      roles: ['USER', 'EDITOR'],
      locked: false,
      active: true,
      second_factor: false,
      deletion_at: null,
    })
    const row = (await app.rows()).accounts?.find(
      (it) => (it as { user_id: number }).user_id === user_id,
    ) as Record<string, unknown>
    assert.equal(row.verified_email, 'Bea@example.org')
    assert.equal(row.verified_email_key, 'bea@example.org')
    assert.equal(row.email_verified_at, app.clock.now())
    assert.equal(row.language, 'en')
    const user = await app.call('GET', `/users/${user_id}`, { headers: app.basic(app.admin) })
    assert.deepEqual(user.body, { id: user_id, name: 'Ann Example', email: 'Bea@example.org' })
  })

  test('the code does the same, with the id of the answer', async () => {
    const { id, code } = await begunSignUp(app, mailbox, 'cleo@example.org')
    const shown = `${code.slice(0, 4)} ${code.slice(4)}`
    const { status } = await finish({ id, code: shown, ...profileOf('cleo') })
    assert.equal(status, 201)
    const answer = await app.call('POST', '/login', { json: { ...profileOf('cleo') } })
    assert.equal(answer.status, 200)
  })

  test('a repeat mails the same link, with the same end', async () => {
    const first = await begunSignUp(app, mailbox, 'dora@example.org')
    const again = await begunSignUp(app, mailbox, 'DORA@example.org')
    assert.deepEqual(again, first)
  })

  test('a taken username and a weak password are told, and the proof stays', async () => {
    const { token } = await begunSignUp(app, mailbox, 'emma@example.org')
    const count = await users()
    const taken = await finish({ token, ...profileOf('emma'), username: 'BEA' })
    assertRefusal(taken, 409, 'Username already exists')
    const weak = await finish({ token, ...profileOf('emma'), password: 'emma@example.org 12' })
    const message = 'must not hold the username'
    assertRefusal(weak, 400, 'Validation failed', '', details('password', message))
    assert.equal(await users(), count)
    assert.equal((await finish({ token, ...profileOf('emma') })).status, 201)
  })

  test('an account with the verified address is told by mail, and no account is made', async () => {
    const fay = await app.account('fay')
    await verifyAddress(app, fay, 'Fay@example.org')
    const { status, body } = await begin('fay@EXAMPLE.org')
    assert.deepEqual([status, Object.keys(body)], [202, ['id', 'expires_at']])
    assert.ok((await mailbox.states()).includes('sign_up_exists waiting'))
    // Even with the link that no mail holds.
    const { token } = await mailbox.confirmations.mailed(body.id)
    const before = await app.rows()
    const refused = await finish({ token, ...profileOf('fay2') })
    assertRefusal(refused, 409, 'Email already in use')
    assert.deepEqual(await app.rows(), before)
  })

  test('the unverified address of another user blocks no one', async () => {
    await app.account('gus', ['USER'])
    await app.call('POST', '/users', {
      headers: app.basic(app.admin),
      json: { name: 'Gus', email: 'hal@example.org' },
    })
    const { token } = await begunSignUp(app, mailbox, 'hal@example.org')
    assert.equal((await finish({ token, ...profileOf('hal') })).status, 201)
  })

  test('an address that was taken meanwhile is told, and nothing is half made', async () => {
    const ida = await begunSignUp(app, mailbox, 'ida@example.org')
    const { userId } = await app.account('ida')
    await verifyAddress(app, { userId }, 'ida@example.org')
    const before = await app.rows()
    const answer = await finish({ token: ida.token, ...profileOf('ida.two') })
    assertRefusal(answer, 409, 'Email already in use')
    assert.deepEqual(await app.rows(), before)
  })

  test('what is no address is refused, by its form alone', async () => {
    const before = await app.rows()
    for (const email of ['ann', 'ann@example', 'a@x.org,b@y.org', 'ann@example.org.', '']) {
      const { status, body } = await begin(email)
      assert.deepEqual([status, body.error], [400, 'Validation failed'], email)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a proof that lacks a half is refused', async () => {
    const message = 'is required, unless id and code are given'
    for (const proof of [{}, { id: 'x' }, { code: '12345678' }, { token: 'x', id: 'x' }]) {
      const answer = await finish({ ...proof, ...profileOf('jo') })
      assertRefusal(answer, 400, 'Validation failed', '', details('token', message))
    }
    assert.equal((await login('jo')).status, 401)
  })
})

suite('who may sign up', () => {
  for (const mode of ['off', 'invitation']) {
    test(`with SIGN_UP=${mode} no stranger`, async () => {
      const app = await testApp({ SIGN_UP: mode })
      const before = await app.rows()
      const json = { email: 'ann@example.org' }
      assertRefusal(await app.call('POST', path, { json }), 403, 'Sign-up is off')
      const finish = { token: 'x', ...profileOf('ann') }
      assertRefusal(await app.call('PUT', path, { json: finish }), 403, 'Sign-up is off')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('SIGN_UP_DOMAINS are compared in canonical form', async () => {
    const app = await testApp({ SIGN_UP: 'open', SIGN_UP_DOMAINS: 'example.org,bücher.example' })
    const begin = async (email: string) =>
      (await app.call('POST', path, { json: { email } })).status
    assert.equal(await begin('ann@EXAMPLE.org'), 202)
    assert.equal(await begin('ann@xn--bcher-kva.example'), 202)
    assert.equal(await begin('ann@BÜCHER.example'), 202)
    const before = await app.rows()
    for (const email of ['ann@sub.example.org', 'ann@example.org.evil.org', 'ann@other.org']) {
      const answer = await app.call('POST', path, { json: { email } })
      const message = 'has a domain that may not sign up here'
      assertRefusal(answer, 400, 'Validation failed', email, details('email', message))
    }
    assert.deepEqual(await app.rows(), before)
  })
})
