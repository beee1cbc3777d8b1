import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError, type ErrorName } from '../../src/core/errors.ts'
import { canonicalUsername } from '../../src/core/lib/username.ts'
import { createServiceMaker } from '../../src/core/module/make.ts'
import type { Method } from '../../src/modules/authentication/attempt.ts'
import { logIn } from '../../src/modules/login/log-in.ts'
import type { LoginInput } from '../../src/modules/login/steps.ts'
import { tokenResult } from '../../src/modules/tokens/results.ts'
import { modules } from '../../src/modules.ts'
import { type Headers, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { eventsNamed, newHost } from '../logins.ts'

/**
 * A method that the service does not have: the account that a header names. It says nothing of locks,
 * second factors, passwords that are due or limits, and meets all of them.
 */
suite('an added method of login meets every requirement', async () => {
  const app = await testApp()
  const config = { ...app.deps.config, secondFactor: { requiredOf: ['EDITOR'] as const } }
  const services = await (await createServiceMaker({ ...app.deps, config }, { modules })).all()
  const admin = await app.bearer(app.admin)

  const byHeader = (headers: Headers): Method => ({
    async prove() {
      const username = canonicalUsername(headers['remote-user'] ?? '')
      const account = username && (await services.accounts.byUsername(username))
      if (!account)
        throw new ApiError('invalidCredentials', { reason: { code: 'no_such_account' } })
      return { account, amr: ['user'], authTime: app.clock.now() }
    },
  })

  function enter(
    headers: Headers,
    { address = newHost(), ...sent }: Partial<LoginInput> & { address?: string } = {},
    method = byHeader(headers),
  ): Promise<string> {
    const login = { username: canonicalUsername(headers['remote-user'] ?? ''), address }
    const deps = { ...app.deps, ...services }
    return logIn(
      deps,
      { login, method, sent: { newPassword: undefined, ...sent } },
      tokenResult(deps),
    )
  }

  /** Refused, and nothing but what counts the attempt has changed. */
  async function assertRefused(attempt: () => Promise<string>, row: ErrorName): Promise<ApiError> {
    const counted = ['throttle_places', 'accounts']
    const before = await app.rows(...counted)
    const logins = eventsNamed(app, 'authn_login_success')
    let refusal: unknown
    await attempt().catch((error: unknown) => {
      refusal = error
    })
    assert.ok(refusal instanceof ApiError)
    assert.equal(refusal.row, row)
    assert.deepEqual(await app.rows(...counted), before)
    assert.equal(eventsNamed(app, 'authn_login_success'), logins)
    return refusal
  }

  const change = async (username: string, json: object) => {
    const answer = await app.call('PUT', `/api/admin/accounts/${username}`, {
      headers: admin,
      json,
    })
    assert.equal(answer.status, 200)
  }

  const failuresOf = (userId: number | null) =>
    app.log.filter((line) => line.event === 'authn_login_fail' && line.user_id === userId).length

  test('a login that meets all requirements gets its result', async () => {
    const ann = await app.account('ann')
    const token = await enter({ 'remote-user': 'ann' })
    const me = await app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([me.status, me.body.sub], [200, String(ann.userId)])
    assert.equal(eventsNamed(app, 'authn_login_success') > 0, true)
    assert.deepEqual((await app.rows()).throttle_places, [])
  })

  test('usable: a locked or disabled account is refused as a guess, and counted', async () => {
    for (const flag of [{ locked: true }, { active: false }]) {
      const name = Object.keys(flag)[0] ?? ''
      const { userId } = await app.account(name)
      await change(name, flag)
      await assertRefused(() => enter({ 'remote-user': name }), 'invalidCredentials')
      assert.equal(failuresOf(userId), 1)
    }
    await assertRefused(() => enter({ 'remote-user': 'unknown' }), 'invalidCredentials')
    assert.equal(failuresOf(null), 1)
  })

  test('the limits: five failures, and the sixth attempt is not judged', async () => {
    await app.account('max')
    await change('max', { locked: true })
    const address = newHost()
    for (let tries = 0; tries < 5; tries += 1) {
      await assertRefused(() => enter({ 'remote-user': 'max' }, { address }), 'invalidCredentials')
    }
    await assertRefused(() => enter({ 'remote-user': 'max' }, { address }), 'tooManyLoginAttempts')
  })

  test('not locked out: ten failures in a row over all addresses', async () => {
    const { userId } = await app.account('lou')
    for (let tries = 0; tries < 10; tries += 1) {
      const call = { json: { username: 'lou', password: 'wrong' }, from: newHost() }
      assert.equal((await app.call('POST', '/login', call)).status, 401)
    }
    await assertRefused(() => enter({ 'remote-user': 'lou' }), 'invalidCredentials')
    assert.equal(failuresOf(userId), 11)
  })

  test('second factor: asked for, and a code counts once', async () => {
    const { who, device } = await enrolled(app, 'tom')
    const headers = { 'remote-user': who.username }
    const asked = await assertRefused(() => enter(headers), 'secondFactorRequired')
    assert.deepEqual(asked.extra, { second_factor: 'totp' })
    const totp = device.code()
    assert.ok(await enter(headers, { totp }))
    await assertRefused(() => enter(headers, { totp }), 'invalidCredentials')
    assert.equal(failuresOf(who.userId), 0, 'a wrong code is told as one')
    assert.equal(eventsNamed(app, 'mfa_fail'), 1)
  })

  test('password change: asked for, and done', async () => {
    await app.account('sue', ['USER'], { must_change: true })
    const headers = { 'remote-user': 'sue' }
    await assertRefused(() => enter(headers), 'passwordChangeRequired')
    assert.ok(await enter(headers, { newPassword: 'harbour violet 88 anthem' }))
    const more = { newPassword: 'harbour violet 89 anthem' }
    await assertRefused(() => enter(headers, more), 'validationFailed')
  })

  test('enrolment: refused with a token that opens the enrolment alone', async () => {
    await app.account('eve', ['EDITOR'])
    const { extra } = await assertRefused(
      () => enter({ 'remote-user': 'eve' }),
      'enrolmentRequired',
    )
    const authorization = `Bearer ${extra?.enrolment_token}`
    const begun = await app.call('POST', '/api/account/totp', { headers: { authorization } })
    assert.equal(begun.status, 201)
    const me = await app.call('GET', '/api/me', { headers: { authorization } })
    assert.equal(me.status, 401)
  })

  const meanwhile: readonly (readonly [string, (username: string) => Promise<unknown>])[] = [
    ['locked', (username) => change(username, { locked: true })],
    ['disabled', (username) => change(username, { active: false })],
    ['given another password', (username) => change(username, { password: 'another 77 harbour' })],
    [
      'deleted',
      (username) => app.call('DELETE', `/api/admin/accounts/${username}`, { headers: admin }),
    ],
    [
      'locked by failures',
      (username) =>
        app.deps.db
          .updateTable('accounts')
          .set({ locked_until: app.clock.now() + 60_000 })
          .where('username', '=', username)
          .execute(),
    ],
  ]
  for (const [index, [what, happens]] of meanwhile.entries()) {
    test(`unchanged: an account that is ${what} after it was proved is refused`, async () => {
      const username = `late${index}`
      const { userId } = await app.account(username)
      const method = byHeader({ 'remote-user': username })
      const refusal = await enter(
        { 'remote-user': username },
        {},
        {
          ...method,
          accepted: async () => void (await happens(username)),
        },
      ).catch((error: unknown) => error)
      assert.ok(refusal instanceof ApiError)
      assert.equal(refusal.row, 'invalidCredentials')
      assert.equal(failuresOf(userId), 1, 'it is told as a failed login')
    })
  }
})
