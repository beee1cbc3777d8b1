import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import {
  accessClaims,
  assertAccepted,
  assertRefused,
  forge,
  headerOf,
  hs256,
  type Json,
  payloadOf,
  rs256,
  secondsOf,
} from '../forge.ts'
import { assertRefusal } from '../refusal.ts'

const secret = 'A secret 0f the specification, w1th m0re than 32 bytes'
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

// RS256 is the default of a new installation, HS256 that of one with a secret.
for (const [alg, env, signer] of [
  ['RS256', { TOKEN_PRIVATE_KEY: pem }, rs256(privateKey)],
  ['HS256', { TOKEN_SECRET: secret }, hs256(secret)],
] as const)
  suite(`spec 3.2: bearer token, ${alg}`, async () => {
    const app = await testApp({ TOKEN_ALGORITHM: '', ...env })
    const issue = (changes: Json) => forge({ alg, typ: 'JWT' }, accessClaims(app, changes), signer)

    test('the algorithm is that of the setting', async () => {
      assert.equal(headerOf(await app.token(app.admin)).alg, alg)
    })

    test('valid, time passes: expired as soon as now >= exp, with 401', async () => {
      const token = await app.token(app.admin)
      const { exp } = payloadOf(token)
      app.clock.advance(Number(exp) - secondsOf(app) - 1)
      await assertAccepted(app, token, 'a second before exp')
      app.clock.advance(1)
      await assertRefused(app, token, 'at exp')
      app.clock.advance(1)
      await assertRefused(app, token, 'after exp')
    })

    test('valid, time before nbf: not yet valid, until nbf less 5 seconds of tolerance', async () => {
      const token = issue({ nbf: secondsOf(app) + 60 })
      await assertRefused(app, token, 'a minute before nbf')
      app.clock.advance(54)
      await assertRefused(app, token, '6 seconds before nbf')
      app.clock.advance(1)
      await assertAccepted(app, token, '5 seconds before nbf')
      app.clock.advance(5)
      await assertAccepted(app, token, 'at nbf')
    })

    test('a token without nbf is valid from its iat', async () => {
      await assertAccepted(app, issue({ nbf: undefined }), 'no nbf')
      await assertRefused(app, issue({ nbf: undefined, iat: secondsOf(app) + 60 }), 'a later iat')
    })

    test('a token without exp is never valid', async () => {
      await assertRefused(app, issue({ exp: undefined }), 'no exp')
    })

    test('valid, revocation by logout: its jti is on a deny-list until its expiry', async () => {
      const [token, other] = [await app.token(app.admin), await app.token(app.admin)]
      const headers = { authorization: `Bearer ${token}` }
      const answer = await app.call('POST', '/logout', { headers })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Logged out' }])
      await assertRefused(app, token, 'the token of the logout')
      await assertAccepted(app, other, 'another of the same user')
      app.clock.advance(3599)
      await assertRefused(app, token, 'a second before exp')
    })

    test('valid, revocation by version: a change of the account ends the tokens before it', async () => {
      const ann = await app.account('ann')
      for (const json of [
        { roles: ['USER', 'EDITOR'] },
        { password: ann.password },
        { locked: true },
        { active: false },
      ]) {
        const token = await app.token(ann)
        await assertAccepted(app, token, 'before the change')
        const headers = app.basic(app.admin)
        const change = (fields: object) =>
          app.call('PUT', '/api/admin/accounts/ann', { headers, json: fields })
        assert.equal((await change(json)).status, 200)
        await assertRefused(app, token, Object.keys(json).join())
        await change({ locked: false, active: true })
        await assertRefused(app, token, 'what has ended does not come back')
      }
    })

    test('an invalid token counts as revoked: its logout is 200 and changes nothing', async () => {
      const before = await app.rows()
      for (const token of ['nonsense', issue({ exp: 1 })]) {
        const headers = { authorization: `Bearer ${token}` }
        assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
      }
      assert.deepEqual(await app.rows(), before)
    })

    test('an expired refresh token is rejected as well', async () => {
      const { refresh_token } = await app.pair(app.admin)
      const refresh = () => app.call('POST', '/refresh', { form: { refresh_token } })
      app.clock.advance(604_799)
      assert.equal((await refresh()).status, 200)
      app.clock.advance(1)
      assertRefusal(await refresh(), 401, 'Invalid refresh token')
    })
  })
