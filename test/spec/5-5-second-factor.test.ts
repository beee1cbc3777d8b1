import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { codeOfStep } from '../../src/modules/totp/totp.ts'
import { testApp } from '../app.ts'
import { refuseChanges } from '../database.ts'
import { enrol, enrolled, fromBase32 } from '../factor.ts'
import { proofOf } from '../proofs.ts'
import { assertRefusal } from '../refusal.ts'

const invalidCredentials = { error: 'Invalid credentials' }

suite('spec 5.5: second factor', async () => {
  // Many wrong codes from one address: the other limits are tested elsewhere.
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0', LOGIN_LOCK_AFTER: '0' })
  const login = (json: object) => app.call('POST', '/login', { json })

  test('enrolment gives a secret, the URI in its exact form and a QR code as SVG', async () => {
    const ann = await app.account('ann lee')
    const headers = await app.session(ann)
    const json = await proofOf(app, headers)
    const answer = await app.call('POST', '/api/account/totp', { headers, json })
    assert.equal(answer.status, 201)
    assert.deepEqual(Object.keys(answer.body), ['secret', 'uri', 'qr'])
    const { secret, uri, qr } = answer.body
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.equal(uri, `otpauth://totp/Gatehouse:ann%20lee?secret=${secret}&issuer=Gatehouse`)
    assert.match(qr, /^<svg .*<\/svg>$/s)
    assert.doesNotMatch(qr, /data:/)
  })

  test('it counts only once its first code was shown', async () => {
    const bob = await app.account('bob')
    const headers = await app.session(bob)
    const json = await proofOf(app, headers)
    await app.call('POST', '/api/account/totp', { headers, json })
    assert.equal((await login({ username: 'bob', password: bob.password })).status, 200)
    const wrong = await app.call('PUT', '/api/account/totp', { headers, json: { totp: '000000' } })
    assert.equal(wrong.status, 401)
    assert.deepEqual(wrong.body, invalidCredentials)
    const { recoveryCodes } = await enrol(app, headers)
    assert.equal(recoveryCodes.length, 10)
    assert.equal(new Set(recoveryCodes).size, 10)
    const shape = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/ // 16 letters of 5 bits
    for (const code of recoveryCodes) assert.match(code, shape)
    const account = await app.call('GET', '/api/admin/accounts/bob', {
      headers: app.basic(app.admin),
    })
    assert.equal(account.body.second_factor, true)
  })

  test('after the first factor the code is asked for, and only then', async () => {
    const { who, device } = await enrolled(app, 'cleo')
    const right = { username: who.username, password: who.password }
    const without = await login(right)
    assert.equal(without.status, 401)
    assert.deepEqual(without.body, { error: 'Second factor required', second_factor: 'totp' })
    const wrongPassword = await login({
      ...right,
      password: 'not the right one',
      totp: device.code(),
    })
    assert.deepEqual(wrongPassword.body, invalidCredentials)
    const wrongBoth = await login({ ...right, password: 'not the right one' })
    assert.deepEqual(wrongBoth.body, invalidCredentials)
    for (const mode of ['session', 'token', 'pair']) {
      app.clock.advance(30)
      assert.equal((await login({ ...right, mode, totp: device.code() })).status, 200, mode)
    }
    app.clock.advance(30)
    const form = await app.call('POST', '/login', { form: { ...right, totp: device.code() } })
    assert.equal(form.status, 200)
  })

  test('T40: a code is accepted once, also by 50 at the same time, and after a restart', async () => {
    const { who, device } = await enrolled(app, 'dora')
    const json = {
      username: who.username,
      password: who.password,
      totp: device.code(),
      mode: 'token',
    }
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(json)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const again = await testApp({}, { directory: app.directory, clock: app.clock })
    app.clock.advance(900)
    const late = { ...json, totp: device.code() }
    assert.equal((await again.call('POST', '/login', { json: late })).status, 200)
    assert.equal((await login(late)).status, 401)
    const earlier = { ...json, totp: device.code(-1) }
    assert.equal((await login(earlier)).status, 200, 'another code of the window')
    assert.equal((await login(earlier)).status, 401)
  })

  test('each step of the window counts once, in any order: after a restart, and when the clock goes back', async () => {
    const { who, device } = await enrolled(app, 'zora')
    app.clock.advance(90)
    const json = { username: who.username, password: who.password, mode: 'token' }
    const next = { ...json, totp: device.code(1) }
    const present = { ...json, totp: device.code() }
    const last = { ...json, totp: device.code(-1) }
    assert.equal((await login(next)).status, 200)
    const parallel = Array.from({ length: 10 }, () => [login(present), login(last)]).flat()
    const answers = await Promise.all(parallel)
    assert.equal(answers.filter(({ status }) => status === 200).length, 2, 'one of each')
    const again = await testApp({}, { directory: app.directory, clock: app.clock })
    const lift = () =>
      app.call('DELETE', `/api/admin/throttle/${who.username}`, { headers: app.basic(app.admin) })
    const assertUsed = async (codes: readonly object[]) => {
      await lift()
      const before = await app.rows('throttle_places', 'accounts')
      for (const code of codes) {
        const answer = await again.call('POST', '/login', { json: code })
        assert.deepEqual([answer.status, answer.body], [401, invalidCredentials])
      }
      assert.deepEqual(await app.rows('throttle_places', 'accounts'), before)
    }
    await assertUsed([next, present, last])
    app.clock.advance(600)
    assert.equal((await login({ ...json, totp: device.code() })).status, 200)
    app.clock.advance(-600)
    await assertUsed([next, present, last])
    app.clock.advance(-60)
    assert.equal((await login({ ...json, totp: device.code() })).status, 200, 'not used before')
    await assertUsed([{ ...json, totp: device.code() }])
    app.clock.advance(-3600)
    await assertUsed([{ ...json, totp: device.code() }]) // whether it was used is forgotten
    app.clock.advance(3600 + 60)
    await again.close()
  })

  test('a factor of an earlier version: the last code was used, and those before it', async () => {
    const { who, device } = await enrolled(app, 'older')
    const at = (steps: number) => Math.floor(app.clock.now() / 30_000) + steps
    const asMigrated = { last_step: at(0), used_steps: 2 ** 52 - 1 }
    const factor = app.deps.db.updateTable('second_factors').set(asMigrated)
    await factor.where('user_id', '=', who.userId).execute()
    const json = { username: who.username, password: who.password }
    const statuses: number[] = []
    for (const steps of [0, -1, 1]) {
      statuses.push((await login({ ...json, totp: device.code(steps) })).status)
    }
    assert.deepEqual(statuses, [401, 401, 200])
  })

  test('a confirmation without a code is 400, and not counted', async () => {
    const headers = await app.session(await app.account('codeless'))
    const proof = await proofOf(app, headers)
    await app.call('POST', '/api/account/totp', { headers, json: proof })
    const before = await app.rows()
    for (const path of ['/api/account/totp', '/api/user/account/totp']) {
      for (const json of [{}, { totp: null }, { totp: '' }, { recovery_code: 'x' }]) {
        const answer = await app.call('PUT', path, { headers, json })
        const details = [{ path: ['totp'], message: 'is required' }]
        assertRefusal(answer, 400, 'Validation failed', path, { details })
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  for (const base of ['/api/account', '/api/user/account']) {
    test(`the removal of a factor that is not there, at ${base}: 404, and nothing changes`, async () => {
      const who = await app.account(`bare of ${base.length}`)
      const headers = await app.session(who)
      const remove = (more: object) => app.call('DELETE', `${base}/totp`, { headers, ...more })
      const assertAbsent = async () => {
        const before = await app.rows()
        for (const more of [
          { json: {} },
          { json: { totp: '000000' } },
          { json: { recovery_code: 'none', current_password: who.password } },
          { json: { captcha: 5 } }, // 404 comes before 400
          {},
        ]) {
          assertRefusal(await remove(more), 404, 'Second factor not found')
        }
        assert.deepEqual(await app.rows(), before)
      }
      await assertAbsent()
      const { 'x-csrf-token': token, ...without } = headers
      const forged = await app.call('DELETE', `${base}/totp`, { headers: without, json: {} })
      assertRefusal(forged, 403, 'CSRF token invalid')
      const nobody = await app.call('DELETE', `${base}/totp`, { json: {} })
      assertRefusal(nobody, 401, 'Authentication required')
      const begun = await app.call('POST', `${base}/totp`, {
        headers,
        json: await proofOf(app, headers),
      })
      await assertAbsent() // an enrolment that is under way is no factor, and goes on
      const totp = codeOfStep(fromBase32(begun.body.secret), Math.floor(app.clock.now() / 30_000))
      const confirmed = await app.call('PUT', `${base}/totp`, { headers, json: { totp } })
      assert.equal(confirmed.status, 200)
      assert.ok(
        !app.log.some((line) => line.event === 'mfa_removed' && line.user_id === who.userId),
      )
    })
  }

  test('a recovery code stands in for it, once', async () => {
    const { who, device } = await enrolled(app, 'emil')
    const [code = '', other = ''] = device.recoveryCodes
    const json = { username: who.username, password: who.password, recovery_code: code }
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(json)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    app.clock.advance(900)
    const typed = other.toLowerCase().replaceAll('-', ' ')
    assert.equal((await login({ ...json, recovery_code: typed })).status, 200)
    assert.equal((await login(json)).status, 401)
  })

  test('T43: five wrong codes in 15 minutes, from any address, then 429', async () => {
    const { who, device } = await enrolled(app, 'fred')
    const json = { username: who.username, password: who.password, totp: '000000' }
    for (let index = 0; index < 5; index += 1) {
      const answer = await app.call('POST', '/login', { json, from: `10.0.0.${index}` })
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, invalidCredentials)
    }
    const full = { json: { ...json, totp: device.code() }, from: '10.0.0.9' }
    const answer = await app.call('POST', '/login', full)
    assert.equal(answer.status, 429)
    assert.deepEqual(answer.body, { error: 'Too many login attempts' })
    assert.ok(Number(answer.headers['retry-after']) > 0)
    app.clock.advance(900)
    const later = { json: { ...json, totp: device.code() }, from: '10.0.0.9' }
    assert.equal((await app.call('POST', '/login', later)).status, 200)
  })

  test('T41: a code of another form is a wrong one, and counts', async () => {
    const { who, device } = await enrolled(app, 'gwen')
    const right = { username: who.username, password: who.password }
    for (const totp of [Number(device.code()), `${device.code()} `, [device.code()], {}, true]) {
      const answer = await login({ ...right, totp })
      assert.equal(answer.status, 401, JSON.stringify(totp))
      assert.deepEqual(answer.body, invalidCredentials)
    }
    assert.equal((await login({ ...right, totp: device.code() })).status, 429)
  })

  test('T42: Basic and tokens from before do not get round it', async () => {
    const who = await app.account('hugo')
    const pair = await app.pair(who)
    const bearer = { authorization: `Bearer ${pair.access_token}` }
    const headers = await app.session(who)
    const other = await app.session(who)
    assert.equal((await app.call('GET', '/users/1', { headers: app.basic(who) })).status, 200)
    await enrol(app, headers)
    const basic = await app.call('GET', '/users/1', { headers: app.basic(who) })
    assert.equal(basic.status, 401)
    assert.deepEqual(basic.body, { error: 'Authentication required' })
    assert.equal((await app.call('GET', '/users/1', { headers: bearer })).status, 401)
    const { refresh_token } = pair
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 401)
    assert.equal((await app.call('GET', '/api/protected', { headers: other })).status, 401)
    assert.equal(
      (await app.call('GET', '/api/protected', { headers })).status,
      200,
      'its own goes on',
    )
  })

  test('it is removed with a code of it or a recovery code, and not without', async () => {
    const { who, device } = await enrolled(app, 'iris')
    const json = {
      username: who.username,
      password: who.password,
      totp: device.code(),
      mode: 'session',
    }
    const session = await login(json)
    const headers = {
      cookie: `JSESSIONID=${session.cookies.JSESSIONID}`,
      'x-csrf-token': session.body.csrf_token,
    }
    const before = await app.rows('throttle_places', 'sessions')
    const current_password = who.password
    const none = await app.call('DELETE', '/api/account/totp', { headers, json: {} })
    const proofs = ['password', 'totp']
    assertRefusal(none, 401, 'Confirmation required', '', { proofs })
    const used = await app.call('DELETE', '/api/account/totp', {
      headers,
      json: { totp: json.totp, current_password },
    })
    assert.deepEqual(used.body, invalidCredentials)
    assert.deepEqual(await app.rows('throttle_places', 'sessions'), before)
    const [recovery_code] = device.recoveryCodes
    const removed = await app.call('DELETE', '/api/account/totp', {
      headers,
      json: { recovery_code, current_password },
    })
    assert.equal(removed.status, 200)
    assert.deepEqual(removed.body, { message: 'Second factor removed' })
    assert.equal((await login({ username: who.username, password: who.password })).status, 200)
    assert.equal(
      (await app.rows()).recovery_codes?.length,
      (before.recovery_codes?.length ?? 0) - 10,
    )
  })

  test('an administrator can take it away; all logins of the account end', async () => {
    const { who, device } = await enrolled(app, 'lost')
    const right = { username: who.username, password: who.password }
    const login = await app.call('POST', '/login', { json: { ...right, totp: device.code() } })
    const bearer = { authorization: `Bearer ${login.body.token}` }
    const path = '/api/admin/accounts/lost/second-factor'
    const answer = await app.call('DELETE', path, { headers: app.basic(app.admin) })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.second_factor, false)
    assert.equal((await app.call('GET', '/users/1', { headers: bearer })).status, 401)
    assert.equal((await app.call('POST', '/login', { json: right })).status, 200)
    const none = await app.call('DELETE', '/api/admin/accounts/nobody/second-factor', {
      headers: app.basic(app.admin),
    })
    assert.deepEqual([none.status, none.body], [404, { error: 'Account not found' }])
  })

  test('it is replaced with a code of the old one, and not without', async () => {
    const { who, device } = await enrolled(app, 'swap')
    const json = { username: who.username, password: who.password, mode: 'session' }
    const session = await app.call('POST', '/login', { json: { ...json, totp: device.code() } })
    const headers = {
      cookie: `JSESSIONID=${session.cookies.JSESSIONID}`,
      'x-csrf-token': session.body.csrf_token,
    }
    const begin = (proofs: object) =>
      app.call('POST', '/api/account/totp', { headers, json: proofs })
    const current_password = who.password
    const without = await begin({ current_password })
    assertRefusal(without, 401, 'Confirmation required', '', { proofs: ['totp'] })
    const wrong = await begin({ current_password, totp: '000000' })
    assert.deepEqual(wrong.body, invalidCredentials)
    const [recovery_code] = device.recoveryCodes
    const right = await begin({ current_password, recovery_code })
    assert.equal(right.status, 201)
  })

  test('an administrator cannot remove the own one, nor that of another account long after the login', async () => {
    const boss = await app.account('boss', ['ADMIN'])
    const headers = await app.session(boss)
    const path = (name: string) => `/api/admin/accounts/${name}/second-factor`
    const own = await app.call('DELETE', path('boss'), { headers })
    assert.deepEqual([own.status, own.body], [403, { error: 'Access denied' }])
    app.clock.advance(901)
    const late = await app.call('DELETE', path('swap'), { headers })
    assert.deepEqual([late.status, late.body], [401, { error: 'Recent login required' }])
  })

  test('where the end of the other logins cannot be stored, the factor is not turned on either', async () => {
    const who = await app.account('half')
    const headers = await app.session(who)
    const proof = await proofOf(app, headers)
    const begun = await app.call('POST', '/api/account/totp', { headers, json: proof })
    const totp = codeOfStep(fromBase32(begun.body.secret), Math.floor(app.clock.now() / 30_000))
    const allow = await refuseChanges(app, 'update on token_versions')
    const answer = await app.call('PUT', '/api/account/totp', { headers, json: { totp } })
    await allow()
    assert.equal(answer.status, 500)
    const json = { username: who.username, password: who.password }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
  })

  test('secrets are encrypted at rest, and codes are digests', async () => {
    const who = await app.account('jane')
    const headers = await app.session(who)
    const proof = await proofOf(app, headers)
    const begun = await app.call('POST', '/api/account/totp', { headers, json: proof })
    const device = await enrol(app, headers)
    const stored = JSON.stringify(await app.rows())
    assert.ok(!stored.includes(begun.body.secret))
    for (const code of device.recoveryCodes) {
      assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll('-', '')))
    }
  })

  test('a login longer ago than REAUTHENTICATE_SECONDS may not change it', async () => {
    const who = await app.account('kurt')
    const headers = await app.session(who)
    const json = await proofOf(app, headers)
    app.clock.advance(900)
    assert.equal((await app.call('POST', '/api/account/totp', { headers, json })).status, 201)
    app.clock.advance(1)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const before = await app.rows('sessions')
      const answer = await app.call(method, '/api/account/totp', { headers, json: { totp: '1' } })
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, { error: 'Recent login required' })
      assert.deepEqual(await app.rows('sessions'), before)
    }
  })

  test('/api/user/account asks for the role USER, /api/account for any account', async () => {
    const editor = await app.account('lena', ['EDITOR'])
    const headers = await app.session(editor)
    const call = { headers, json: await proofOf(app, headers) }
    assert.equal((await app.call('POST', '/api/user/account/totp', call)).status, 403)
    assert.equal((await app.call('POST', '/api/account/totp', call)).status, 201)
  })
})

