// A database makes a difference: recovery codes refer to the account, whatever its factors are.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { modules as ours } from '../../src/modules.ts'
import { type Headers, type Someone, testApp } from '../app.ts'
import { enrol } from '../factor.ts'
import { proofOf } from '../proofs.ts'
import { assertRefusal } from '../refusal.ts'
import { module } from './module.ts'

const code = 'seven blue geese'

suite('a second kind of second factor', async () => {
  const settings = { ROLES: 'KEEPER', REQUIRE_SECOND_FACTOR: 'KEEPER', LOGIN_IP_ATTEMPTS: '0' }
  const app = await testApp(settings, { modules: [...ours, module] })
  const admin = app.basic(app.admin)
  const logIn = ({ username, password }: Someone, json: object = {}) =>
    app.call('POST', '/login', { json: { username, password, mode: 'session', ...json } })
  const add = async (headers: Headers, json: object = {}) => {
    const body = { ...(await proofOf(app, headers)), name: 'On the fridge', code, ...json }
    return app.call('POST', '/api/note-factors', { headers, json: body })
  }
  /** An account with a note alone; the session that has added the note goes on. */
  const withNote = async (username: string) => {
    const who = await app.account(username)
    const headers = await app.session(who)
    const { status, body } = await add(headers)
    assert.equal(status, 201)
    return { who, headers, codes: body.recovery_codes as string[] }
  }
  const withBoth = async (username: string) => {
    const who = await app.account(username)
    const headers = await app.session(who)
    const device = await enrol(app, headers)
    app.clock.advance(30)
    const added = await add(headers, { totp: device.code() })
    assert.equal(added.status, 201)
    app.clock.advance(30)
    return { who, headers, device, added: added.body.recovery_codes }
  }
  const codesOf = async ({ userId }: Someone) =>
    (await app.rows()).recovery_codes?.filter((row) => JSON.stringify(row).includes(`:${userId},`))
      .length
  const assertFactor = async ({ username }: Someone, expected: boolean) => {
    const path = `/api/admin/accounts/${username}`
    const { body } = await app.call('GET', path, { headers: admin })
    assert.equal(body.second_factor, expected)
  }

  test('as the only one it is asked for by its name, and comes with ten recovery codes', async () => {
    const { who, headers, codes } = await withNote('ann')
    assert.equal(new Set(codes).size, 10)
    await assertFactor(who, true)
    const me = await app.call('GET', '/api/account', { headers })
    assert.equal(me.status, 200, 'the session that added it')
    const { sessions } = await app.rows()
    assertRefusal(await logIn(who), 401, 'Second factor required', '', {
      second_factor: 'note_code',
    })
    for (const json of [{ note_code: 'x' }, { note_code: 7 }, { totp: '123456' }]) {
      assertRefusal(await logIn(who, json), 401, 'Invalid credentials')
    }
    assert.deepEqual((await app.rows()).sessions, sessions)
    assert.equal((await logIn(who, { note_code: code })).status, 200)
    assert.equal((await logIn(who, { recovery_code: codes[0] })).status, 200)
    assert.equal(await codesOf(who), 9)
  })

  test('beside TOTP either is enough, and the refusals name both', async () => {
    const { who, headers, device, added } = await withBoth('bob')
    assert.deepEqual(added, [], 'the codes of the first factor stay')
    assert.equal(await codesOf(who), 10)
    const both = { second_factor: 'totp', second_factors: ['totp', 'note_code'] }
    assertRefusal(await logIn(who), 401, 'Second factor required', '', both)
    const json = { name: 'In the car', code, current_password: who.password }
    const before = await app.rows()
    const asked = await app.call('POST', '/api/note-factors', { headers, json })
    assertRefusal(asked, 401, 'Confirmation required', '', {
      ...{ proofs: ['totp'], second_factors: both.second_factors },
    })
    assert.deepEqual(await app.rows(), before)
    assert.equal((await logIn(who, { totp: device.code() })).status, 200)
    assert.equal((await logIn(who, { note_code: code })).status, 200)
    assert.equal((await logIn(who, { recovery_code: device.recoveryCodes[0] })).status, 200)
  })

  test('a wrong proof counts for the account, whatever its kind', async () => {
    const { who, device } = await withBoth('cleo')
    for (const json of [{ totp: '000000' }, { note_code: 'x' }, { recovery_code: 'x' }]) {
      assertRefusal(await logIn(who, json), 401, 'Invalid credentials')
    }
    for (const json of [{ note_code: 'y' }, { note_code: 'z' }]) {
      assertRefusal(await logIn(who, json), 401, 'Invalid credentials')
    }
    const blocked = await logIn(who, { totp: device.code() })
    assert.equal(blocked.status, 429)
  })

  test('the recovery codes stay until the last factor goes', async () => {
    const { who, headers } = await withBoth('dora')
    const proofs = { current_password: who.password, note_code: code }
    const remove = () => app.call('DELETE', '/api/account/totp', { headers, json: proofs })
    assert.equal((await remove()).status, 200)
    await assertFactor(who, true)
    assert.equal(await codesOf(who), 10)
    assertRefusal(await logIn(who), 401, 'Second factor required', '', {
      second_factor: 'note_code',
    })
    assertRefusal(await remove(), 404, 'Second factor not found')
    const path = '/api/account/recovery-codes'
    const renewed = await app.call('POST', path, { headers, json: proofs })
    assert.equal(renewed.body.recovery_codes.length, 10)
    const device = await enrol(app, headers, '/api/account', proofs)
    assert.deepEqual(device.recoveryCodes, [], 'those of the note stay')
    const [recovery_code] = renewed.body.recovery_codes
    assert.equal((await logIn(who, { recovery_code })).status, 200)
  })

  test('an administrator takes all of them away', async () => {
    const { who } = await withBoth('eve')
    const path = `/api/admin/accounts/${who.username}/second-factor`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    await assertFactor(who, false)
    const { note_factors, second_factors } = await app.rows()
    const left = JSON.stringify([note_factors, second_factors])
    assert.ok(!left.includes(`"user_id":${who.userId},`))
    assert.equal(await codesOf(who), 0)
    assert.equal((await logIn(who)).status, 200)
  })

  test('an administrator sees both, and takes one away', async () => {
    const { who, headers } = await withBoth('jo')
    const path = `/api/admin/accounts/${who.username}/factors`
    const listed = await app.call('GET', path, { headers: admin })
    const [first, second] = listed.body
    assert.deepEqual(
      [listed.status, first.id, first.kind, second.kind, second.name, listed.body.length],
      [200, 'totp', 'totp', 'note_code', 'On the fridge', 2],
    )
    assert.ok(!listed.text.includes(code))
    const own = await app.call('GET', '/api/account/factors', { headers })
    assert.deepEqual(own.body, listed.body)
    const before = await app.rows()
    for (const id of ['nothing', 'TOTP', '0']) {
      const none = await app.call('DELETE', `${path}/${id}`, { headers: admin })
      assertRefusal(none, 404, 'Second factor not found')
    }
    assert.deepEqual((await app.rows()).second_factors, before.second_factors)
    const removed = await app.call('DELETE', `${path}/totp`, { headers: admin })
    assert.deepEqual([removed.status, removed.body], [200, { message: 'Second factor removed' }])
    assertRefusal(
      await app.call('GET', '/api/account', { headers }),
      401,
      'Authentication required',
    )
    await assertFactor(who, true)
    assert.equal(await codesOf(who), 10)
    assert.deepEqual((await app.call('GET', path, { headers: admin })).body, [second])
    const last = await app.call('DELETE', `${path}/${second.id}`, { headers: admin })
    assert.equal(last.status, 200)
    await assertFactor(who, false)
    assert.equal(await codesOf(who), 0)
    const mine = await app.call('DELETE', `/api/admin/accounts/admin/factors/totp`, {
      headers: await app.bearer(app.admin),
    })
    assertRefusal(mine, 403, 'Access denied')
  })

  test('meets a role of REQUIRE_SECOND_FACTOR', async () => {
    const json = { roles: ['USER', 'KEEPER'] }
    const keep = async ({ username }: Someone) => {
      const path = `/api/admin/accounts/${username}`
      assert.equal((await app.call('PUT', path, { headers: admin, json })).status, 200)
    }
    const who = await app.account('finn')
    await keep(who)
    const halfway = await logIn(who)
    assert.equal(halfway.status, 403)
    assert.ok(halfway.body.enrolment_token)
    const { who: other, headers } = await withNote('gina')
    await keep(other)
    assert.equal((await app.call('GET', '/api/user/account', { headers })).status, 200)
  })

  test('a person gets its name and times with the own data, and no secret', async () => {
    const { who, headers } = await withNote('hugo')
    assert.equal((await logIn(who, { note_code: code })).status, 200)
    const { body, text } = await app.call('GET', '/api/account/export', { headers })
    const at = new Date(app.clock.now()).toISOString()
    assert.deepEqual(body.data.second_factor, {
      is_confirmed: true,
      recovery_codes_left: 10,
      factors: [{ kind: 'note_code', name: 'On the fridge', created_at: at, last_used_at: at }],
    })
    assert.ok(!text.includes(code))
  })

  test('goes with its account, with all recovery codes', async () => {
    const { who } = await withNote('ida')
    const path = `/api/admin/accounts/${who.username}`
    assert.equal((await app.call('DELETE', path, { headers: admin })).status, 200)
    assert.equal(await codesOf(who), 0)
  })
})
