// A database makes a difference: one transaction ends all logins of an account.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type Someone, testApp } from '../app.ts'
import { confirmationsOf, newestMail } from '../confirmations.ts'
import { enrolled } from '../factor.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

const next = 'amber violin thicket, 87 of them'

/** POST /api/public/reset and /api/public/reset/complete: an owner who has forgotten the password. */
suite('reset of a password', async () => {
  const app = await testApp({
    LOGIN_LOCK_AFTER: '3',
    LOGIN_IP_ATTEMPTS: '0',
    MAIL_REQUESTS_PER_CLIENT: '0',
  })
  const them = await confirmationsOf(app)
  let number = 0
  const owner = async () => {
    number += 1
    const who = await app.account(`owner-${number}`)
    await verifyAddress(app, who, `owner-${number}@example.org`)
    return { ...who, email: `owner-${number}@example.org` }
  }
  const begin = (json: object) => app.call('POST', '/api/public/reset', { json })
  const finish = (json: object) => app.call('POST', '/api/public/reset/complete', { json })
  const mailed = async () => {
    const mail = await newestMail(app, them, 'reset')
    assert.ok(mail)
    return mail
  }
  const logIn = ({ username }: Pick<Someone, 'username'>, password: string) =>
    app.call('POST', '/login', { json: { username, password } })
  const accountOf = ({ userId }: Pick<Someone, 'userId'>) =>
    app.deps.db
      .selectFrom('accounts')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()

  test('by username or by verified address, with the link', async () => {
    for (const name of ['username', 'email'] as const) {
      const who = await owner()
      app.clock.advance(1)
      const begun = await begin({ [name]: who[name].toUpperCase() })
      assert.equal(begun.status, 202)
      assert.deepEqual(Object.keys(begun.body), ['id', 'expires_at'])
      assert.equal(Date.parse(begun.body.expires_at), app.clock.now() + 1800_000)
      const { token } = await mailed()
      const answer = await finish({ token, new_password: next })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Password changed' }])
      assert.deepEqual(answer.cookies, {}) // it signs no one in
      assert.equal((await logIn(who, who.password)).status, 401)
      assert.equal((await logIn(who, next)).status, 200)
    }
  })

  test('with the code that was mailed, once', async () => {
    const who = await owner()
    app.clock.advance(1)
    const { body } = await begin({ username: who.username })
    const { code } = await mailed()
    const spaced = `${code.slice(0, 4)} ${code.slice(4)}`
    assert.equal((await finish({ id: body.id, code: spaced, new_password: next })).status, 200)
    assertRefusal(
      await finish({ id: body.id, code, new_password: next }),
      400,
      'Invalid or expired code',
    )
    assert.equal((await logIn(who, next)).status, 200)
  })

  test('it ends all sessions, tokens and other mailed links, and tells of both events', async () => {
    const who = await owner()
    const session = await app.session(who)
    const bearer = await app.bearer(who)
    const { refresh_token } = await app.pair(who)
    const other = await them.begin({
      purpose: 'email_change',
      userId: who.userId,
      asked: who.email,
      version: 1,
    })
    const change = await them.mailed(other.id)
    app.clock.advance(1)
    await begin({ username: who.username })
    const { token } = await mailed()
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 200)
    assert.ok(await them.open(change.token, ['email_change']))
    const before = app.log.length
    assert.equal((await finish({ token, new_password: next })).status, 200)
    const told = app.log
      .slice(before)
      .map(({ event, user_id, method }) => ({ event, user_id, method }))
    assert.deepEqual(told, [
      { event: 'authn_password_change', user_id: who.userId, method: undefined },
      { event: 'password_reset', user_id: who.userId, method: 'link' },
    ])
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 401)
    assert.equal((await app.call('GET', '/api/me', { headers: bearer })).status, 401)
    const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
    assert.equal(refreshed.status, 401)
    assert.equal(await them.open(change.token, ['email_change']), null)
    assert.equal(await them.pending(who.userId, ['email_change']), null)
  })

  test('it forgets the known devices, so that the next one is told of', async () => {
    const who = await owner()
    assert.equal((await logIn(who, who.password)).status, 200)
    app.clock.advance(1)
    await begin({ username: who.username })
    const before = app.log.length
    await finish({ token: (await mailed()).token, new_password: next })
    assert.equal((await logIn(who, next)).status, 200)
    const told = app.log.slice(before).map(({ event }) => event)
    assert.ok(told.includes('authn_login_new_device'), String(told))
  })

  test('it lifts a lockout after failed logins, and the demand for a new password', async () => {
    const who = await owner()
    await app.call('PUT', `/api/admin/accounts/${who.username}`, {
      headers: app.basic(app.admin),
      json: { must_change: true },
    })
    for (let count = 0; count < 3; count += 1) await logIn(who, 'not the password')
    assert.ok((await accountOf(who)).locked_until)
    app.clock.advance(1)
    await begin({ email: who.email })
    const { token } = await mailed()
    assert.equal((await finish({ token, new_password: next })).status, 200)
    const { locked_until, failed_logins } = await accountOf(who)
    assert.deepEqual([locked_until, failed_logins], [null, 0])
    const login = await app.call('POST', '/login', {
      json: { username: who.username, password: next },
      from: '192.0.2.77',
    })
    assert.equal(login.status, 200)
  })

  test('it notes that the address was verified again', async () => {
    const who = await owner()
    app.clock.advance(3600)
    await begin({ email: who.email })
    await finish({ token: (await mailed()).token, new_password: next })
    const { verified_email, email_verified_at } = await accountOf(who)
    assert.deepEqual([verified_email, email_verified_at], [who.email, app.clock.now()])
  })

  test('an account with a second factor proves it, and keeps it', async () => {
    const { who, device } = await enrolled(app, 'careful')
    await verifyAddress(app, who, 'careful@example.org')
    await begin({ username: who.username })
    const { token } = await mailed()
    const asked = await finish({ token, new_password: next })
    assertRefusal(asked, 401, 'Second factor required', '', { second_factor: 'totp' })
    // Nothing is said about the password before.
    const short = await finish({ token, new_password: 'short' })
    assertRefusal(short, 401, 'Second factor required', '', { second_factor: 'totp' })
    assertRefusal(
      await finish({ token, new_password: next, totp: '000000' }),
      401,
      'Invalid credentials',
    )
    const [recovery_code = ''] = device.recoveryCodes
    // A password that is not acceptable costs no code.
    const refused = await finish({ token, new_password: 'short', recovery_code })
    assert.deepEqual([refused.status, refused.body.details[0].path], [400, ['new_password']])
    assert.equal((await finish({ token, new_password: next, recovery_code })).status, 200)
    assert.equal((await accountOf(who)).second_factor, 1)
    assertRefusal(await logIn(who, next), 401, 'Second factor required', '', {
      second_factor: 'totp',
    })
    app.clock.advance(60)
    await begin({ username: who.username })
    const totp = device.code()
    const again = { token: (await mailed()).token, new_password: `${next} again` }
    assertRefusal(await finish({ ...again, recovery_code }), 401, 'Invalid credentials')
    assert.equal((await finish({ ...again, totp })).status, 200)
  })

  test('the new password keeps the rules, and a refusal leaves the link valid', async () => {
    const who = await owner()
    app.clock.advance(1)
    await begin({ username: who.username })
    const { token } = await mailed()
    for (const [new_password, message] of [
      ['short', 'must have at least 12 characters'],
      [`${who.username} and more`, 'must not hold the username'],
      ['', 'must have at least 12 characters'],
    ] as const) {
      const before = await app.rows('refusals')
      const answer = await finish({ token, new_password })
      assertRefusal(answer, 400, 'Validation failed', '', {
        details: [{ path: ['new_password'], message }],
      })
      assert.deepEqual(await app.rows('refusals'), before)
    }
    assert.equal((await finish({ token, new_password: next })).status, 200)
  })

  test('an account without a password gets its first one', async () => {
    const { accounts } = await servicesOf(app)
    const { userId, username } = await accounts.create({
      username: 'federated' as typeof app.admin.username & never,
      password: null,
      roles: ['USER'],
      mustChange: false,
      user: { name: 'Fed', email: 'fed@example.org' },
    })
    await verifyAddress(app, { userId }, 'fed@example.org')
    app.clock.advance(1)
    await begin({ username })
    assert.equal((await finish({ token: (await mailed()).token, new_password: next })).status, 200)
    assert.equal((await logIn({ username }, next)).status, 200)
  })

  const mistakes: Record<string, object> = {
    neither: {},
    both: { email: 'a@example.org', username: 'ann' },
    'no address': { email: 'ann' },
    'two addresses': { email: 'a@example.org,b@example.org' },
    'an array': { email: ['a@example.org', 'b@example.org'] },
    'no username': { username: 'a:b' },
    null: { email: null },
    'an unknown language': { username: 'ann', language: 'xx' },
  }
  for (const [what, json] of Object.entries(mistakes)) {
    test(`${what} begins nothing`, async () => {
      const before = await app.rows('refusals')
      const answer: Answer = await begin(json)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      assert.deepEqual(await app.rows('refusals'), before)
    })
  }
})

