import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { suite, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { type TestApp, testApp } from '../app.ts'
import { forge, hs256, rs256, secondsOf } from '../forge.ts'
import { assertRefusal } from '../refusal.ts'

const secret = 'a secret 0f version 0.2.0, w1th more than 32 bytes'
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const day = 86_400

/** Starts on a key set as version 0.2.0 left it: no key of refresh tokens, and no usage. */
async function upgraded(before: Record<string, string>, after = before) {
  const old = await testApp(before)
  const { kid, algorithm, signWith } = (await loadKeySet(old.deps)).current
  await old.deps.db.deleteFrom('keys').where('usage', '=', 'refresh').execute()
  await old.deps.db.updateTable('keys').set({ usage: null }).execute()
  old.clock.advance(3600)
  const { directory, clock } = old
  const app = await testApp({ TOKEN_ALGORITHM: '', ...after }, { directory, clock, seed: 2 })
  clock.advance(60)
  return {
    app,
    kid,
    algorithm,
    token: (seconds?: number) => oldRefresh(app, { kid, signWith }, seconds),
  }
}

/** A refresh token as version 0.2.0 signed it: with the key of access tokens. */
function oldRefresh(
  app: TestApp,
  { kid, signWith }: { kid: string; signWith: KeyObject },
  seconds = 7 * day,
): string {
  const isSecret = signWith.type === 'secret'
  const now = secondsOf(app)
  const iss = app.deps.config.token.issuer
  return forge(
    { alg: isSecret ? 'HS256' : 'RS256', typ: 'JWT', kid, rid: 'old', ver: 1, auth_time: now },
    { iss, sub: '1', type: 'refresh', iat: now, exp: now + seconds },
    isSecret ? hs256(signWith.export()) : rs256(signWith),
  )
}

const refresh = (app: TestApp, refresh_token: string) =>
  app.call('POST', '/refresh', { form: { refresh_token } })

suite('the keys of version 0.2.0', () => {
  for (const [what, before, after, algorithm] of [
    ['a generated HS256 key', {}, {}, 'HS256'],
    ['a generated RS256 key', { TOKEN_ALGORITHM: 'RS256' }, {}, 'RS256'],
    ['TOKEN_SECRET', { TOKEN_SECRET: secret }, { TOKEN_SECRET: secret }, 'HS256'],
    [
      'TOKEN_PRIVATE_KEY',
      { TOKEN_ALGORITHM: 'RS256', TOKEN_PRIVATE_KEY: pem },
      { TOKEN_PRIVATE_KEY: pem },
      'RS256',
    ],
  ] as const) {
    test(`${what}: the algorithm stays, and refresh tokens work until they expire`, async () => {
      const old = await upgraded(before, after)
      const { app } = old
      const pair = await app.pair(app.admin)
      const [access, own] = [pair.access_token, pair.refresh_token].map(decodeProtectedHeader)
      assert.deepEqual([access?.alg, access?.kid], [algorithm, old.kid])
      assert.equal(own?.alg, 'HS256')
      assert.notEqual(own?.kid, old.kid)
      const token = old.token()
      assert.equal((await refresh(app, token)).status, 200)
      app.clock.advance(7 * day - 1)
      assert.equal((await refresh(app, token)).status, 200, 'in the last second of its life')
      app.clock.advance(1)
      assertRefusal(await refresh(app, token), 401, 'Invalid refresh token')
    })
  }

  test('a week and a day after the upgrade only keys of refresh tokens verify those', async () => {
    const { app, token } = await upgraded({ TOKEN_SECRET: secret })
    const long = token(30 * day)
    app.clock.advance(8 * day - 61)
    assert.equal((await refresh(app, long)).status, 200)
    app.clock.advance(1)
    assertRefusal(await refresh(app, long), 401, 'Invalid refresh token')
    assert.equal((await refresh(app, (await app.pair(app.admin)).refresh_token)).status, 200)
  })

  test('a node of 0.2.0 that works beside this one may sign with a key that was made here', async () => {
    const { app } = await upgraded({})
    const keys = await loadKeySet(app.deps)
    await keys.rotate({ atOnce: true })
    app.clock.advance(3)
    assert.equal((await refresh(app, oldRefresh(app, keys.current))).status, 200)
  })

  test('longer, where REFRESH_TOKEN_SECONDS is longer', async () => {
    const env = { TOKEN_SECRET: secret, REFRESH_TOKEN_SECONDS: String(30 * day) }
    const { app, token } = await upgraded(env)
    const long = token(30 * day)
    app.clock.advance(30 * day - 1)
    assert.equal((await refresh(app, long)).status, 200)
  })

  for (const env of [
    { TOKEN_SECRET: secret },
    { TOKEN_ALGORITHM: 'RS256', TOKEN_PRIVATE_KEY: pem },
    {},
  ]) {
    test(`a new installation never takes one for the other: ${Object.keys(env)}`, async () => {
      const app = await testApp(env)
      const key = (await loadKeySet(app.deps)).current
      const before = await app.rows()
      assertRefusal(await refresh(app, oldRefresh(app, key)), 401, 'Invalid refresh token')
      assert.deepEqual(await app.rows(), before)
    })
  }
})
