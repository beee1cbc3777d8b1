// A database makes a difference: refusals are kept in a table.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError, type ReasonFacts } from '../../src/core/errors.ts'
import { assertDistinctReasons } from '../../src/core/module/registry.ts'
import { guards } from '../../src/core/reasons/types.ts'
import { modules } from '../../src/modules.ts'
import { type Answer, passwordOf, type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { otherCode } from '../confirmations.ts'
import { mailboxes } from '../emails.ts'
import { beginEnrolment, enrolled } from '../factor.ts'
import { accessClaims, forge, hs256, type Json, refreshSigner, secondsOf } from '../forge.ts'
import { newHost } from '../logins.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { invited, mailboxOf, profileOf } from '../registration.ts'

const secret = 'only the tests of reasons know 0f this one'
const reasons = Object.fromEntries(await assertDistinctReasons(modules))
const sign = (payload: unknown, header: Json = {}) =>
  forge({ alg: 'HS256', typ: 'JWT', ...header }, payload, hs256(secret))

/** Runs the job that writes the refusals. */
export async function written({ app }: TestApp): Promise<void> {
  await app.jobs.find(({ name }) => name === 'refusals')?.run()
}

suite('each refusal keeps its true reason, and its client sees one text', async () => {
  const app = await testApp({
    TOKEN_SECRET: secret,
    LOGIN_LOCK_AFTER: '3',
    LOGIN_ATTEMPTS: '4',
    LOGIN_IP_ATTEMPTS: '6',
    REFRESH_ROTATION: 'on',
    REFRESH_GRACE_SECONDS: '0',
    MAIL_REQUESTS_PER_CLIENT: '2',
  })
  const { call } = app
  const [mailbox, addresses] = [await mailboxOf(app), await mailboxes(app)]
  const admin = await app.bearer(app.admin)
  const asAdmin = (method: string, path: string, json?: object) =>
    call(method, path, { headers: admin, ...(json && { json }) })
  const ann = await app.account('ann')
  const annsBearer = await app.bearer(ann)
  let made = 0
  /** A new account, changed by an administrator. */
  async function someone(changes?: object) {
    const who = await app.account(`someone${++made}`)
    if (changes) await asAdmin('PUT', `/api/admin/accounts/${who.username}`, changes)
    return who
  }
  const logIn = (username: string, password: string, more: object = {}, from = newHost()) =>
    call('POST', '/login', { json: { username, password, ...more }, from })
  const byBearer = (token: string) =>
    call('GET', '/users', { headers: { authorization: `Bearer ${token}` } })
  const byBasic = (authorization: string, from = newHost()) =>
    call('GET', '/users', { headers: { authorization }, from })
  const byCookie = (value: string) =>
    call('GET', '/users', { headers: { cookie: `JSESSIONID=${value}` } })
  const refresh = (refresh_token: unknown) => call('POST', '/refresh', { json: { refresh_token } })
  const withClaims = (changes: Json) => byBearer(sign(accessClaims(app, changes)))
  const refreshClaims = { iss: app.deps.config.token.issuer, sub: '1', type: 'refresh' }

  async function forgedRefresh(changes: Json): Promise<Answer> {
    const now = secondsOf(app)
    const claims = { ...refreshClaims, iat: now, exp: now + 600, ...changes }
    const header = { alg: 'HS256', rid: 'a-rid', ver: 1 }
    return refresh(forge(header, claims, await refreshSigner(app)))
  }

  /** An account that waits for the proof of an address, with what was mailed. */
  async function waitingProof() {
    const who = await someone()
    const email = `${who.username}@example.org`
    const json = { email, current_password: who.password }
    const sent = { headers: await app.session(who), from: newHost(), json }
    const { body } = await call('PUT', '/api/account/email', sent)
    return { who, email, id: body.id, ...(await addresses.confirmations.mailed(body.id)) }
  }
  const invitation = (headers = admin) =>
    invited(app, mailbox, { email: `someone${++made}@example.org`, roles: ['USER'] }, headers)

  /** Each does something first, and answers what is refused. The text is that of the error table. */
  const table: readonly (readonly [keyof ReasonFacts, string, () => Promise<Answer>])[] = [
    ['username_absent', 'Invalid credentials', () => logIn('', 'any password')],
    [
      'username_absent',
      'Invalid credentials',
      () => call('POST', '/login', { form: { user: 'ann', pass: 'x' }, from: newHost() }),
    ],
    [
      'username_absent',
      'Invalid credentials',
      () => call('POST', '/login', { json: { username: 7, password: 'x' }, from: newHost() }),
    ],
    ['credentials_incomplete', 'Invalid credentials', () => logIn('ann', '')],
    ['username_invalid', 'Invalid credentials', () => logIn('a:b', 'any password')],
    ['no_such_account', 'Invalid credentials', () => logIn('a stranger', 'any password')],
    ['wrong_password', 'Invalid credentials', () => logIn('ann', 'not the password')],
    [
      'account_without_password',
      'Invalid credentials',
      async () => {
        const { username, userId } = await someone()
        await app.deps.db.deleteFrom('passwords').where('account', '=', userId).execute()
        return logIn(username, 'any password')
      },
    ],
    [
      'account_locked',
      'Invalid credentials',
      async () => {
        const { username, password } = await someone({ locked: true })
        return logIn(username, password)
      },
    ],
    [
      'account_disabled',
      'Invalid credentials',
      async () => {
        const { username, password } = await someone({ active: false })
        return logIn(username, password)
      },
    ],
    [
      'account_locked_out',
      'Invalid credentials',
      async () => {
        const { username, password } = await someone()
        for (let guess = 0; guess < 3; guess += 1) await logIn(username, 'wrong')
        return logIn(username, password)
      },
    ],
    [
      'second_factor_wrong',
      'Invalid credentials',
      async () => {
        const { who } = await enrolled(app, `someone${++made}`)
        return logIn(who.username, who.password, { totp: '000000' })
      },
    ],
    [
      'recovery_code_wrong',
      'Invalid credentials',
      async () => {
        const { who } = await enrolled(app, `someone${++made}`)
        return logIn(who.username, who.password, { recovery_code: 'none' })
      },
    ],
    [
      'second_factor_absent',
      'Second factor required',
      async () => {
        const { who } = await enrolled(app, `someone${++made}`)
        return logIn(who.username, who.password)
      },
    ],
    [
      'password_change_absent',
      'Password change required',
      async () => {
        const { username, password } = await someone({ must_change: true })
        return logIn(username, password)
      },
    ],
    [
      'limit_username_address',
      'Too many login attempts',
      async () => {
        const from = newHost()
        for (let guess = 0; guess < 4; guess += 1) await logIn('a stranger', 'wrong', {}, from)
        return logIn('a stranger', 'wrong', {}, from)
      },
    ],
    [
      'limit_address',
      'Too many login attempts',
      async () => {
        const from = newHost()
        for (let guess = 0; guess < 6; guess += 1) await logIn(`stranger ${guess}`, 'no', {}, from)
        return logIn('ann', ann.password, {}, from)
      },
    ],
    [
      'limit_second_factor',
      'Too many login attempts',
      async () => {
        const headers = await app.session(await someone())
        await beginEnrolment(app, headers)
        const ask = () => call('PUT', '/api/account/totp', { headers, json: { totp: '000000' } })
        for (let guess = 0; guess < 5; guess += 1) await ask()
        return ask()
      },
    ],

    ['no_credential', 'Authentication required', () => call('GET', '/users')],
    ['basic_malformed', 'Authentication required', () => byBasic('Basic ????')],
    [
      'wrong_password',
      'Authentication required',
      () => byBasic(`Basic ${Buffer.from('ann:wrong').toString('base64')}`),
    ],
    [
      'account_needs_factor',
      'Authentication required',
      async () => {
        const { who } = await enrolled(app, `someone${++made}`)
        return byBasic(app.basic(who).authorization ?? '')
      },
    ],
    [
      'account_must_change_password',
      'Authentication required',
      async () => byBasic(app.basic(await someone({ must_change: true })).authorization ?? ''),
    ],
    ['session_malformed', 'Authentication required', () => byCookie('none')],
    ['session_unknown', 'Authentication required', () => byCookie('A'.repeat(43))],
    [
      'session_ended_with_logins',
      'Authentication required',
      async () => {
        const who = await someone()
        const { cookie } = await app.session(who)
        await asAdmin('PUT', `/api/admin/accounts/${who.username}`, { locked: true })
        return call('GET', '/users', { headers: { cookie } })
      },
    ],

    ['token_malformed', 'Invalid or expired token', () => byBearer('none')],
    ['token_extension', 'Invalid or expired token', () => byBearer(sign({}, { crit: ['x'] }))],
    ['token_unknown_key', 'Invalid or expired token', () => byBearer(sign({}, { kid: 'gone' }))],
    [
      'token_wrong_algorithm',
      'Invalid or expired token',
      () => byBearer(sign(accessClaims(app), { alg: 'HS512' })),
    ],
    [
      'token_bad_signature',
      'Invalid or expired token',
      () => byBearer(forge({ alg: 'HS256' }, accessClaims(app), hs256('another'))),
    ],
    ['token_payload_malformed', 'Invalid or expired token', () => byBearer(sign('no JSON'))],
    ['claim_type', 'Invalid or expired token', () => withClaims({ type: 'refresh' })],
    ['claim_iss', 'Invalid or expired token', () => withClaims({ iss: 'http://other' })],
    ['claim_sub', 'Invalid or expired token', () => withClaims({ sub: 'ann' })],
    ['claim_malformed', 'Invalid or expired token', () => withClaims({ roles: 'ADMIN' })],
    ['claim_exp', 'Invalid or expired token', () => withClaims({ exp: secondsOf(app) - 5 })],
    ['claim_nbf', 'Invalid or expired token', () => withClaims({ nbf: secondsOf(app) + 60 })],
    ['claim_iat', 'Invalid or expired token', () => withClaims({ iat: secondsOf(app) + 60 })],
    ['claim_aud', 'Invalid or expired token', () => withClaims({ aud: 'another' })],
    [
      'token_revoked',
      'Invalid or expired token',
      async () => {
        const token = await app.token(ann)
        await asAdmin('POST', '/api/admin/tokens/revoke', { token })
        return byBearer(token)
      },
    ],
    [
      'token_signed_out',
      'Invalid or expired token',
      async () => {
        const who = await someone()
        const token = await app.token(who)
        await asAdmin('PUT', `/api/admin/accounts/${who.username}`, { roles: ['EDITOR'] })
        return byBearer(token)
      },
    ],
    [
      'token_pair_ended',
      'Invalid or expired token',
      async () => {
        const { access_token } = await app.pair(ann)
        const headers = { authorization: `Bearer ${access_token}` }
        await call('POST', '/logout', { headers })
        return byBearer(access_token)
      },
    ],
    ['refresh_token_absent', 'Invalid refresh token', () => refresh('')],
    ['claim_exp', 'Invalid refresh token', () => forgedRefresh({ exp: secondsOf(app) })],
    ['refresh_account_gone', 'Invalid refresh token', () => forgedRefresh({ sub: '99999' })],
    [
      'account_changed',
      'Invalid refresh token',
      async () => {
        const who = await someone()
        const { refresh_token } = await app.pair(who)
        const json = { password: 'a new pass phrase of theirs' }
        await asAdmin('PUT', `/api/admin/accounts/${who.username}`, json)
        return refresh(refresh_token)
      },
    ],
    [
      'refresh_token_reused',
      'Invalid refresh token',
      async () => {
        const { refresh_token } = await app.pair(ann)
        await refresh(refresh_token)
        return refresh(refresh_token)
      },
    ],
    [
      'token_pair_ended',
      'Invalid refresh token',
      async () => {
        const { refresh_token } = await app.pair(ann)
        await call('POST', '/logout', { json: { refresh_token } })
        return refresh(refresh_token)
      },
    ],

    [
      'csrf_token_absent',
      'CSRF token invalid',
      async () => {
        const { cookie } = await app.session(ann)
        return call('POST', '/api/posts', { headers: { cookie }, json: {} })
      },
    ],
    [
      'csrf_token_other',
      'CSRF token invalid',
      async () => {
        const { cookie } = await app.session(ann)
        return call('POST', '/api/posts', { headers: { cookie, 'x-csrf-token': 'x' }, json: {} })
      },
    ],
    [
      'foreign_page',
      'Access denied',
      () =>
        call('POST', '/login', {
          headers: { origin: 'https://evil.example' },
          json: { username: 'ann', password: 'wrong' },
        }),
    ],
    [
      'cross_site_request',
      'Access denied',
      () =>
        call('DELETE', '/users/1', {
          headers: {
            ...app.basic(ann),
            'sec-fetch-site': 'cross-site',
            origin: 'https://evil.example',
          },
        }),
    ],
    ['role_lacking', 'Access denied', () => call('DELETE', '/users/1', { headers: annsBearer })],
    [
      'resource_rule',
      'Access denied',
      () => call('PUT', '/users/1', { headers: annsBearer, json: { name: 'Ann' } }),
    ],
    [
      'own_account_here',
      'Access denied',
      () => asAdmin('PUT', '/api/admin/accounts/admin', { password: 'another pass phrase' }),
    ],
    ['unknown_route', 'Route not found', () => call('GET', '/no/such')],
    ['unknown_route_of_group', 'Route not found', () => asAdmin('GET', '/api/admin/no/such')],
    ['empty_parameter', 'Route not found', () => call('GET', '/users/', { headers: annsBearer })],
    ['captchas_off', 'Route not found', () => call('GET', '/api/public/captcha')],
    ['resource_absent', 'User not found', () => asAdmin('GET', '/users/99999')],
    [
      'no_such_user',
      'User not found',
      () =>
        asAdmin('POST', '/api/admin/accounts', {
          ...{ username: 'new', password: 'another pass phrase', roles: [], user_id: 99_999 },
        }),
    ],
    ['unknown_refusal', 'Refusal not found', () => asAdmin('GET', '/api/admin/explain/none')],
    [
      'body_not_json',
      'Invalid request body',
      () =>
        call('POST', '/users', {
          headers: { ...admin, 'content-type': 'application/json' },
          body: '{',
        }),
    ],
    ['body_empty', 'Invalid request body', () => call('POST', '/users', { headers: admin })],
    [
      'body_of_other_type',
      'Invalid request body',
      () =>
        call('POST', '/users', { headers: { ...admin, 'content-type': 'text/plain' }, body: 'x' }),
    ],
    [
      'body_not_utf8',
      'Invalid request body',
      () =>
        call('POST', '/users', {
          headers: { ...admin, 'content-type': 'application/json' },
          body: Buffer.from([0x22, 0xff, 0x22]),
        }),
    ],
    [
      'form_malformed',
      'Invalid request body',
      () =>
        call('POST', '/login', {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'username=%ff&password=x',
        }),
    ],
    [
      'body_too_large',
      'Request body too large',
      () => asAdmin('POST', '/api/admin/explain', { token: 'x'.repeat(17_000) }),
    ],
    [
      'etag_differs',
      'Precondition failed',
      () =>
        call('PUT', '/users/1', {
          headers: { ...admin, 'if-match': '"old"' },
          json: { name: 'A' },
        }),
    ],
    [
      'idempotency_key_reused',
      'Idempotency key reused',
      async () => {
        const headers = { ...admin, 'idempotency-key': 'once' }
        const json = { name: 'A', email: 'a@example.org' }
        await call('POST', '/users', { headers, json })
        return call('POST', '/users', { headers, json: { ...json, name: 'B' } })
      },
    ],
    [
      'idempotency_answer_erased',
      'Idempotency key reused',
      async () => {
        const headers = { ...admin, 'idempotency-key': 'once-erased' }
        const json = { name: 'A', email: 'a@example.org' }
        const { body } = await call('POST', '/users', { headers, json })
        await call('DELETE', `/users/${body.id}`, { headers: admin })
        return call('POST', '/users', { headers, json })
      },
    ],
    [
      'username_taken',
      'Username already exists',
      () =>
        asAdmin('POST', '/api/admin/accounts', {
          ...{ username: 'ann', password: 'another pass phrase', roles: [] },
          ...{ name: 'A', email: 'a@example.org' },
        }),
    ],
    [
      'last_administrator',
      'Last administrator',
      () => asAdmin('PUT', '/api/admin/accounts/admin', { active: false }),
    ],

    [
      'confirmation_malformed',
      'Invalid or expired code',
      () => addresses.confirm({ token: 'no.token' }),
    ],
    [
      'confirmation_unknown',
      'Invalid or expired code',
      () => addresses.confirm({ token: `${'A'.repeat(22)}.${'A'.repeat(43)}` }),
    ],
    [
      'confirmation_wrong',
      'Invalid or expired code',
      async () => {
        const { id, code } = await waitingProof()
        return addresses.confirm({ id, code: otherCode(code) })
      },
    ],
    [
      'confirmation_tries_used',
      'Invalid or expired code',
      async () => {
        const { id, code } = await waitingProof()
        for (let tries = 1; tries <= 5; tries += 1) {
          await addresses.confirm({ id, code: otherCode(code, tries) })
        }
        return addresses.confirm({ id, code })
      },
    ],
    [
      'confirmation_used',
      'Invalid or expired code',
      async () => {
        const { token } = await waitingProof()
        await addresses.confirm({ token })
        return addresses.confirm({ token })
      },
    ],
    [
      'confirmation_outlived',
      'Invalid or expired code',
      async () => {
        const { who, token } = await waitingProof()
        await asAdmin('PUT', `/api/admin/accounts/${who.username}`, { locked: true })
        return addresses.confirm({ token })
      },
    ],
    [
      'confirmation_of_another_purpose',
      'Invalid or expired code',
      async () => {
        const { token } = await waitingProof()
        return call('POST', '/api/public/invitation', {
          json: { token, ...profileOf('another') },
        })
      },
    ],
    [
      'email_of_another',
      'Email already in use',
      async () => {
        const { email, token } = await waitingProof()
        await verifyAddress(app, await someone(), email)
        return addresses.confirm({ token })
      },
    ],
    [
      'email_not_verified',
      'No verified email',
      async () => {
        const { username } = await someone()
        return asAdmin('DELETE', `/api/admin/accounts/${username}/email`)
      },
    ],
    [
      'sign_up_not_open',
      'Sign-up is off',
      () => call('POST', '/api/public/sign-up', { json: { email: 'new@example.org' } }),
    ],
    [
      'address_taken',
      'Email already in use',
      async () => {
        await verifyAddress(app, ann, 'ann@example.org')
        const json = { email: 'Ann@EXAMPLE.org', roles: [] }
        return asAdmin('POST', '/api/admin/invitations', json)
      },
    ],
    [
      'no_such_invitation',
      'Invitation not found',
      () => asAdmin('DELETE', '/api/admin/invitations/99999'),
    ],
    [
      'invitation_closed',
      'Invitation already closed',
      async () => {
        const { id } = await invitation()
        await asAdmin('DELETE', `/api/admin/invitations/${id}`)
        return asAdmin('POST', `/api/admin/invitations/${id}/resend`)
      },
    ],
    [
      'inviter_not_allowed',
      'Invalid or expired code',
      async () => {
        const boss = await app.account(`someone${++made}`, ['ADMIN'])
        const { token } = await invitation(await app.bearer(boss))
        await asAdmin('PUT', `/api/admin/accounts/${boss.username}`, { roles: [] })
        return call('POST', '/api/public/invitation', { json: { token, ...profileOf('invited') } })
      },
    ],
    [
      'limit_taken_usernames',
      'Too many requests',
      async () => {
        const { token } = await invitation()
        const taken = { ...profileOf('invited'), username: 'ann' }
        // Not of the network of other tests.
        const accept = () =>
          call('POST', '/api/public/invitation', { json: { token, ...taken }, from: newHost() })
        for (let refused = 0; refused < 10; refused += 1) await accept()
        return accept()
      },
    ],
    [
      'limit_mail_of_client',
      'Too many requests',
      async () => {
        const who = await someone()
        const headers = await app.session(who)
        const from = newHost()
        const ask = () =>
          call('PUT', '/api/account/email', {
            headers,
            from,
            json: { email: `someone${++made}@example.org`, current_password: who.password },
          })
        for (let mails = 0; mails < 2; mails += 1) await ask()
        return ask()
      },
    ],
  ]

  const bodies = new Map<string, string>()
  const headersOf = new Map<string, string>()
  // What differs by request, and not by reason.
  const ofRequest = new Set(['x-request-id', 'date', 'retry-after', 'content-length'])

  for (const [code, text, act] of table) {
    test(`${code} behind "${text}"`, async () => {
      const answer = await act()
      assert.equal(answer.body.error, text)
      if (text !== 'Second factor required') assert.deepEqual(Object.keys(answer.body), ['error'])
      const known = bodies.get(text) ?? answer.text
      assert.equal(answer.text, known)
      bodies.set(text, known)
      const shape = JSON.stringify(
        Object.entries(answer.headers)
          .filter(([name]) => !ofRequest.has(name) && name !== 'www-authenticate')
          .map(([name, value]) => [name, value]),
      )
      if (answer.status === 401) {
        assert.equal(shape, headersOf.get(text) ?? shape)
        headersOf.set(text, shape)
      }
      const id = String(answer.headers['x-request-id'])
      const why = await asAdmin('GET', `/api/admin/explain/${id}`)
      assert.equal(why.status, 200)
      assert.deepEqual(
        [why.body.id, why.body.code, why.body.error, why.body.status, why.body.explanation],
        [id, code, text, answer.status, reasons[code]?.explanation],
      )
      assert.deepEqual(Object.keys(why.body.facts).sort(), [...(reasons[code]?.facts ?? [])].sort())
    })
  }

  test('the facts say what an operator needs, and times as ISO 8601', async () => {
    const { username, userId, password } = await someone()
    for (let guess = 0; guess < 3; guess += 1) await logIn(username, 'wrong')
    const answer = await logIn(username, password)
    const path = `/api/admin/explain/${answer.headers['x-request-id']}`
    const { body } = await asAdmin('GET', path)
    const until = new Date(app.clock.now() + 1800_000).toISOString()
    assert.deepEqual(body.facts, { user_id: userId, asked_of: 'login', until })
    assert.deepEqual(
      [body.subject, body.username, body.route],
      [String(userId), username, '/login'],
    )
  })

  test('what a rule lacks is named: the owner, the roles', async () => {
    const answer = await call('PUT', '/users/1', { headers: annsBearer, json: { name: 'Ann' } })
    const { body } = await asAdmin('GET', `/api/admin/explain/${answer.headers['x-request-id']}`)
    assert.deepEqual(body.facts, {
      rule: 'owner or ADMIN',
      lacks: ['to be the owner, who is user 1', 'the role ADMIN'],
    })
    assert.deepEqual([body.scheme, body.subject], ['bearer', String(ann.userId)])
  })

  test('an unlisted error is shown by its name', async () => {
    const { headers } = await asAdmin('GET', '/api/admin/webhooks/absent')
    const { body } = await asAdmin('GET', `/api/admin/explain/${headers['x-request-id']}`)
    assert.equal(body.error, 'webhookNotFound')
  })

  test('a session that timed out says which of its limits it has met', async () => {
    const [idle, old] = [await app.session(ann), await app.session(ann)]
    const askBy = (cookie: string) => call('GET', '/api/session', { headers: { cookie } })
    const codeOf = async (answer: Answer) => {
      const path = `/api/admin/explain/${answer.headers['x-request-id']}`
      return (await call('GET', path, { headers: await app.bearer(app.admin) })).body.code
    }
    for (let minutes = 0; minutes < 29 * 25; minutes += 29) {
      app.clock.advance(29 * 60)
      if (minutes < 29 * 24) await askBy(old.cookie)
    }
    assert.equal(await codeOf(await askBy(idle.cookie)), 'session_idle')
    assert.equal(await codeOf(await askBy(old.cookie)), 'session_too_old')
  })
})

suite('the registry of reasons', () => {
  test('each has a guard and one explanation of its own, in a sentence', () => {
    const all = Object.values(reasons)
    assert.equal(new Set(all.map(({ explanation }) => explanation)).size, all.length)
    for (const [code, { explanation, guard }] of Object.entries(reasons)) {
      assert.match(code, /^([a-z]+(_[a-z0-9]+)*|x-[a-z0-9-]+)$/)
      assert.match(explanation, /^[A-Z].{15,}\.$/, code)
      assert.ok(guards.includes(guard), code)
    }
  })

  test('no reason is declared twice', async () => {
    await assertDistinctReasons(modules)
  })

  test('a refusal without its reason, or with one that is unknown or lacks a fact, does not compile', () => {
    const row = 'accessDenied'
    // @ts-expect-error: the options are required
    assert.throws(() => new ApiError(row))
    // @ts-expect-error: the reason is required
    assert.equal(new ApiError(row, {}).reason, undefined)
    // @ts-expect-error: no such code
    assert.ok(new ApiError(row, { reason: { code: 'no_such_code' } }))
    // @ts-expect-error: its fact is missing
    assert.ok(new ApiError(row, { reason: { code: 'wrong_password' } }))
    // @ts-expect-error: its fact has another name
    assert.ok(new ApiError(row, { reason: { code: 'wrong_password', facts: { user: 1 } } }))
    assert.ok(new ApiError(row, { reason: { code: 'wrong_password', facts: { user_id: 1 } } }))
    assert.ok(new ApiError(row, { reason: { code: 'x-of-a-module', facts: { any: 1 } } }))
  })
})

suite('questions before a refusal', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })
  const admin = await app.bearer(app.admin)
  const ask = (json: object, headers = admin) =>
    app.call('POST', '/api/admin/explain', { headers, json })
  const ann = await app.account('ann')
  const cli = (words: string, stdin = '') =>
    gatehouse(app.directory, words, { stdin, clock: app.clock, env: { TOKEN_SECRET: secret } })

  test('an account at a route: the first guard that refuses, and all of them in order', async () => {
    const before = await app.rows()
    const { body } = await ask({ username: 'ANN', route: 'PUT /users/1' })
    assert.deepEqual(
      [body.passes, body.status, body.error, body.code, body.route, body.rule, body.username],
      [false, 403, 'Access denied', 'resource_rule', '/users/:id', 'owner or ADMIN', 'ann'],
    )
    const asked = body.checks.map(({ asks, passes }: { asks: string; passes: boolean }) => [
      asks,
      passes,
    ])
    assert.deepEqual(asked, [
      ['authentication by basic', true],
      ['authentication by session', true],
      ['authentication by bearer', true],
      ['the rule: owner or ADMIN', true],
      ['X-CSRF-Token of the session, if that authenticates', true],
      ['no page of another site, with Basic', true],
      ['the present version of the resource, if If-Match is sent', true],
      ['the rule for this resource', false],
      ['the resource exists', true],
    ])
    const own = await ask({ username: 'ann', route: `put /users/${ann.userId}?x=1` })
    assert.deepEqual([own.body.passes, own.body.code], [true, null])
    assert.deepEqual(await app.rows(), before)
  })

  test('it says what the service then does, for many routes and accounts', async () => {
    await app.account('ed', ['EDITOR'])
    const locked = await app.account('locked')
    const post = await app.call('POST', '/api/posts', { headers: admin, json: { title: 'One' } })
    const postId = post.body.id
    const path = `/api/admin/posts/${postId}/lock`
    await app.call('PUT', path, { headers: admin })
    for (const [username, route] of [
      ['ann', 'GET /users'],
      ['ann', 'GET /users/1'],
      ['ann', 'DELETE /users/1'],
      ['ann', 'GET /users/99999'],
      ['admin', 'GET /users/99999'],
      ['ann', 'GET /api/admin/accounts'],
      ['admin', 'GET /api/admin/accounts'],
      ['ann', 'GET /api/admin/no/such'],
      ['admin', 'GET /api/admin/no/such'],
      ['ann', 'GET /no/such'],
      ['ann', 'HEAD /users'],
      ['ed', 'GET /api/editor/posts'],
      ['ed', 'GET /users'],
      ['ann', `GET /api/posts/${postId}`],
      ['ann', 'GET /%75sers'],
      ['ann', 'GET /users/'],
      ['ed', 'GET /api/user/account'],
      ['ann', 'GET /users/%ff'],
      ['ann', 'GET /api/admin/%'],
      ['ann', 'GET /users/1%2f2'],
      ['ann', 'GET /users/1;x'],
      ['ann', 'GET //users'],
      ['ann', 'GET /api//admin/accounts'],
      ['ann', 'GET /api/admin'],
      ['ann', 'GET /api/admin/'],
      ['ann', 'GET /api/%61dmin/accounts'],
      ['ann', 'GET /api/ADMIN/accounts'],
      ['ann', 'GET /metrics'],
      ['admin', 'GET /metrics'],
      ['ann', 'GET /api/admin/explain/'],
    ] as const) {
      const [method = '', url = ''] = route.split(' ')
      const headers = app.basic({ username, password: passwordsOf(username), userId: 0 })
      const real = await app.call(method, url, { headers })
      const { body } = await ask({ username, route })
      const expected = real.status < 400 ? null : real.status
      assert.equal(body.status, expected, `${username} ${route}`)
      if (method !== 'HEAD') assert.equal(body.error, real.body.error ?? null, route)
    }
    const author = await ask({ username: 'admin', route: `PUT /api/posts/${postId}` })
    assert.equal(author.body.passes, true) // its author, also when it is locked
    await app.call('PUT', '/api/admin/accounts/locked', { headers: admin, json: { locked: true } })
    const { body } = await ask({ username: locked.username, route: 'GET /users' })
    assert.deepEqual([body.passes, body.status, body.code], [false, 401, 'account_locked'])
    const login = await ask({ username: locked.username, route: 'POST /login' })
    assert.deepEqual([login.body.error, login.body.code], ['Invalid credentials', 'account_locked'])
  })

  const passwordsOf = (username: string) =>
    username === 'admin' ? app.admin.password : passwordOf(username)

  test('a token: why it would be refused, of each kind, and it is neither used nor kept', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    const before = await app.rows()
    for (const [token, of] of [
      [access_token, 'access token'],
      [refresh_token, 'refresh token'],
    ] as const) {
      const { body } = await ask({ token })
      assert.deepEqual([body.of, body.passes, body.username], [of, true, 'ann'])
    }
    const expired = sign(accessClaims(app, { exp: secondsOf(app) - 60 }))
    const { body } = await ask({ token: expired })
    assert.deepEqual(
      [body.passes, body.code, body.facts.expired_seconds_ago],
      [false, 'claim_exp', 60],
    )
    assert.deepEqual(await app.rows(), before)
    const log = JSON.stringify(app.log)
    for (const token of [access_token, refresh_token, expired]) {
      assert.ok(!log.includes(token.split('.')[2] ?? ''), 'a token stands in the log')
    }
    const again = await app.call('POST', '/refresh', { json: { refresh_token } })
    assert.equal(again.status, 200)
  })

  for (const [what, json] of [
    ['nothing', {}],
    ['both', { token: 'x', username: 'ann', route: 'GET /' }],
    ['a route without a user', { route: 'GET /' }],
    ['a route that is none', { username: 'ann', route: 'users' }],
    ['a route with a control character', { username: 'ann', route: 'GET /\x1b[31m' }],
  ] as const) {
    test(`${what}: 400`, async () => {
      const answer = await ask(json)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
    })
  }

  test('an unknown account: 404', async () => {
    assertRefusal(await ask({ username: 'nobody', route: 'GET /' }), 404, 'Account not found')
  })

  test('a username alone: its login, with what an administrator can do about it now', async () => {
    const own = await testApp({ LOGIN_LOCK_AFTER: '3' })
    const headers = await own.bearer(own.admin)
    const asked = async (json: object) =>
      (await own.call('POST', '/api/admin/explain', { headers, json })).body
    const change = (json: object) => own.call('PUT', '/api/admin/accounts/bea', { headers, json })
    await own.account('bea')
    const free = await asked({ username: 'bea' })
    assert.deepEqual([free.of, free.passes, free.remedies], ['login', true, ['set_password']])
    await change({ locked: true })
    const locked = await asked({ username: 'Bea' })
    assert.deepEqual(
      [locked.passes, locked.code, locked.status, locked.remedies],
      [false, 'account_locked', 401, ['unlock']],
    )
    await change({ locked: false, active: false })
    assert.deepEqual((await asked({ username: 'bea' })).remedies, ['enable'])
    await change({ active: true })
    const guess = { username: 'bea', password: 'a wrong pass phrase' }
    for (let tries = 0; tries < 3; tries += 1) await own.call('POST', '/login', { json: guess })
    const out = await asked({ username: 'bea' })
    assert.deepEqual(
      [out.code, out.remedies],
      ['account_locked_out', ['clear_throttle', 'set_password']],
    )
    await own.call('DELETE', '/api/admin/throttle/bea', { headers })
    assert.equal((await asked({ username: 'bea' })).passes, true)
  })

  test('a limit of the username refuses, and is named with its address', async () => {
    const own = await testApp({ LOGIN_LOCK_AFTER: '0', LOGIN_ATTEMPTS: '3' })
    const headers = await own.bearer(own.admin)
    await own.account('cleo')
    const guess = { json: { username: 'cleo', password: 'wrong' }, from: '203.0.113.7' }
    for (let tries = 0; tries < 3; tries += 1) await own.call('POST', '/login', guess)
    const before = await own.rows()
    const json = { username: 'cleo' }
    const { body } = await own.call('POST', '/api/admin/explain', { headers, json })
    assert.deepEqual(
      [body.status, body.code, body.remedies],
      [429, 'limit_username_address', ['clear_throttle', 'set_password']],
    )
    assert.deepEqual(body.mends, body.remedies, 'the name of the field before 0.13.0')
    assert.equal(body.checks.at(-1).asks, 'fewer failed tries from 203.0.113.7')
    assert.deepEqual(await own.rows(), before)
  })

  test('a refusal by the limit of an address is mended by clearing the address', async () => {
    const own = await testApp({ LOGIN_IP_ATTEMPTS: '2' })
    const headers = await own.bearer(own.admin)
    const from = '2001:db8:3::9'
    const logIn = (username: string, password: string) =>
      own.call('POST', '/login', { json: { username, password }, from })
    for (const name of ['one', 'two']) await logIn(name, 'wrong')
    const refused = await logIn('admin', own.admin.password)
    assert.equal(refused.status, 429)
    await written(own)
    const text = String(refused.headers['x-request-id'])
    const byId = async () => (await own.call('GET', `/api/admin/explain/${text}`, { headers })).body
    const byText = async () =>
      (await own.call('POST', '/api/admin/explain', { headers, json: { text } })).body
    const first = await byId()
    assert.deepEqual(
      [first.code, first.username, first.address, first.remedies],
      ['limit_address', null, from, ['clear_address']],
    )
    assert.deepEqual((await byText()).remedies, ['clear_address'])
    const path = `/api/admin/throttle/addresses/${encodeURIComponent(first.address)}`
    assert.equal((await own.call('DELETE', path, { headers })).body.logins, 2)
    assert.deepEqual([(await byId()).remedies, (await byText()).remedies], [[], []])
    assert.equal((await logIn('admin', own.admin.password)).status, 200)
  })

  test('one text is an id, a name, a mail address or a token', async () => {
    const refused = await app.call('GET', '/users', {})
    await written(app)
    const id = String(refused.headers['x-request-id'])
    const one = (await ask({ text: ` ${id} ` })).body
    assert.deepEqual([one.of, one.code, one.refusal.id], ['refusal', 'no_credential', id])
    const two = (await ask({ text: 'ANN' })).body
    assert.deepEqual([two.of, two.username, two.refusal], ['login', 'ann', null])
    const three = (await ask({ text: sign(accessClaims(app, { aud: 'x' })) })).body
    assert.deepEqual([three.of, three.code], ['access token', 'claim_aud'])
    for (const text of ['', 'nobody', 'a b c', 'x'.repeat(16_000), '\u0000']) {
      assertRefusal(await ask({ text }), 404, 'Refusal not found')
    }
    for (const more of [{ token: 'x' }, { username: 'ann' }, { route: 'GET /' }]) {
      assert.equal((await ask({ text: 'ann', ...more })).status, 400)
    }
  })

  test('no remedy of the own account that asks for its owner', async () => {
    const { body } = await ask({ username: 'admin' })
    assert.deepEqual([body.passes, body.remedies], [true, []])
  })

  test('each explanation is an event that names who asked, and about whom', async () => {
    const from = app.log.length
    await ask({ username: 'ann', route: 'GET /users' })
    const [event] = app.log.slice(from).filter(({ event }) => event === 'sensitive_read')
    assert.deepEqual(
      [event?.what, event?.of, event?.user_id, event?.by],
      ['explain', 'route', ann.userId, '1'],
    )
  })

  test('the command line: an id, a token from standard input, a user at a route', async () => {
    const refused = await app.call('GET', '/users', {})
    await written(app)
    const id = String(refused.headers['x-request-id'])
    const one = await cli(`explain ${id} --json`)
    assert.deepEqual([one.code, JSON.parse(one.stdout).code], [0, 'no_credential'])
    const two = await cli('explain --token --json', sign(accessClaims(app, { aud: 'x' })))
    assert.deepEqual([two.code, JSON.parse(two.stdout).code], [4, 'claim_aud'])
    const three = await cli(`explain --user ann --route 'DELETE /users/1' --json`)
    assert.deepEqual([three.code, JSON.parse(three.stdout).code], [4, 'role_lacking'])
    const four = await cli(`explain --user admin --route 'DELETE /users/1'`)
    assert.equal(four.code, 0)
    for (const words of [
      'explain',
      `explain ${id} --user ann`,
      'explain --route /users',
      'explain x --token',
    ]) {
      assert.equal((await cli(words)).code, 2, words)
    }
    assert.equal((await cli('explain --token=abc')).code, 2)
  })
})
