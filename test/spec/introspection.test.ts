// A database makes a difference: two nodes share it, and an end that cannot be stored is a 503.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, passwordOf, type TestApp, testApp } from '../app.ts'
import { asClient, ask, clientsFile, entry, hashOf, secretOf, writeClients } from '../clients.ts'
import { countedDatabase } from '../counted-database.ts'
import { databaseLock, heard } from '../database.ts'
import { accessClaims, forge, hs256, secondsOf } from '../forge.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const TOKEN_SECRET = 'pC3v9sYkq0Zr7uTn5wXeBh2mLd8gJf1a'

function assertInactive(answer: Answer, about = ''): void {
  assert.deepEqual([answer.status, answer.text], [200, '{"active":false}'], about)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', about)
  assertHeaders(answer, about)
}

/** RFC 7009 section 2.2: nothing but the status. */
function assertRevoked(answer: Answer, about = ''): void {
  assert.deepEqual([answer.status, answer.text], [200, ''], about)
  assert.equal(answer.headers['content-length'], '0', about)
  assertHeaders(answer, about)
}

suite('POST /oauth/introspect and POST /oauth/revoke (RFC 7662, RFC 7009)', async () => {
  const file = clientsFile([entry('shop'), entry('watcher', { may: ['introspect'] })])
  const env = { CLIENTS_FILE: file, TOKEN_SECRET }
  const counted = await countedDatabase()
  const app = await testApp(env, counted.options)
  const two = await testApp(env, { directory: app.directory, clock: app.clock })
  const admin = app.basic(app.admin)
  const put = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: admin, json })
  const me = async (token: string, node: TestApp = app) =>
    (await node.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })).status
  const refresh = async (refresh_token: string) =>
    (await app.call('POST', '/refresh', { form: { refresh_token } })).status

  test('an active token: what it says, and no more', async () => {
    const ann = await app.account('ann', ['USER', 'EDITOR'])
    const { access_token } = await app.pair(ann)
    const payload = JSON.parse(
      Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString(),
    )
    const answer = await ask(app, 'introspect', access_token)
    const now = secondsOf(app)
    assert.equal(answer.status, 200)
    assertHeaders(answer)
    assert.deepEqual(answer.body, {
      active: true,
      token_type: 'Bearer',
      iss: app.deps.config.token.issuer,
      sub: String(ann.userId),
      aud: 'api',
      exp: now + 900,
      iat: now,
      nbf: now,
      jti: payload.jti,
      username: 'ann',
      roles: ['USER', 'EDITOR'],
      auth_time: now,
      amr: ['pwd'],
      sid: payload.sid,
    })
    const single = await ask(app, 'introspect', await app.token(ann))
    assert.deepEqual([single.body.exp, 'sid' in single.body], [now + 3600, false])
  })

  test("a token that the operator's own program signed: only what it has", async () => {
    const { nbf, jti, username, roles, auth_time, ver, ...least } = accessClaims(app)
    const sign = (claims: object) => forge({ alg: 'HS256' }, claims, hs256(TOKEN_SECRET))
    const { type: _, ...shown } = least
    const active = { active: true, token_type: 'Bearer', ...shown }
    assert.deepEqual((await ask(app, 'introspect', sign(least))).body, active)
    const more = { aud: ['other', 'api'], scope: 'read write', client_id: 'app', exp: 9e9 + 0.5 }
    const answer = await ask(app, 'introspect', sign({ ...least, ...more, secret: 'x', amr: 'x' }))
    assert.deepEqual(answer.body, { ...active, ...more, exp: 9e9, amr: [] })
    // What is no text is no scope and no client.
    const odd = await ask(app, 'introspect', sign({ ...least, scope: ['read'], client_id: 7 }))
    assert.deepEqual(odd.body, active)
  })

  test('it costs no statement once the client is known, and is judged anew each time', async () => {
    const token = await app.token(await app.account('counted'))
    await ask(app, 'introspect', token)
    const { count, result } = await counted.during(() => ask(app, 'introspect', token))
    const none = { statements: 0, transactions: 0, roundTrips: 0 }
    assert.deepEqual([result.body.active, count], [true, none])
    const other = await app.token(await app.account('counted2'))
    const first = await counted.during(() => ask(app, 'introspect', other))
    assert.deepEqual([first.result.body.active, first.count.statements], [true, 0])
    app.clock.advance(3600)
    assertInactive(await ask(app, 'introspect', token))
  })

  test('a burst of a client that has not been here needs one attempt, and all are answered', async () => {
    const token = await app.token(app.admin)
    const from = '198.51.100.77'
    const burst = () =>
      Promise.all(Array.from({ length: 60 }, () => ask(app, 'introspect', token, { from })))
    const { count, result } = await counted.during(burst)
    assert.ok(result.every(({ body }) => body.active === true))
    assert.equal(count.transactions, 2)
    const beside = await counted.during(() =>
      Promise.all([
        ask(app, 'introspect', token, { from, headers: asClient('shop', 'wrong') }),
        burst(),
      ]),
    )
    assert.equal(beside.result[0].status, 401)
    assert.ok(beside.result[1].every(({ body }) => body.active === true))
  })

  test('inactive at once after a logout here, and after the change feed at another node', async () => {
    const bea = await app.account('bea')
    const { access_token } = await app.pair(bea)
    for (const node of [app, two]) {
      assert.equal((await ask(node, 'introspect', access_token)).body.active, true)
    }
    await app.call('POST', '/logout', { headers: { authorization: `Bearer ${access_token}` } })
    assertInactive(await ask(app, 'introspect', access_token))
    await heard(two)
    assertInactive(await ask(two, 'introspect', access_token))
  })

  test('inactive for an account that is locked, disabled, given roles or a password, or deleted', async () => {
    const ends: Record<string, (name: string) => Promise<Answer>> = {
      locked: (name) => put(name, { locked: true }),
      disabled: (name) => put(name, { active: false }),
      promoted: (name) => put(name, { roles: ['EDITOR'] }),
      renewed: (name) => put(name, { password: `another ${passwordOf(name)}` }),
      deleted: (name) => app.call('DELETE', `/api/admin/accounts/${name}`, { headers: admin }),
    }
    for (const [name, end] of Object.entries(ends)) {
      const token = await app.token(await app.account(name))
      assert.equal((await ask(app, 'introspect', token)).body.active, true, name)
      assert.equal((await end(name)).status, 200, name)
      assertInactive(await ask(app, 'introspect', token), name)
    }
    // New logins are not for a locked account, yet what it holds goes on: the lock is automatic.
    const fay = await app.account('fay')
    const token = await app.token(fay)
    for (let n = 0; n < 10; n += 1) {
      const json = { username: 'fay', password: 'not the password' }
      await app.call('POST', '/login', { json, from: `198.51.100.${n}` })
    }
    assert.equal((await ask(app, 'introspect', token)).body.active, true)
  })

  test('an access token that a client revokes ends with its pair, here and at another node', async () => {
    const cid = await app.account('cid')
    const { access_token, refresh_token } = await app.pair(cid)
    const other = await app.token(cid)
    assert.equal(await me(access_token, two), 200)
    app.log.length = 0
    assertRevoked(await ask(app, 'revoke', access_token))
    assert.deepEqual([await me(access_token), await refresh(refresh_token)], [401, 401])
    await heard(two)
    assert.equal(await me(access_token, two), 401)
    assert.equal(await me(other), 200, 'another login goes on')
    const { time: _, request_id: __, ...event } = app.log.find(({ event }) => event) ?? {}
    assert.deepEqual(event, {
      level: 'info',
      event: 'authn_token_revoked',
      reason: 'client',
      user_id: cid.userId,
      by: 'client:shop',
      address: '127.0.0.1',
      scheme: 'client',
    })
    const rows = await app.rows()
    assertRevoked(await ask(app, 'revoke', access_token), 'again')
    assert.deepEqual(await app.rows(), rows)
  })

  test('a single access token ends alone', async () => {
    const dan = await app.account('dan')
    const [token, other] = [await app.token(dan), await app.token(dan)]
    assertRevoked(await ask(app, 'revoke', token))
    assert.deepEqual([await me(token), await me(other)], [401, 200])
  })

  for (const rotation of ['off', 'on'] as const) {
    test(`a refresh token ends with its access tokens, with REFRESH_ROTATION=${rotation}`, async () => {
      const app = await testApp({ ...env, REFRESH_ROTATION: rotation })
      const { access_token, refresh_token } = await app.pair(app.admin)
      const form = { refresh_token }
      const { body } = await app.call('POST', '/refresh', { form })
      const newest = body.refresh_token ?? refresh_token
      app.clock.advance(11) // the grace period
      // The oldest of a family ends the newest, as the newest would end the oldest.
      assertRevoked(await ask(app, 'revoke', refresh_token))
      for (const token of [access_token, body.access_token]) {
        assertInactive(await ask(app, 'introspect', token))
      }
      const again = await app.call('POST', '/refresh', { form: { refresh_token: newest } })
      assertRefusal(again, 401, 'Invalid refresh token')
      await app.close()
    })
  }

  test('a hint of any kind changes nothing (RFC 7009 section 2.2)', async () => {
    for (const hint of ['access_token', 'refresh_token', 'saml', '', ' ']) {
      const { access_token, refresh_token } = await app.pair(app.admin)
      const call = (path: string, token: string) =>
        app.call('POST', path, {
          headers: asClient('shop'),
          form: { token, token_type_hint: hint },
        })
      assert.equal((await call('/oauth/introspect', access_token)).body.active, true, hint)
      assertInactive(await call('/oauth/introspect', refresh_token), hint)
      assertRevoked(await call('/oauth/revoke', refresh_token), hint)
      assert.equal(await me(access_token), 401, hint)
    }
  })

  test('an end that cannot be stored is 503, and the token goes on', async () => {
    const slow = await testApp({ ...env, DATABASE_TIMEOUT_MS: '50' })
    const { access_token } = await slow.pair(slow.admin)
    await ask(slow, 'introspect', access_token) // the client is known from here on
    const lock = await databaseLock(slow)
    await lock.hold()
    const answer = await ask(slow, 'revoke', access_token)
    assertRefusal(answer, 503, 'Service unavailable')
    assert.equal(answer.headers['retry-after'], '1')
    await lock.release()
    assert.equal((await ask(slow, 'introspect', access_token)).body.active, true)
    await slow.close()
  })

  test('a changed file is taken up, a broken one is not, and neither needs a restart', async () => {
    const path = clientsFile([entry('shop')])
    const own = await testApp({ ...env, CLIENTS_FILE: path })
    const reread = async () => own.app.jobs.find(({ name }) => name === 'clients file')?.run()
    const told = () => own.log.filter(({ event }) => event === 'sys_clients_changed').length
    const token = await own.token(own.admin)
    const active = async (headers: Record<string, string>) => {
      const { status, body } = await ask(own, 'introspect', token, { headers })
      return status === 200 && body.active
    }
    await reread()
    assert.equal(told(), 0, 'the file is as it was at the start')
    const hashes = [hashOf(secretOf('shop')), hashOf(secretOf('shop', 2))]
    writeClients(path, [
      entry('shop', { secret_hash: undefined, secret_hashes: hashes }),
      entry('new'),
    ])
    assert.equal(await active(asClient('new')), false)
    await reread()
    await reread()
    assert.equal(told(), 1)
    for (const headers of [
      asClient('shop'),
      asClient('shop', secretOf('shop', 2)),
      asClient('new'),
    ]) {
      assert.equal(await active(headers), true)
    }
    for (const broken of ['{', JSON.stringify({ clients: [entry('shop'), entry('shop')] })]) {
      writeClients(path, broken)
      own.log.length = 0
      await reread()
      await reread()
      assert.equal(own.log.filter(({ level }) => level === 'error').length, 1)
      assert.equal(await active(asClient('new')), true)
    }
    writeClients(path, [entry('shop', { secret_hash: hashOf(secretOf('shop', 2)) })])
    await reread()
    assert.equal(await active(asClient('shop')), false, 'the first secret has ended')
    assert.equal(await active(asClient('shop', secretOf('shop', 2))), true)
    assert.equal(await active(asClient('new')), false)
    await own.close()
  })
})
