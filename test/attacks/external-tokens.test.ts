import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import {
  accessClaims,
  assertAccepted,
  assertRefused,
  forge,
  hs256,
  type Json,
  rs256,
} from '../forge.ts'
import { audience, es256, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'

suite('external tokens under attack', async () => {
  const idp = await identityProvider()
  const evil = await identityProvider()
  const clock = fixedClock(new Date().toISOString())
  const app = await testApp(settingsFor(idp), { clock })
  const keySets = () => idp.asked.filter((path) => path === '/jwks').length
  const now = () => Math.floor(clock.now() / 1000)
  const good = () => idp.signed(idp.claims({ iat: now(), exp: now() + 600 }))
  const unknown = (kid: string) => idp.signed(idp.claims({ iat: now(), exp: now() + 600 }), { kid })

  test('T16: 1,000 tokens with unknown key ids cause one look at the keys in 30 seconds', async () => {
    await assertAccepted(app, good(), 'good')
    clock.advance(31)
    idp.asked.length = 0
    const header = { alg: 'RS256', typ: 'at+jwt' }
    const anything = () => Buffer.alloc(256, 1) // no key, so nothing looks at it
    const claims = idp.claims({ iat: now(), exp: now() + 600 })
    // In waves: what all of them wait for has a time limit, and a busy machine is slow.
    for (let wave = 0; wave < 20; wave += 1) {
      const flood = Array.from({ length: 50 }, (_, index) => {
        const token = forge({ ...header, kid: `k${wave}-${index}` }, claims, anything)
        return app.call('GET', '/users', { headers: { authorization: `Bearer ${token}` } })
      })
      for (const answer of await Promise.all(flood))
        assertRefusal(answer, 401, 'Invalid or expired token')
    }
    assert.equal(keySets(), 1)
    clock.advance(15)
    await assertRefused(app, unknown('late'), 'within the cool-down')
    assert.equal(keySets(), 1)
    clock.advance(16)
    await assertRefused(app, unknown('later'), 'behind it')
    assert.equal(keySets(), 2)
  })

  test('T16: while the provider is down the last good keys verify, for a day', async () => {
    await assertAccepted(app, good(), 'up')
    await idp.stop()
    for (const seconds of [31, 601, 3600, 80_000]) {
      clock.advance(seconds)
      await assertAccepted(app, good(), `down for ${seconds} more`)
      await assertRefused(app, unknown('x'), 'unknown key, down')
    }
    clock.advance(86_400)
    const headers = { authorization: `Bearer ${good()}` }
    const answer = await app.call('GET', '/users', { headers })
    assertRefusal(answer, 503, 'Service unavailable')
    assert.equal(answer.headers['retry-after'], '5')
    assert.equal((await app.call('POST', '/login', { json: app.admin })).status, 200)
    await idp.start()
    clock.advance(6)
    await assertAccepted(app, good(), 'up again')
  })

  test('T17: a key of one issuer never speaks for another, however the names are put together', async () => {
    const two = await testApp(
      {
        ...settingsFor(idp),
        OIDC_PROVIDERS: 'evil',
        OIDC_EVIL_ISSUER: evil.issuer,
        OIDC_EVIL_AUDIENCE: audience,
      },
      { clock },
    )
    const times = { iat: now(), exp: now() + 600 }
    await assertAccepted(two, idp.signed(idp.claims(times)), 'first')
    await assertAccepted(two, evil.signed(evil.claims(times)), 'second')
    const forgeries: Json[] = [
      { iss: idp.issuer },
      { iss: `${idp.issuer}/` },
      { iss: idp.issuer.toUpperCase() },
      { iss: [evil.issuer, idp.issuer] },
      { iss: `${idp.issuer}|key-1` },
      { iss: undefined },
      { iss: app.deps.config.token.issuer },
    ]
    for (const forgery of forgeries) {
      const token = evil.signed(evil.claims({ ...times, ...forgery }))
      await assertRefused(two, token, JSON.stringify(forgery))
    }
    const kid = `${evil.issuer}|key-1`
    await assertRefused(two, evil.signed(idp.claims(times), { kid }), 'kid with an issuer in it')
  })

  test('T17: a key that the provider has taken away is refused after one look', async () => {
    const times = { iat: now(), exp: now() + 6000 }
    const token = idp.signed(idp.claims(times))
    await assertAccepted(app, token, 'while it is there')
    idp.rotate()
    clock.advance(601)
    const headers = { authorization: `Bearer ${token}` }
    // The first one looks, behind the answer.
    await until(async () => (await app.call('GET', '/users', { headers })).status === 401)
    await assertRefused(app, token, 'once it is gone')
  })

  test('T18: the e-mail address of an account in a token of a provider grants nothing', async () => {
    const ann = await app.account('ann', ['USER', 'ADMIN'], { email: 'ann@example.org' })
    const claims = { email: 'ann@example.org', email_verified: true, preferred_username: 'ann' }
    const times = { iat: now(), exp: now() + 600 }
    await assertRefused(app, evil.signed(evil.claims({ ...times, ...claims })), 'unknown issuer')
    const before = await app.rows()
    const token = idp.signed(idp.claims({ ...times, ...claims, sub: 'mallory' }))
    const headers = { authorization: `Bearer ${token}` }
    const me = await app.call('GET', '/api/me', { headers })
    assert.deepEqual(me.body.roles, ['USER'])
    const answer = await app.call('PUT', `/users/${ann.userId}`, { headers, json: { name: 'M' } })
    assertRefusal(answer, 403, 'Access denied')
    assert.deepEqual(await app.rows(), before)
  })

  suite('what is no access token of the provider for us is refused', () => {
    const claims: Readonly<Record<string, Json>> = {
      'of another audience': { aud: 'https://other.test' },
      'without an audience': { aud: undefined },
      'of a list without ours': { aud: ['a', 'b'] },
      'of our client id': { aud: 'gatehouse' },
      'without exp': { exp: undefined },
      'exp as text': { exp: '9999999999' },
      'exp beyond counting': { exp: 1e300 },
      'exp in the past': { exp: 1 },
      'not valid yet': { nbf: 9_999_999_999 },
      'issued tomorrow': { iat: 9_999_999_999 },
      'without sub': { sub: undefined },
      'sub empty': { sub: '' },
      'sub a number': { sub: 1 },
      'sub with NUL': { sub: 'a\0b' },
      'sub of 256 letters': { sub: 'x'.repeat(256) },
      'an ID token by its nonce': { nonce: 'n' },
      'an ID token by at_hash': { at_hash: 'h' },
      'a logout token': { events: {} },
      'an ID token as Keycloak has it': { typ: 'ID' },
      'a refresh token as Keycloak has it': { typ: 'Refresh' },
      'an ID token as Cognito has it': { token_use: 'id' },
      'bound to a key': { cnf: { jkt: 'x' } },
    }
    for (const [what, change] of Object.entries(claims)) {
      test(what, async () => {
        const times = { iat: now(), exp: now() + 600 }
        await assertRefused(app, idp.signed(idp.claims({ ...times, ...change })), what)
      })
    }

    const headers: Readonly<Record<string, Json>> = {
      'without a type': { typ: undefined },
      'of another type': { typ: 'dpop+jwt' },
      'a logout token by type': { typ: 'logout+jwt' },
      'critical extension': { crit: ['x'], x: 1 },
      'unencoded payload': { b64: false },
      'algorithm none': { alg: 'none' },
      'algorithm of another family': { alg: 'ES256' },
      'a symmetric algorithm': { alg: 'HS256' },
      'kid as a list': { kid: ['key-1'] },
      'kid that is a member of all objects': { kid: '__proto__' },
      'algorithm that is a member of all objects': { alg: 'constructor' },
    }
    for (const [what, change] of Object.entries(headers)) {
      test(what, async () => {
        const times = { iat: now(), exp: now() + 600 }
        await assertRefused(app, idp.signed(idp.claims(times), change), what)
      })
    }

    test('T04: signed with the public key as an HMAC secret, or with a key of its own header', async () => {
      const times = { iat: now(), exp: now() + 600 }
      const { keys } = (await (await fetch(`${idp.issuer}/jwks`)).json()) as { keys: Json[] } // RFC 7517
      const [jwk = {}] = keys
      const secret = JSON.stringify(jwk)
      const header = { alg: 'HS256', typ: 'at+jwt', kid: jwk.kid }
      await assertRefused(app, forge(header, idp.claims(times), hs256(secret)), 'HMAC')
      const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const inside = own.publicKey.export({ format: 'jwk' })
      for (const more of [{ jwk: inside }, { jku: `${evil.issuer}/jwks` }, { x5u: evil.issuer }]) {
        const forged = { alg: 'RS256', typ: 'at+jwt', kid: jwk.kid, ...more }
        await assertRefused(app, forge(forged, idp.claims(times), rs256(own.privateKey)), 'own key')
      }
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const es = { alg: 'ES256', typ: 'at+jwt', kid: keys[1]?.kid }
      await assertRefused(app, forge(es, idp.claims(times), es256(ec.privateKey)), 'own EC key')
    })

    test('one of our own tokens that names the provider as its issuer', async () => {
      const claims = accessClaims(app, { iss: idp.issuer, aud: audience })
      const token = await app.token(app.admin)
      const [header = ''] = token.split('.')
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
      await assertRefused(app, `${header}.${payload}.${token.split('.')[2]}`, 'mixed')
    })

    test('an external token is no refresh token, and no session', async () => {
      const token = idp.signed(idp.claims({ iat: now(), exp: now() + 600 }))
      const before = await app.rows()
      const refresh = await app.call('POST', '/refresh', { json: { refresh_token: token } })
      assertRefusal(refresh, 401, 'Invalid refresh token')
      const headers = { authorization: `Bearer ${token}` }
      for (const path of ['/api/session', '/api/protected']) {
        const answer = await app.call('GET', path, { headers })
        assertRefusal(answer, 401, 'Authentication required')
      }
      assert.deepEqual(await app.rows(), before)
    })
  })

  test('where the audience is our client id, only a token that says what it is passes', async () => {
    const same = await testApp(settingsFor(idp, { OIDC_AUDIENCE: 'gatehouse' }), { clock })
    const claims = idp.claims({ aud: 'gatehouse', iat: now(), exp: now() + 600 })
    await assertAccepted(same, idp.signed(claims), 'at+jwt')
    await assertRefused(same, idp.signed(claims, { typ: 'JWT' }), 'could be an ID token')
  })
})
