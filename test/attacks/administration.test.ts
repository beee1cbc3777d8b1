import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { databaseLock, heard } from '../database.ts'
import { guess, newHost, placesOf, takePlaces, tally } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const revoke = '/api/admin/tokens/revoke'
const greeting = (app: TestApp, headers: Headers) => app.call('GET', '/api/account', { headers })
const refresh = (app: TestApp, refresh_token: string) =>
  app.call('POST', '/refresh', { form: { refresh_token } })
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

suite('administration under attack', async () => {
  const app = await testApp({ DATABASE_TIMEOUT_MS: '20', LOGIN_IP_ATTEMPTS: '0' })
  const other = await testApp({}, { directory: app.directory, clock: app.clock })
  const admin = await app.bearer(app.admin)
  const who = await app.account('ann')
  const call = (method: string, path: string, json?: object, headers = admin) =>
    app.call(method, path, { headers, ...(json && { json }) })

  test('T50: without its CSRF token a session of an administrator changes nothing', async () => {
    const { cookie } = await app.session(app.admin)
    await guess(app, who, newHost())
    const before = await app.rows()
    for (const [method, path, json] of [
      ['POST', '/api/admin/accounts/ann/password', undefined],
      ['DELETE', '/api/admin/accounts/ann/sessions', undefined],
      ['POST', revoke, { jti: 'x', exp: 2 ** 50 }],
      ['DELETE', '/api/admin/throttle/ann', undefined],
    ] as const) {
      assertRefusal(await call(method, path, json, { cookie }), 403, 'CSRF token invalid', path)
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('7.4.5, T57: sessions that an administrator ends are refused at every process', async () => {
    const [session, pair] = [await app.session(who), await app.pair(who)]
    const bearer = { authorization: `Bearer ${pair.access_token}` }
    for (const node of [app, other]) {
      for (const headers of [session, bearer]) {
        assert.equal((await greeting(node, headers)).status, 200)
      }
    }
    await call('DELETE', '/api/admin/accounts/ann/sessions')
    for (const node of [app, other]) {
      for (const headers of [session, bearer]) {
        assert.equal((await greeting(node, headers)).status, 401)
      }
      assertRefusal(await refresh(node, pair.refresh_token), 401, 'Invalid refresh token')
      assert.equal((await node.call('POST', '/login', { json: who })).status, 200)
    }
  })

  test('T57: a reset password ends session, bearer, refresh and Basic at every process', async () => {
    const ben = await app.account('ben')
    const [session, pair] = [await app.session(ben), await app.pair(ben)]
    const proofs = [
      session,
      { authorization: `Bearer ${pair.access_token}` },
      app.basic(ben), // remembered from here on
    ]
    for (const node of [app, other]) {
      for (const headers of proofs) assert.equal((await greeting(node, headers)).status, 200)
    }
    const { password } = (await call('POST', '/api/admin/accounts/ben/password')).body
    for (const node of [app, other]) {
      for (const headers of [...proofs, app.basic({ ...ben, password })]) {
        assert.equal((await greeting(node, headers)).status, 401)
      }
      assertRefusal(await refresh(node, pair.refresh_token), 401, 'Invalid refresh token')
    }
  })

  test('6.4.1: of two resets at once one password is good, and no other', async () => {
    const cleo = await app.account('cleo')
    const path = '/api/admin/accounts/cleo/password'
    const answers = await Promise.all([call('POST', path), call('POST', path)])
    assert.deepEqual(tally(answers), { 200: 2 })
    const passwords = [cleo.password, ...answers.map(({ body }) => body.password)]
    const logins = passwords.map((password) =>
      app.call('POST', '/login', { json: { username: 'cleo', password } }),
    )
    assert.deepEqual(tally(await Promise.all(logins)), { 401: 2, 403: 1 })
  })

  test('a random password that a rule refuses is not given out: another one is made', async () => {
    const unlucky = [0, 1, 2, 3]
    let made = 0
    const random = {
      bytes(length: number) {
        if (length !== 20) return systemRandom.bytes(length)
        made += 1
        return made > 1
          ? systemRandom.bytes(length)
          : Uint8Array.from({ length }, (_, at) => unlucky[at % 4] ?? 0)
      },
    }
    const chance = await testApp({}, { deps: { random } })
    await chance.account('abcd')
    const headers = chance.basic(chance.admin)
    const answer = await chance.call('POST', '/api/admin/accounts/abcd/password', { headers })
    assert.equal(answer.status, 200)
    assert.equal(made, 2)
    assert.ok(!answer.body.password.includes('abcd'))
  })

  test('T59: what cannot be stored is 503, and nothing has ended', async () => {
    const [session, pair] = [await app.session(who), await app.pair(who)]
    const bearer = { authorization: `Bearer ${pair.access_token}` }
    const { jti, exp } = claimsOf(pair.access_token)
    const lock = await databaseLock(app)
    await lock.hold()
    const asked = [
      ['POST', revoke, { token: pair.access_token }],
      ['POST', revoke, { token: pair.refresh_token }],
      ['POST', revoke, { jti, exp }],
      ['DELETE', '/api/admin/accounts/ann/sessions', undefined],
      ['POST', '/api/admin/accounts/ann/password', undefined],
      ['DELETE', '/api/admin/throttle/ann', undefined],
    ] as const
    // Beside each other: each waits for the lock as long as the database may take.
    const refused = asked.map(async ([method, path, json]) =>
      assertRefusal(await call(method, path, json), 503, 'Service unavailable', path),
    )
    const own = app.call('DELETE', '/api/account/sessions', { headers: session })
    await Promise.all(refused)
    assertRefusal(await own, 503, 'Service unavailable')
    await lock.release()
    for (const headers of [session, bearer]) {
      assert.equal((await greeting(app, headers)).status, 200)
    }
    assert.equal((await refresh(app, pair.refresh_token)).status, 200)
  })

  test('what is no token of ours counts as revoked: 200, and nothing is stored', async () => {
    const token = await app.token(who)
    const [header, payload] = token.split('.')
    const before = await app.rows()
    for (const bad of [
      '',
      'nonsense',
      `${header}.${payload}.`,
      `${header}.${payload}.${'A'.repeat(43)}`,
      `${token}A`,
      ` ${token}`,
      `Bearer ${token}`,
      'x'.repeat(16_000),
    ]) {
      assert.equal((await call('POST', revoke, { token: bad })).status, 200)
    }
    assert.equal((await call('POST', revoke, { jti: 'long ago', exp: 1 })).status, 200)
    assert.deepEqual(await app.rows(), before)
    assert.equal((await greeting(app, { authorization: `Bearer ${token}` })).status, 200)
  })

  test('a token that lives longer than those of these settings stays revoked by its id', async () => {
    const app = await testApp()
    const shared = { directory: app.directory, clock: app.clock }
    const before = await testApp({ LOGIN_TOKEN_SECONDS: '2592000' }, shared)
    const token = await before.token(await app.account('ann'))
    const headers = { authorization: `Bearer ${token}` }
    const { jti, exp } = claimsOf(token)
    const revoked = { headers: app.basic(app.admin), json: { jti, exp } }
    assert.equal((await app.call('POST', revoke, revoked)).status, 200)
    app.clock.advance(29 * 86_400)
    for (const { name, run } of app.app.jobs) if (name === 'revocations') await run()
    for (const node of [app, before]) assert.equal((await greeting(node, headers)).status, 401)
  })

  test('a revocation of an exp past all numbers is kept as far as they go', async () => {
    await call('POST', revoke, { jti: 'for ever', exp: Number.MAX_SAFE_INTEGER })
    const { revocations = [] } = await app.rows()
    const { token, expires_at } = revocations.at(-1) as { token: string; expires_at: number }
    assert.deepEqual([token, expires_at], ['for ever', Number.MAX_SAFE_INTEGER])
  })

  test('the same token revoked again writes nothing, and a smaller exp shortens nothing', async () => {
    const token = await app.token(who)
    const headers = { authorization: `Bearer ${token}` }
    const { jti, exp } = claimsOf(token)
    await call('POST', revoke, { token })
    const before = await app.rows()
    for (const json of [{ token }, { jti, exp }, { jti, exp: exp - 1000 }]) {
      assert.equal((await call('POST', revoke, json)).status, 200)
    }
    await app.call('POST', '/logout', { headers })
    assert.deepEqual(await app.rows(), before)
    app.clock.advance(3000)
    for (const { name, run } of app.app.jobs) if (name === 'revocations') await run()
    await heard(other)
    for (const node of [app, other]) assert.equal((await greeting(node, headers)).status, 401)
  })

  test('a larger exp than the first lengthens a revocation', async () => {
    const admin = await app.bearer(app.admin)
    const token = await app.token(who)
    const { jti, exp } = claimsOf(token)
    await call('POST', revoke, { jti, exp: exp - 1800 }, admin)
    await call('POST', revoke, { token }, admin)
    app.clock.advance(2000)
    for (const { name, run } of app.app.jobs) if (name === 'revocations') await run()
    const headers = { authorization: `Bearer ${token}` }
    await heard(other)
    for (const node of [app, other]) assert.equal((await greeting(node, headers)).status, 401)
  })

  test('a revoked refresh token stays so at every process and over a restart', async () => {
    const admin = await app.bearer(app.admin)
    const { refresh_token } = await app.pair(who)
    assert.equal((await call('POST', revoke, { token: refresh_token }, admin)).status, 200)
    const again = await testApp({}, { directory: app.directory, clock: app.clock })
    await heard(other)
    for (const node of [app, other, again]) {
      assertRefusal(await refresh(node, refresh_token), 401, 'Invalid refresh token')
    }
  })

  test('forgetting the tries of a name takes no place from one that is being judged', async () => {
    const admin = await app.bearer(app.admin)
    const address = newHost()
    await takePlaces(app, 2, { username: 'ann', address })
    await guess(app, who, address)
    const [first, second] = await placesOf(app, address)
    await call('DELETE', '/api/admin/throttle/ann', undefined, admin)
    assert.deepEqual(await placesOf(app, address), [first, second])
  })

  test('nothing that was typed as a name is told, nor a digest of it', async () => {
    const admin = await app.bearer(app.admin)
    const typed = 'my password in the wrong field'
    await guess(app, { username: typed }, newHost())
    const { rows } = await sql<{ username: string }>`
      select username from throttle_places order by id desc limit 2`.execute(app.deps.db)
    const { text } = await call('GET', '/api/admin/throttle?limit=100', undefined, admin)
    for (const { username } of rows) assert.ok(username === '' || !text.includes(username))
    assert.ok(!text.includes(typed))
    assert.ok(!JSON.stringify(app.log).includes(typed))
  })
})

suite('refresh tokens of a single use', async () => {
  const app = await testApp({ REFRESH_ROTATION: 'on' })
  const who = await app.account('ann')
  const headers = app.basic(app.admin)
  const end = (token: string) => app.call('POST', revoke, { headers, json: { token } })

  test('7009: to revoke one ends its whole line, whichever of the line it is', async () => {
    for (const which of [0, 1, 2]) {
      const { refresh_token } = await app.pair(who)
      const line = [refresh_token]
      for (const _ of [1, 2]) line.push((await refresh(app, line.at(-1) ?? '')).body.refresh_token)
      const beside = (await app.pair(who)).refresh_token
      assert.equal((await end(line[which] ?? '')).status, 200)
      for (const token of line) {
        assertRefusal(await refresh(app, token), 401, 'Invalid refresh token', String(which))
      }
      assert.equal((await refresh(app, beside)).status, 200)
    }
  })
})