suite('REQUIRE_SECOND_FACTOR=ADMIN', async () => {
  const app = await testApp({ REQUIRE_SECOND_FACTOR: 'ADMIN' })
  const { username, password } = app.admin
  const login = (json: object) => app.call('POST', '/login', { json })

  test('the login of an administrator without one yields the right to enrol and nothing else', async () => {
    const held = await login({ username, password })
    assert.equal(held.status, 403)
    assert.deepEqual(Object.keys(held.body), ['error', 'enrolment_token'])
    assert.equal(held.body.error, 'Second factor enrolment required')
    assert.equal((await app.rows()).sessions?.length, 0)
    const headers = { authorization: `Bearer ${held.body.enrolment_token}` }
    for (const path of ['/users', '/api/admin/accounts', '/api/me']) {
      const answer = await app.call('GET', path, { headers })
      assert.equal(answer.status, 401, path)
    }
    const remove = await app.call('DELETE', '/api/account/totp', { headers, json: {} })
    assert.equal(remove.status, 401)
    const form = { refresh_token: held.body.enrolment_token }
    assert.equal((await app.call('POST', '/refresh', { form })).status, 401)
    const basic = await app.call('GET', '/users', { headers: app.basic(app.admin) })
    assert.equal(basic.status, 401)
    assert.deepEqual(basic.body, { error: 'Authentication required' })

    const device = await enrol(app, headers)
    assert.equal((await app.call('POST', '/api/account/totp', { headers })).status, 401, 'used up')
    app.clock.advance(30)
    assert.equal((await login({ username, password, totp: device.code() })).status, 200)

    // The last one stays while a role asks for it.
    const [recovery_code] = device.recoveryCodes
    app.clock.advance(30)
    const proofs = { current_password: password, totp: device.code() }
    const session = await login({ username, password, recovery_code, mode: 'session' })
    const own = {
      cookie: `JSESSIONID=${session.cookies.JSESSIONID}`,
      'x-csrf-token': session.body.csrf_token,
    }
    const before = await app.rows('audit_records', 'audit_chains')
    const last = await app.call('DELETE', '/api/account/totp', { headers: own, json: proofs })
    assertRefusal(last, 403, 'Access denied')
    const { second_factors, ...others } = await app.rows('audit_records', 'audit_chains')
    const { second_factors: _, ...same } = before
    assert.deepEqual(others, same)
    assert.equal(second_factors?.length, 1)
    assert.equal((await app.call('GET', '/api/protected', { headers: own })).status, 200)
  })

  test('a session that is older than the role that asks for it is held back as well', async () => {
    const lax = await testApp()
    const ann = await lax.account('promoted')
    const session = await lax.session(ann)
    const promote = { headers: lax.basic(lax.admin), json: { roles: ['EDITOR'] } }
    await lax.call('PUT', '/api/admin/accounts/promoted', promote)
    const strict = await testApp(
      { REQUIRE_SECOND_FACTOR: 'EDITOR' },
      { directory: lax.directory, clock: lax.clock },
    )
    const held = await strict.call('GET', '/api/protected', { headers: session })
    assert.deepEqual([held.status, held.body], [401, { error: 'Authentication required' }])
    await enrol(strict, session, '/api/account', { current_password: ann.password })
    assert.equal((await strict.call('GET', '/api/protected', { headers: session })).status, 200)
  })

  test('an enrolment token lives ten minutes', async () => {
    const late = await testApp({ REQUIRE_SECOND_FACTOR: 'ADMIN,USER' })
    const held = await late.call('POST', '/login', { json: { username, password } })
    const headers = { authorization: `Bearer ${held.body.enrolment_token}` }
    late.clock.advance(599)
    assert.equal((await late.call('POST', '/api/account/totp', { headers })).status, 201)
    late.clock.advance(1)
    assert.equal((await late.call('POST', '/api/account/totp', { headers })).status, 401)
  })
})
