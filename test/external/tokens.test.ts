import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrolAtProvider } from '../factor.ts'
import { assertAccepted, assertRefused, headerOf, payloadOf } from '../forge.ts'
import { audience, clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

/** Spec 5.4: bearer tokens of an identity provider, wherever one of ours is accepted. */
suite('5.4: external tokens', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const app = await testApp(settingsFor(idp), { clock })
  const me = (token: string) =>
    app.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } })
  const by = (token: string) => ({ authorization: `Bearer ${token}` })

  for (const algorithm of ['RS256', 'ES256'] as const) {
    test(`${algorithm}: what the provider gives out is accepted, and /api/me shows its claims`, async () => {
      idp.algorithm = algorithm
      idp.extra = { roles: ['USER', 'ROLE_EDITOR', 'x'], email: 'robot@example.org', name: 'Robot' }
      const token = await idp.accessToken()
      assert.deepEqual([headerOf(token).alg, headerOf(token).typ], [algorithm, 'at+jwt'])
      const { status, body } = await me(token)
      assert.deepEqual(
        [status, body],
        [
          200,
          {
            sub: payloadOf(token).sub,
            email: 'robot@example.org',
            name: 'Robot',
            roles: ['USER', 'EDITOR'],
          },
        ],
      )
      const users = await app.call('GET', '/users', { headers: by(token) })
      assert.equal(users.status, 200)
      assertRefusal(
        await app.call('GET', '/api/admin/accounts', { headers: by(token) }),
        403,
        'Access denied',
      )
    })
  }

  test('our own tokens go on beside them', async () => {
    const token = await app.token(app.admin)
    await assertAccepted(app, token, 'own')
    assert.equal((await me(token)).body.sub, '1')
  })

  test('roles by a dotted path, and by a name that holds dots', async () => {
    const nested = await testApp(settingsFor(idp, { OIDC_ROLES_CLAIM: 'realm_access.roles' }), {
      clock,
    })
    const roles = async (claims: object) => {
      const token = idp.signed(idp.claims({ ...claims }))
      const { status, body } = await nested.call('GET', '/api/me', { headers: by(token) })
      assert.equal(status, 200)
      return body.roles
    }
    assert.deepEqual(await roles({ realm_access: { roles: ['ADMIN'] } }), ['ADMIN'])
    assert.deepEqual(await roles({ 'realm_access.roles': ['USER'] }), ['USER'])
    for (const claims of [
      {},
      { realm_access: null },
      { realm_access: 'ADMIN' },
      { realm_access: { roles: 'ADMIN' } },
      { realm_access: { roles: { 0: 'ADMIN' } } },
      { realm_access: { roles: [['ADMIN'], 'SUPERADMIN', 'admin', 5] } },
      { realm_access: ['roles'] },
    ])
      assert.deepEqual(await roles(claims), [], JSON.stringify(claims))
  })

  test('without a client: a key-set address and an audience are enough', async () => {
    const server = await testApp(
      {
        OIDC_ISSUER: idp.issuer,
        OIDC_AUDIENCE: audience,
        OIDC_JWKS_URI: `${idp.issuer}/jwks`,
      },
      { clock },
    )
    idp.asked.length = 0
    await assertAccepted(server, await idp.accessToken(), 'by key-set address')
    assert.deepEqual(
      idp.asked.filter((path) => path !== '/token'),
      ['/jwks'],
    )
    assertRefusal(await server.call('GET', '/oauth/login'), 404, 'Route not found')
  })

  test('without an audience none is accepted', async () => {
    const { OIDC_AUDIENCE: _, ...env } = settingsFor(idp)
    await assertRefused(await testApp(env, { clock }), await idp.accessToken(), 'no audience')
  })

  test('a caller without an account owns nothing, whatever its subject is', async () => {
    const ann = await app.account('ann')
    for (const sub of [String(ann.userId), 'ann', '1']) {
      const token = idp.signed(idp.claims({ sub, email: 'someone@example.org', roles: ['USER'] }))
      const call = { headers: by(token), json: { name: 'Mine' } }
      const before = await app.rows()
      for (const id of [ann.userId, 1])
        assertRefusal(await app.call('PUT', `/users/${id}`, call), 403, 'Access denied')
      for (const [method, path] of [
        ['POST', '/api/account/totp'],
        ['GET', '/api/account/identities'],
      ] as const) {
        const recent = idp.signed(
          idp.claims({ sub, roles: ['USER'], auth_time: Math.floor(clock.now() / 1000) }),
        )
        const answer = await app.call(method, path, { headers: by(recent) })
        assertRefusal(answer, 404, 'Account not found')
      }
      assert.deepEqual(await app.rows(), before)
    }
  })

  test("linked to an account, a caller owns what is the account's, and has its flags", async () => {
    idp.person = { sub: 'gil-1', name: 'Gil', email: 'gil@example.org', preferred_username: 'gil' }
    const browser = testBrowser(app)
    await browser.open('/oauth/login')
    const session = (await browser.call('GET', '/api/session')).body
    const token = idp.signed(idp.claims({ sub: 'gil-1', roles: ['USER'] }))
    const rename = (name: string) =>
      app.call('PUT', `/users/${session.user_id}`, { headers: by(token), json: { name } })
    assert.equal((await rename('Gilbert')).status, 200)
    assert.deepEqual((await me(token)).body, {
      sub: 'gil-1',
      email: 'gil@example.org',
      name: 'Gilbert',
      roles: ['USER'],
    })

    const change = (json: object) =>
      app.call('PUT', '/api/admin/accounts/gil', { headers: app.basic(app.admin), json })
    for (const [on, off] of [
      [{ locked: true }, { locked: false }],
      [{ active: false }, { active: true }],
    ] as const) {
      await change(on)
      await assertRefused(app, token, JSON.stringify(on))
      await change(off)
      await assertAccepted(app, token, JSON.stringify(off))
    }
    // A second factor of the account's own cannot be shown by a token: it no longer stands for it.
    const again = testBrowser(app)
    await again.open('/oauth/login')
    await enrolAtProvider(app, again)
    assertRefusal(await rename('Mallory'), 403, 'Access denied')
    assert.equal((await me(token)).status, 200)
  })

  test('a recent login is what `auth_time` says, and none without it', async () => {
    const headers = async (claims: object) =>
      by(idp.signed(idp.claims({ sub: 'hal-1', ...claims })))
    idp.person = { sub: 'hal-1', name: 'Hal', email: 'hal@example.org', preferred_username: 'hal' }
    await testBrowser(app).open('/oauth/login')
    const now = Math.floor(clock.now() / 1000)
    const begin = async (claims: object) =>
      app.call('POST', '/api/account/totp', { headers: await headers(claims) })
    assertRefusal(await begin({}), 401, 'Recent login required')
    assertRefusal(await begin({ auth_time: now - 901 }), 401, 'Recent login required')
    assertRefusal(await begin({ iat: now - 901, auth_time: now + 9 }), 401, 'Recent login required')
    assertRefusal(await begin({ auth_time: 'now' }), 401, 'Recent login required')
    // It has no password: the page takes the proof.
    const confirm_url = `${app.deps.config.baseUrl}/account/confirm?for=factor`
    const proven = { proofs: ['provider'], confirm_url }
    assertRefusal(await begin({ auth_time: now - 5 }), 401, 'Confirmation required', '', proven)
  })

  test('a logout ends the token here', async () => {
    const fraction = { exp: Math.floor(clock.now() / 1000) + 100.123456 }
    for (const token of [await idp.accessToken(), idp.signed(idp.claims(fraction))]) {
      await assertAccepted(app, token, 'before')
      const logout = await app.call('POST', '/logout', { headers: by(token) })
      assert.deepEqual([logout.status, logout.body], [200, { message: 'Logged out' }])
      await assertRefused(app, token, 'after')
    }
    await assertAccepted(app, idp.signed(idp.claims({ jti: 'another' })), 'another')
  })

  test('T48: the other signature that ECDSA has for a token does not outlive its logout', async () => {
    idp.algorithm = 'ES256'
    idp.extra = { roles: ['USER'] }
    const token = await idp.accessToken()
    const other = withOtherSignature(token)
    await assertAccepted(app, token, 'as given out')
    await assertAccepted(app, other, 'as any caller can write it')
    await app.call('POST', '/logout', { headers: by(token) })
    await assertRefused(app, token, 'ended')
    await assertRefused(app, other, 'ended by its other signature')
  })

  test('key rotation at the provider: new tokens at once, old keys end with the next look', async () => {
    const old = idp.signed(idp.claims())
    await assertAccepted(app, old, 'old key')
    clock.advance(31)
    idp.rotate()
    const fresh = idp.signed(idp.claims())
    await assertAccepted(app, fresh, 'new key')
    await assertRefused(app, old, 'a key that is gone')
  })

  test('a token dies on the second, also one that was verified before', async () => {
    const exp = Math.floor(clock.now() / 1000) + 10
    const token = idp.signed(idp.claims({ exp }))
    await assertAccepted(app, token, 'alive')
    clock.advance(exp - clock.now() / 1000)
    await assertRefused(app, token, 'at exp')
  })
})

/** Of an ES256 signature (r, s) the pair (r, n - s) is one as well, n being the order of P-256. */
function withOtherSignature(token: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const [header, payload, signature = ''] = token.split('.')
  const hex = Buffer.from(signature, 'base64url').toString('hex')
  const s = (order - BigInt(`0x${hex.slice(64)}`)).toString(16).padStart(64, '0')
  const other = Buffer.from(`${hex.slice(0, 64)}${s}`, 'hex').toString('base64url')
  return `${header}.${payload}.${other}`
}
