// A database makes a difference: an assertion is a row that counts once, and a token one that ends.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Answer, TestApp } from '../app.ts'
import { testApp } from '../app.ts'
import { asClient, clientsFile, entry, secretOf } from '../clients.ts'
import {
  application,
  issuer,
  providerApp,
  publicApplication,
  relyingParty,
  signedIn,
  userinfo,
} from './application.ts'

const { privateKey, publicKey } = await generateKeyPair('ES256')
const jwks = { keys: [await exportJWK(publicKey)] }
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const [own, foreign] = ['https://notes.example.org', 'https://evil.example']
const allowed = 'access-control-allow-origin'

let made = 0
const assertion = async (client_id: string, more: object = {}, key = privateKey) => {
  const now = Math.floor(Date.now() / 1000)
  made += 1
  const claims = { iss: client_id, sub: client_id, aud: issuer, jti: `a ${made}`, ...more }
  const client_assertion = await new SignJWT({ iat: now, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key)
  return { client_assertion, client_assertion_type: type }
}

const keyed = { client_auth: 'private_key_jwt', jwks, secret_hash: undefined }
const asking = { audiences: ['browser'], may: ['introspect', 'revoke'] }
const clients = [
  ...[publicApplication('browser'), publicApplication('other'), application('basic')],
  application('post', { client_auth: 'post', ...asking }),
  application('keys', { ...keyed, ...asking }),
  publicApplication('eager', { audiences: ['api'], may: ['introspect', 'revoke'] }),
  entry('shop'),
]

const post = { client_id: 'post', client_secret: secretOf('post') }

suite('a client that authenticates by the form', async () => {
  const app = await providerApp(clients)
  const browser = await relyingParty(app, 'browser', { secret: null })
  const ann = await app.account('ann')
  const send = (path: 'introspect' | 'revoke', form: object, headers = {}): Promise<Answer> =>
    app.call('POST', `/oauth/${path}`, { headers, form: form as Record<string, string> })
  const tokens = async () => (await signedIn(app, browser, ann)).tokens
  const isLive = async (token: string) => (await userinfo(app, token)).status === 200

  test('ends its own tokens without a secret, and those of no other', async () => {
    const { access_token, refresh_token = '' } = await tokens()
    const other = await send('revoke', { client_id: 'other', token: refresh_token })
    assert.deepEqual([other.status, other.text], [200, ''])
    assert.ok(await isLive(access_token))
    const answer = await send('revoke', { client_id: 'browser', token: refresh_token })
    assert.deepEqual([answer.status, answer.text], [200, ''])
    assert.ok(!(await isLive(access_token)))
  })

  test('ends what its entry names: by a secret, and by keys', async () => {
    for (const credential of [post, await assertion('keys')]) {
      const { access_token } = await tokens()
      const form = { ...credential, token: access_token }
      const { status, text } = await send('revoke', form)
      assert.deepEqual([status, text], [200, ''], text)
      assert.ok(!(await isLive(access_token)))
    }
  })

  test('a field without a value is not there', async () => {
    const empty = { client_secret: '' }
    for (const credential of [
      { client_id: 'browser', ...empty },
      { ...(await assertion('keys')), ...empty },
      { ...post, client_assertion: '' },
    ]) {
      const { access_token } = await tokens()
      const { status, text } = await send('revoke', { ...credential, token: access_token })
      assert.deepEqual([status, text], [200, ''], JSON.stringify(credential))
      assert.ok(!(await isLive(access_token)))
    }
  })

  test('asks about tokens by a secret and by keys, and a public one never', async () => {
    const { access_token: token } = await tokens()
    for (const credential of [post, await assertion('keys')]) {
      const { status, body } = await send('introspect', { ...credential, token })
      assert.deepEqual([status, body.active, body.username], [200, true, 'ann'])
    }
    for (const client_id of ['browser', 'eager']) {
      const { status, body } = await send('introspect', { client_id, token })
      assert.deepEqual([status, body], [403, { error: 'unauthorized_client' }])
    }
  })

  test('a public client has no right of its entry over tokens of the service', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    for (const token of [refresh_token, access_token]) {
      assert.equal((await send('revoke', { client_id: 'eager', token })).status, 200)
    }
    const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
    assert.equal(refreshed.status, 200, refreshed.text)
  })

  test('is refused by a credential that is not its own, and nothing ends', async () => {
    const { access_token: token } = await tokens()
    const wrong = [
      { client_id: 'nobody' },
      { client_id: 'post' },
      { client_id: 'post', client_secret: 'x' },
      { client_id: 'keys' },
      { client_id: 'keys', client_secret: secretOf('keys') },
      { client_id: 'browser', client_secret: 'x' },
      { client_id: 'shop', client_secret: secretOf('shop') }, // no application
      await assertion('browser'),
      await assertion('keys', { aud: 'https://other.example' }),
      await assertion('keys', {}, (await generateKeyPair('ES256')).privateKey),
    ]
    for (const credential of wrong) {
      const { status, body, headers } = await send('revoke', { ...credential, token })
      const what = JSON.stringify(credential)
      assert.deepEqual([status, body], [401, { error: 'invalid_client' }], what)
      assert.ok(headers['www-authenticate'], what)
    }
    assert.ok(await isLive(token))
  })

  test('is refused by two credentials, by two names, and without a token', async () => {
    const invalid = [400, { error: 'invalid_request' }]
    const bothWays = { ...post, ...(await assertion('keys')) }
    for (const form of [bothWays, { ...(await assertion('keys')), client_id: 'browser' }]) {
      const { status, body } = await send('revoke', { ...form, token: 'x' })
      assert.deepEqual([status, body], invalid, JSON.stringify(form))
    }
    const { status, body } = await send('revoke', { client_id: 'browser' })
    assert.deepEqual([status, body], invalid)
    const none = await send('revoke', { token: 'x' })
    assert.deepEqual([none.status, none.body], [401, { error: 'invalid_client' }])
  })

  test('what is no form that is read has no credential', async () => {
    const type = 'application/x-www-form-urlencoded'
    const text = 'client_id=browser&token=x'
    for (const headers of [
      { 'content-type': 'application/json' },
      { 'content-type': `${type}; charset=utf-16` },
      { 'content-type': type, 'content-encoding': 'gzip' },
      { 'content-type': 'text/plain' },
    ]) {
      for (const path of ['introspect', 'revoke']) {
        const answer = await app.call('POST', `/oauth/${path}`, { headers, body: text })
        assert.deepEqual([answer.status, answer.body], [401, { error: 'invalid_client' }])
      }
    }
  })

  test('an assertion counts once at all endpoints', async () => {
    const credential = await assertion('keys')
    assert.equal((await send('introspect', { ...credential, token: 'x' })).status, 200)
    for (const path of ['introspect', 'revoke'] as const) {
      const { status, body } = await send(path, { ...credential, token: 'x' })
      assert.deepEqual([status, body], [401, { error: 'invalid_client' }], path)
    }
    const again = await app.call('POST', '/oauth/token', {
      form: { ...credential, grant_type: 'refresh_token', refresh_token: 'x' },
    })
    assert.deepEqual([again.status, again.body.error], [401, 'invalid_client'])
  })

  test('a page reaches the revocation from the origin of its application alone', async () => {
    const { access_token: token } = await tokens()
    const asked = await app.call('OPTIONS', '/oauth/revoke', {
      headers: { origin: own, 'access-control-request-method': 'POST' },
    })
    assert.deepEqual([asked.status, asked.headers[allowed]], [204, own])
    const from = (origin: string) =>
      send('revoke', { client_id: 'browser', token }, { origin, 'sec-fetch-site': 'cross-site' })
    const others = await from(foreign)
    assert.deepEqual([others.status, others.body], [400, { error: 'invalid_request' }])
    assert.equal(others.headers[allowed], undefined)
    assert.ok(await isLive(token))
    const ours = await from(own)
    assert.deepEqual([ours.status, ours.headers[allowed]], [200, own])
    assert.ok(!(await isLive(token)))
  })

  test('the discovery document names the methods', async () => {
    const { body } = await app.call('GET', '/.well-known/openid-configuration')
    const secret = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
    assert.deepEqual(body.introspection_endpoint_auth_methods_supported, secret)
    assert.deepEqual(body.revocation_endpoint_auth_methods_supported, [...secret, 'none'])
    assert.equal(body.revocation_endpoint, `${issuer}/oauth/revoke`)
    for (const name of ['token', 'introspection', 'revocation']) {
      const algorithms = body[`${name}_endpoint_auth_signing_alg_values_supported`]
      assert.deepEqual(algorithms, ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'], name)
    }
  })
})

suite('guesses of a secret in the form', async () => {
  const app = await providerApp(clients, { LOGIN_ATTEMPTS: '5' })

  test('are limited, and the application still comes in', async () => {
    const ask = (client_secret: string, from: string) =>
      app.call('POST', '/oauth/revoke', {
        from,
        form: { client_id: 'post', client_secret, token: 'x' },
      })
    const statuses = []
    for (let count = 0; count < 30; count += 1) {
      statuses.push((await ask(`guess ${count}`, '203.0.113.9')).status)
    }
    assert.ok(statuses.filter((status) => status === 401).length <= 10, statuses.join())
    assert.equal(statuses.at(-1), 429)
    assert.equal((await ask(secretOf('post'), '203.0.113.10')).status, 200)
    assert.ok(!JSON.stringify(app.log).includes('guess 1'))
  })
})

suite('without the provider', async () => {
  const app: TestApp = await testApp({ CLIENTS_FILE: clientsFile(clients) })

  test('Basic alone counts, before the body is read', async () => {
    for (const path of ['introspect', 'revoke']) {
      for (const form of [
        { client_id: 'browser', token: 'x' },
        { ...post, token: 'x' },
      ]) {
        const { status, body } = await app.call('POST', `/oauth/${path}`, { form })
        assert.deepEqual([status, body], [401, { error: 'invalid_client' }])
      }
      const json = await app.call('POST', `/oauth/${path}`, { json: { token: 'x' } })
      assert.equal(json.status, 401)
      const form = { token: 'x' }
      const headers = asClient('shop')
      assert.equal((await app.call('POST', `/oauth/${path}`, { headers, form })).status, 200)
    }
    const headers = { origin: own, 'access-control-request-method': 'POST' }
    assert.equal((await app.call('OPTIONS', '/oauth/revoke', { headers })).status, 404)
  })

  test('a page of CORS_ORIGINS reaches the revocation, as before', async () => {
    const open = await testApp({ CLIENTS_FILE: clientsFile(clients), CORS_ORIGINS: own })
    const asked = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' }
      return (await open.call('OPTIONS', '/oauth/revoke', { headers })).headers[allowed]
    }
    assert.deepEqual([await asked(own), await asked(foreign)], [own, undefined])
  })
})
