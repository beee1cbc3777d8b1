// A database makes a difference: two nodes take one answer, and limits are rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'
import { confirmationsOf, newestMail } from '../confirmations.ts'
import { beginEnrolment, enrol } from '../factor.ts'
import { verifyAddress } from '../mail.ts'
import { addPasskey, assertionOf, proofBy, type SoftwarePasskey, withPasskey } from '../passkeys.ts'
import { assertRefusal } from '../refusal.ts'

const keeper = 'KEEPER' as Role // a role of ROLES

const logIn = (app: TestApp, json: object) => app.call('POST', '/login', { json })

async function sessionBy(app: TestApp, passkey: SoftwarePasskey): Promise<Headers> {
  const json = { passkey: await assertionOf(app, passkey), mode: 'session' }
  const { status, cookies, body } = await logIn(app, json)
  assert.equal(status, 200)
  return { cookie: `JSESSIONID=${cookies.JSESSIONID}`, 'x-csrf-token': body.csrf_token }
}

suite('what a passkey gives and what keeps it out', async () => {
  const settings = { ROLES: 'KEEPER', REQUIRE_SECOND_FACTOR: 'KEEPER', LOGIN_LOCK_AFTER: '6' }
  const app = await testApp({ ...settings, LOGIN_ATTEMPTS: '0', LOGIN_IP_ATTEMPTS: '5' })
  const admin = app.basic(app.admin)
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const from = (address: string) => ({ from: address })

  test('in all modes, with both factors in the token', async () => {
    for (const [isSynced, key] of [
      [true, 'swk'],
      [false, 'hwk'],
    ] as const) {
      const { passkey } = await withPasskey(app, key, { kind: { isSynced } })
      const token = await logIn(app, { passkey: await assertionOf(app, passkey) })
      assert.deepEqual(claimsOf(token.body.token).amr, [key, 'user', 'pin', 'mfa'])
      const pair = await logIn(app, { passkey: await assertionOf(app, passkey), mode: 'pair' })
      assert.deepEqual(claimsOf(pair.body.access_token).amr, [key, 'user', 'pin', 'mfa'])
      const headers = await sessionBy(app, passkey)
      assert.equal((await app.call('GET', '/api/account', { headers })).status, 200)
    }
    const { passkey } = await withPasskey(app, 'form')
    const form = { passkey: JSON.stringify(await assertionOf(app, passkey)) }
    assert.equal((await app.call('POST', '/login', { form })).status, 200)
  })

  test('the first passkey turns the second factor on for the password, and ends other logins', async () => {
    const who = await app.account('first')
    const elsewhere = await app.session(who)
    const headers = await app.session(who)
    const { passkey, body } = await addPasskey(app, headers)
    assert.equal(new Set(body.recovery_codes).size, 10)
    const ended = await app.call('GET', '/api/account', { headers: elsewhere })
    assert.equal(ended.status, 401)
    assert.equal((await app.call('GET', '/api/account', { headers })).status, 200)
    assertRefusal(await logIn(app, who), 401, 'Second factor required', '', {
      second_factor: 'passkey',
    })
    const code = body.recovery_codes[0]
    assert.equal((await logIn(app, { ...who, recovery_code: code })).status, 200)
    const both = { ...who, passkey: await assertionOf(app, passkey) }
    const { status, body: answer } = await logIn(app, both)
    assert.equal(status, 200)
    assert.deepEqual(claimsOf(answer.token).amr, ['pwd', 'swk', 'user', 'pin', 'mfa'])
    assertRefusal(
      await app.call('GET', '/api/account', { headers: app.basic(who) }),
      401,
      'Authentication required',
    )
  })

  test('beside TOTP the refusal names both, and no code is asked for after a passkey', async () => {
    const who = await app.account('both')
    const headers = await app.session(who)
    const device = await enrol(app, headers)
    app.clock.advance(30)
    const proof = { current_password: who.password, totp: device.code() }
    const { passkey, body } = await addPasskey(app, headers, { proof })
    assert.deepEqual(body.recovery_codes, [])
    assertRefusal(await logIn(app, who), 401, 'Second factor required', '', {
      ...{ second_factor: 'totp', second_factors: ['totp', 'passkey'] },
    })
    await sessionBy(app, passkey)
    app.clock.advance(30)
    assert.equal((await logIn(app, { ...who, totp: device.code() })).status, 200)
    const { body: factors } = await app.call('GET', '/api/admin/accounts/both/factors', {
      headers: admin,
    })
    assert.deepEqual(
      factors.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
      [
        ['totp', null],
        ['passkey', 'Telephone'],
      ],
    )
  })

  test('a passkey alone proves the person; an authenticator app can be added by it', async () => {
    const { passkey } = await withPasskey(app, 'alone')
    const headers = await sessionBy(app, passkey)
    const proof = await proofBy(app, headers, passkey, 'factor')
    const code = await beginEnrolment(app, headers, '/api/account', proof)
    const confirmed = await app.call('PUT', '/api/account/totp', {
      ...{ headers, json: { totp: code() } },
    })
    assert.equal(confirmed.status, 200)
    assert.deepEqual(confirmed.body, { recovery_codes: [] })
    const next = { new_password: 'amber violin thicket, 87 of them' }
    const change = await app.call('PUT', '/api/account/password', {
      ...{ headers, json: { ...next, ...(await proofBy(app, headers, passkey, 'password')) } },
    })
    assert.equal(change.status, 200, change.text)
    const again = await app.call('POST', '/api/account/totp', { headers, json: proof })
    assertRefusal(again, 401, 'Invalid credentials')
  })

  test('without proof, without a recent login, by Basic of an account with a factor: refused', async () => {
    const { passkey } = await withPasskey(app, 'proofs')
    const headers = await sessionBy(app, passkey)
    const path = '/api/account/passkeys/options'
    const before = await app.rows()
    assertRefusal(await app.call('POST', path, { headers }), 401, 'Confirmation required', '', {
      proofs: ['password', 'passkey'],
    })
    assert.deepEqual(await app.rows(), before)
    app.clock.advance(901)
    assertRefusal(await app.call('POST', path, { headers }), 401, 'Recent login required')
  })

  test('an enrolment token adds a passkey, which meets the role that asks for a factor', async () => {
    const who = await app.account('keeper', [keeper])
    const refused = await logIn(app, who)
    assert.equal(refused.status, 403)
    const headers = { authorization: `Bearer ${refused.body.enrolment_token}` }
    const { passkey, body } = await addPasskey(app, headers, { proof: {} })
    const session = await sessionBy(app, passkey)
    assert.equal((await app.call('GET', '/api/account', { headers: session })).status, 200)
    const removal = await app.call('DELETE', `/api/account/passkeys/${body.id}`, {
      ...{ headers: session, json: await proofBy(app, session, passkey, 'factor_removal') },
    })
    assertRefusal(removal, 403, 'Access denied')
    await sessionBy(app, passkey)
  })

  test('renamed and removed by the owner alone', async () => {
    const { passkey, id } = await withPasskey(app, 'owner')
    const stranger = await app.session(await app.account('stranger'))
    const headers = await sessionBy(app, passkey)
    const path = `/api/account/passkeys/${id}`
    for (const method of ['PUT', 'DELETE']) {
      const answer = await app.call(method, path, { headers: stranger, json: { name: 'mine' } })
      assertRefusal(answer, 404, 'Passkey not found')
    }
    const renamed = await app.call('PUT', path, { headers, json: { name: 'Key' } })
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Key'])
    const removed = await app.call('DELETE', path, {
      ...{ headers, json: await proofBy(app, headers, passkey, 'factor_removal') },
    })
    assert.deepEqual([removed.status, removed.body], [200, { message: 'Passkey removed' }])
    assert.equal((await app.call('GET', '/api/account', { headers })).status, 200)
    assertRefusal(
      await logIn(app, { passkey: await assertionOf(app, passkey) }),
      401,
      'Invalid credentials',
    )
  })

  test('wrong passwords of others keep no passkey out; the lock of an administrator does', async () => {
    const { who, passkey } = await withPasskey(app, 'locked')
    const { username } = who
    for (let tries = 0; tries < 6; tries += 1) {
      const json = { username, password: 'wrong, as others guess it' }
      await app.call('POST', '/login', { json, ...from(`192.0.2.${tries}`) })
    }
    const { body } = await app.call('GET', '/api/admin/throttle', { headers: admin })
    assert.notEqual(body.accounts.data[0]?.locked_until, null)
    await sessionBy(app, passkey)
    const path = `/api/admin/accounts/${username}`
    await app.call('PUT', path, { headers: admin, json: { locked: true } })
    assertRefusal(
      await logIn(app, { passkey: await assertionOf(app, passkey) }),
      401,
      'Invalid credentials',
    )
  })

  test('wrong passkeys lock no account; their limit is that of the address alone', async () => {
    const { who, passkey } = await withPasskey(app, 'limited')
    const wrong = async () => {
      const json = { passkey: await assertionOf(app, passkey, { rpId: 'evil.example' }) }
      return app.call('POST', '/login', { json, ...from('198.51.100.7') })
    }
    for (let tries = 0; tries < 5; tries += 1) {
      assertRefusal(await wrong(), 401, 'Invalid credentials')
    }
    assert.equal((await wrong()).status, 429)
    const right = async (address: string) => {
      const json = { passkey: await assertionOf(app, passkey) }
      return (await app.call('POST', '/login', { json, ...from(address) })).status
    }
    assert.equal(await right('198.51.100.7'), 429)
    assert.equal(await right('198.51.100.8'), 200)
    // A password counts elsewhere.
    assertRefusal(
      await app.call('POST', '/login', { json: who, ...from('198.51.100.7') }),
      401,
      'Second factor required',
      '',
      { second_factor: 'passkey' },
    )
    const path = '/api/admin/throttle/addresses/198.51.100.7'
    const cleared = await app.call('DELETE', path, { headers: admin })
    assert.equal(cleared.body.passkeys, 5)
    assert.equal(await right('198.51.100.7'), 200)
  })

  test('wrong passkeys at a reset count for the address, too', async () => {
    const { who, passkey } = await withPasskey(app, 'mailed')
    const email = 'mailed@example.org'
    await verifyAddress(app, who, email)
    await app.call('POST', '/api/public/reset', { json: { email } })
    const mail = await newestMail(app, await confirmationsOf(app), 'reset')
    const finish = async (differently: object, address: string) => {
      const json = {
        ...{ token: mail?.token, new_password: 'amber violin thicket, 87 of them' },
        passkey: await assertionOf(app, passkey, differently),
      }
      return app.call('POST', '/api/public/reset/complete', { json, ...from(address) })
    }
    const { passwords } = await app.rows()
    for (let tries = 0; tries < 5; tries += 1) {
      const wrong = await finish({ rpId: 'evil.example' }, '198.51.100.20')
      assertRefusal(wrong, 401, 'Invalid credentials')
    }
    assertRefusal(await finish({}, '198.51.100.20'), 429, 'Too many login attempts')
    assert.deepEqual((await app.rows()).passwords, passwords)
    assert.equal((await finish({}, '198.51.100.21')).status, 200)
  })

  test("an administrator's reset removes passkeys too", async () => {
    const { who, passkey } = await withPasskey(app, 'reset')
    const path = `/api/admin/accounts/${who.username}/second-factor`
    const { status, body } = await app.call('DELETE', path, { headers: admin })
    assert.deepEqual([status, body.second_factor], [200, false])
    assert.equal((await logIn(app, { passkey: await assertionOf(app, passkey) })).status, 401)
    assert.equal((await logIn(app, who)).status, 200)
  })

  test('the secrets of a passkey are in no log', async () => {
    const { passkey } = await withPasskey(app, 'logs')
    const sent = await assertionOf(app, passkey)
    assert.equal((await logIn(app, { passkey: sent })).status, 200)
    const log = JSON.stringify(app.log)
    for (const secret of [sent.response.signature, sent.response.clientDataJSON]) {
      assert.ok(!log.includes(secret))
    }
  })
})

suite('passkeys on two nodes, and under another domain', () => {
  test('each node takes the challenge of the other, and one of them the answer', async () => {
    const one = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
    const two = await testApp(
      { LOGIN_IP_ATTEMPTS: '0' },
      { directory: one.directory, clock: one.clock },
    )
    const { passkey } = await withPasskey(one, 'ann')
    const json = { passkey: await assertionOf(one, passkey) }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => logIn(index % 2 === 0 ? one : two, json)),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, ...Array(11).fill(401)])
    assert.equal((await logIn(one, { passkey: await assertionOf(two, passkey) })).status, 200)
  })

  test('passkeys of another domain stay listed, and are refused', async () => {
    const before = await testApp({ BASE_URL: 'https://old.example' })
    const { who, passkey } = await withPasskey(before, 'ann')
    const after = await testApp(
      { BASE_URL: 'https://new.example' },
      { directory: before.directory, clock: before.clock },
    )
    const person: Someone = who
    assert.equal((await logIn(after, { passkey: await assertionOf(after, passkey) })).status, 401)
    const { body } = await after.call('GET', `/api/admin/accounts/${person.username}/factors`, {
      headers: after.basic(before.admin),
    })
    assert.equal(body.length, 1)
  })
})