suite('a reset that an administrator begins', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '0' })
  const them = await confirmationsOf(app)
  const admin = app.basic(app.admin)
  const begin = (username: string, json?: object, headers: Record<string, string> = admin) =>
    app.call('POST', `/api/admin/accounts/${username}/reset`, { headers, json })
  const mailed = async () => (await newestMail(app, them, 'reset')) ?? assert.fail('no mail')
  const finish = (token: string) =>
    app.call('POST', '/api/public/reset/complete', { json: { token, new_password: next } })

  test('is mailed to the verified address; the administrator learns nothing but the end', async () => {
    const who = await app.account('ann')
    await verifyAddress(app, who, 'ann@example.org')
    const begun = await begin('ann')
    const expires_at = new Date(app.clock.now() + 1800_000).toISOString()
    assert.deepEqual([begun.status, begun.body], [202, { message: 'Reset mailed', expires_at }])
    const { token } = await mailed()
    assert.equal((await finish(token)).status, 200)
    assert.equal(
      (await app.call('POST', '/login', { json: { username: 'ann', password: next } })).status,
      200,
    )
  })

  test('needs an address for an account without a verified one, which it verifies', async () => {
    const who = await app.account('bob')
    app.clock.advance(1)
    const before = await app.rows('refusals')
    assertRefusal(await begin('bob'), 409, 'No verified email')
    assertRefusal(await begin('bob', { email: 'ann@example.org' }), 409, 'Email already in use')
    const wrong = await begin('bob', { email: 'bob' })
    assert.deepEqual(wrong.body.details, [
      { path: ['email'], message: 'must be an e-mail address' },
    ])
    assert.deepEqual(await app.rows('refusals'), before)
    assert.equal((await begin('bob', { email: 'Bob@Example.org' })).status, 202)
    const { token } = await mailed()
    // A stranger who asks for the address ends nothing.
    await app.call('POST', '/api/public/reset', { json: { email: 'bob@example.org' } })
    const account = () =>
      app.deps.db
        .selectFrom('accounts')
        .select('verified_email')
        .where('user_id', '=', who.userId)
        .executeTakeFirstOrThrow()
    assert.equal((await account()).verified_email, null)
    assert.equal((await finish(token)).status, 200)
    assert.equal((await account()).verified_email, 'Bob@example.org')
    const again = await begin('bob', { email: 'other@example.org' })
    assert.deepEqual(again.body.details, [
      { path: ['email'], message: 'is for an account without a verified address' },
    ])
  })

  test('is dead once the owner has proved another address than the one vouched for', async () => {
    const who = await app.account('zoe')
    app.clock.advance(61)
    await begin('zoe', { email: 'vouched@example.org' })
    const { token } = await mailed()
    await verifyAddress(app, who, 'zoe@example.org')
    assertRefusal(await finish(token), 400, 'Invalid or expired code')
    const account = await app.deps.db
      .selectFrom('accounts')
      .select('verified_email')
      .where('user_id', '=', who.userId)
      .executeTakeFirstOrThrow()
    assert.equal(account.verified_email, 'zoe@example.org')
    assert.equal((await app.call('POST', '/login', { json: who })).status, 200)
  })

  test('an address that another account has verified meanwhile stays with that one', async () => {
    const [one, other] = [await app.account('one'), await app.account('other')]
    app.clock.advance(61)
    await begin('one', { email: 'shared@example.org' })
    const { token } = await mailed()
    await verifyAddress(app, other, 'shared@example.org')
    assert.equal((await finish(token)).status, 200)
    const rows = await app.deps.db
      .selectFrom('accounts')
      .select(['user_id', 'verified_email'])
      .where('user_id', 'in', [one.userId, other.userId])
      .orderBy('user_id')
      .execute()
    assert.deepEqual(
      rows.map(({ verified_email }) => verified_email),
      [null, 'shared@example.org'],
    )
  })

  test('is refused for an account that cannot log in, for the own one, and for others than ADMIN', async () => {
    await app.account('locked')
    const put = (json: object) =>
      app.call('PUT', '/api/admin/accounts/locked', { headers: admin, json })
    for (const json of [{ locked: true }, { locked: false, active: false }]) {
      await put(json)
      assertRefusal(
        await begin('locked', { email: 'l@example.org' }),
        409,
        'Account locked or disabled',
      )
    }
    assertRefusal(await begin('admin', { email: 'l@example.org' }), 403, 'Access denied')
    assertRefusal(await begin('unknown', { email: 'l@example.org' }), 404, 'Account not found')
    const user = app.basic(await app.account('plain'))
    assertRefusal(await begin('locked', undefined, user), 403, 'Access denied')
  })

  test('asks for a recent login', async () => {
    const session = await app.session(app.admin)
    app.clock.advance(901)
    assertRefusal(await begin('ann', undefined, session), 401, 'Recent login required')
  })
})

suite('without mail', async () => {
  const app = await testApp({
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.org',
    TRUST_PROXY: '127.0.0.1',
  })

  test('a reset is refused in a way that says so, and changes nothing', async () => {
    await app.account('ann')
    const before = await app.rows('refusals')
    const asked = await app.call('POST', '/api/public/reset', { json: { username: 'ann' } })
    assertRefusal(asked, 503, 'Mail is not configured')
    const headers = app.basic(app.admin)
    const begun = await app.call('POST', '/api/admin/accounts/ann/reset', { headers })
    assertRefusal(begun, 503, 'Mail is not configured')
    assert.deepEqual(await app.rows('refusals'), before)
  })
})
