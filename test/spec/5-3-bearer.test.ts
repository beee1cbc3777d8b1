import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import {
  accessClaims,
  assertAccepted,
  assertRefused,
  forge,
  hs256,
  type Json,
  payloadOf,
  rs256,
} from '../forge.ts'
import { assertRefusal } from '../refusal.ts'

const secret = 'A secret 0f the specification, w1th m0re than 32 bytes'
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const TOKEN_ISSUER = 'https://issuer.example'

// RS256 is the default of a new installation, HS256 that of one with a secret.
for (const [alg, env, signer, wrong] of [
  ['RS256', { TOKEN_PRIVATE_KEY: pem }, rs256(privateKey), rs256(other)],
  ['HS256', { TOKEN_SECRET: secret }, hs256(secret), hs256(`${secret}!`)],
] as const)
  suite(`spec 5.3: bearer token, ${alg}`, async () => {
    const app = await testApp({ TOKEN_ALGORITHM: '', TOKEN_ISSUER, ...env })
    const ann = await app.account('ann', ['USER', 'EDITOR'])
    const header = { alg, typ: 'JWT' }
    const issue = (changes: Json = {}) => forge(header, accessClaims(app, changes), signer)
    const send = (path: string, authorization: string) =>
      app.call('GET', path, { headers: { authorization } })

    test('rule 1: Authorization: Bearer <ACCESS_TOKEN>', async () => {
      const token = await app.token(ann)
      for (const scheme of ['Bearer', 'bearer']) {
        for (const path of ['/api/me', '/users', '/api/v2/users']) {
          assert.equal((await send(path, `${scheme} ${token}`)).status, 200, path)
        }
      }
    })

    test('rule 2: the signature is checked', async () => {
      await assertAccepted(app, issue(), 'the right key')
      await assertRefused(app, forge(header, accessClaims(app), wrong), 'another key')
      const [head, , signature] = issue().split('.')
      const [, payload] = issue({ sub: '2' }).split('.')
      await assertRefused(app, `${head}.${payload}.${signature}`, 'another payload')
    })

    test('rule 2: algorithm none is forbidden', async () => {
      for (const none of ['none', 'None', 'NONE', '']) {
        const token = forge({ ...header, alg: none }, accessClaims(app), () => Buffer.alloc(0))
        await assertRefused(app, token, none)
      }
    })

    test('rule 2: exp, nbf and iss are checked', async () => {
      const now = Math.floor(app.clock.now() / 1000)
      for (const changes of [
        { exp: now },
        { nbf: now + 60 },
        { iss: 'https://other.example' },
        { iss: undefined },
      ]) {
        await assertRefused(app, issue(changes), JSON.stringify(changes))
      }
    })

    test('rule 2: a secret under 256 bits or a key under 2048 bits does not start', async () => {
      const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
      const small = short.export({ format: 'pem', type: 'pkcs8' }).toString()
      for (const [name, value] of [
        ['TOKEN_SECRET', 'A secret 0f 31 bytes, 1 too few'],
        ['TOKEN_PRIVATE_KEY', small],
      ] as const) {
        assert.throws(() => loadConfig({ [name]: value }), new RegExp(`${name} `))
      }
      assert.ok(loadConfig({ TOKEN_SECRET: 'A secret 0f 32 bytes, just right' }))
    })

    for (const [what, authorization] of [
      ['a missing header', ''],
      ['the wrong scheme', 'Token abc'],
    ] as const) {
      test(`rule 3: ${what} is 401`, async () => {
        const headers = authorization === '' ? {} : { authorization }
        const me = await app.call('GET', '/api/me', { headers })
        assertRefusal(me, 401, 'No token provided')
        assert.equal(me.headers['www-authenticate'], 'Bearer realm="API"')
        const users = await app.call('GET', '/users', { headers })
        assertRefusal(users, 401, 'Authentication required')
      })
    }

    test('rule 3: a failed validation is 401, and never falls through to a session', async () => {
      await assertRefused(app, 'nonsense', 'no token at all')
      const { cookie } = await app.session(ann)
      const headers = { cookie, authorization: 'Bearer nonsense' }
      const answer = await app.call('GET', '/users', { headers })
      assertRefusal(answer, 401, 'Invalid or expired token')
    })

    test('rule 3: user_id, username and roles are available to handlers', async () => {
      const headers = await app.bearer(ann)
      const { body } = await app.call('GET', '/api/me', { headers })
      assert.deepEqual([body.sub, body.roles], [String(ann.userId), ['USER', 'EDITOR']])
      const own = await app.call('PUT', `/users/${ann.userId}`, { headers, json: { name: 'Ann' } })
      assert.equal(own.status, 200)
      const others = await app.call('PUT', '/users/1', { headers, json: { name: 'Ann' } })
      assertRefusal(others, 403, 'Access denied')
    })

    test('rule 4: a refresh token is accepted only at /refresh', async () => {
      const { access_token, refresh_token } = await app.pair(ann)
      await assertRefused(app, refresh_token, 'a refresh token')
      await assertAccepted(app, access_token, 'the access token beside it')
      const refresh = (token: string) =>
        app.call('POST', '/refresh', { form: { refresh_token: token } })
      assert.equal((await refresh(refresh_token)).status, 200)
      assertRefusal(await refresh(access_token), 401, 'Invalid refresh token')
    })

    test('rule 5: no sensitive data is in the payload', async () => {
      const names = Object.keys(payloadOf(await app.token(ann))).sort()
      assert.deepEqual(names, [
        ...['amr', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'jti', 'nbf', 'roles', 'sub', 'type'],
        ...['username', 'ver'],
      ])
    })
  })

suite('spec 5.3: the secrets of bearer tokens', async () => {
  const app = await testApp({ TOKEN_SECRET: secret, TOKEN_ISSUER })

  test('rule 5: secrets come from configuration, and the one before still verifies', async () => {
    const next = await testApp({
      TOKEN_SECRET: 'Another secret 0f the specification, 2nd of them',
      TOKEN_SECRET_PREVIOUS: secret,
      TOKEN_ISSUER,
    })
    await assertAccepted(next, await app.token(app.admin), 'signed with the previous secret')
    const fresh = await next.token(next.admin)
    await assertAccepted(next, fresh, 'signed with the present one')
    await assertRefused(app, fresh, 'a secret that is not known here')
  })

  test('rule 2: TOKEN_RSA_BITS under 2048 does not start', () => {
    for (const TOKEN_RSA_BITS of ['2047', '1024', '0']) {
      assert.throws(() => loadConfig({ TOKEN_RSA_BITS }), /TOKEN_RSA_BITS must be .* from 2048 /)
    }
  })
})
