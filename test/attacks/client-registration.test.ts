import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { asClient } from '../clients.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/admin/clients/registration-tokens'
const redirect_uris = ['http://127.0.0.1:4711/callback']
const assistant = { client_name: 'An assistant', redirect_uris, token_endpoint_auth_method: 'none' }
const wanted = {
  ...{ name: 'assistants', scopes: ['openid', 'profile'] },
  redirect_hosts: ['localhost', 'app.example.org', 'com.example.app:'],
}
const challenge = 'Bearer realm="registration", error="invalid_token"'

suite('applications that register themselves', async () => {
  const app = await testApp({
    ...{ CLIENT_REGISTRATION: 'token', PROVIDER: 'on', LOGIN_IP_ATTEMPTS: '20' },
  })
  const headers = app.basic(app.admin)
  const newToken = async (json: object = {}) => {
    const made = await app.call('POST', path, { headers, json: { ...wanted, ...json } })
    assert.equal(made.status, 201)
    return made.body as { id: string; token: string; remaining: number }
  }
  const register = (token: string, json: object = assistant, from = '192.0.2.7') =>
    app.call('POST', '/oauth/register', {
      ...{ headers: { authorization: `Bearer ${token}` }, json, from },
    })
  const { id, token } = await newToken({ registrations: 100 })

  test('discovery names the endpoint', async () => {
    const { body } = await app.call('GET', '/.well-known/openid-configuration')
    assert.equal(body.registration_endpoint, `${app.deps.config.baseUrl}/oauth/register`)
  })

  test('a token is shown once, and only its digest is stored', async () => {
    const listed = await app.call('GET', path, { headers })
    assert.equal(listed.body[0].id, id)
    assert.ok(!listed.text.includes(token))
    assert.ok(!JSON.stringify(await app.rows()).includes(token))
  })

  test('an assistant without a secret becomes a native application that asks for consent', async () => {
    const { status, body } = await register(token)
    assert.equal(status, 201)
    const { client_id, client_id_issued_at, ...others } = body
    assert.match(client_id, /^reg-[\w-]{16}$/)
    assert.equal(client_id_issued_at, Math.floor(app.clock.now() / 1000))
    assert.deepEqual(others, {
      ...{ client_name: 'An assistant', redirect_uris, post_logout_redirect_uris: [] },
      ...{ token_endpoint_auth_method: 'none', scope: 'openid profile', subject_type: 'public' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    })
    const shown = await app.call('GET', `/api/admin/clients/${client_id}`, { headers })
    const { type, consent, allow, resource, may } = shown.body
    assert.deepEqual([type, consent, may], ['native', 'always', []])
    assert.deepEqual([allow, resource], [undefined, undefined])
  })

  test('one with a secret gets it once, and may do nothing with tokens of the service', async () => {
    const web = { redirect_uris: ['https://app.example.org/callback'], scope: 'openid' }
    const { body } = await register(token, web)
    assert.deepEqual(
      [body.token_endpoint_auth_method, body.scope, body.client_secret_expires_at],
      ['client_secret_basic', 'openid', 0],
    )
    const asked = await app.call('POST', '/oauth/introspect', {
      headers: asClient(body.client_id, body.client_secret),
      form: { token: 'any' },
    })
    assertRefusal(asked, 403, 'unauthorized_client')
  })

  test('one with a pairwise subject has addresses of one host', async () => {
    const page = ['https://app.example.org/a', 'https://app.example.org/b']
    const { body } = await register(token, {
      ...{ redirect_uris: page, token_endpoint_auth_method: 'none', subject_type: 'pairwise' },
    })
    assert.equal(body.subject_type, 'pairwise')
    const shown = await app.call('GET', `/api/admin/clients/${body.client_id}`, { headers })
    assert.deepEqual([shown.body.type, shown.body.subject], ['spa', 'pairwise'])
  })

  test('a token is for scopes of people: no application gets others by itself', async () => {
    const before = await app.rows()
    const json = { ...wanted, scopes: ['openid', 'posts:read'] }
    const refused = await app.call('POST', path, { headers, json })
    assert.deepEqual([refused.status, refused.body.error], [400, 'Validation failed'])
    assert.deepEqual(refused.body.details[0].path, ['scopes', '1'])
    assert.deepEqual((await app.rows()).registration_tokens, before.registration_tokens)
  })

  const redirect = 'invalid_redirect_uri'
  const metadata = 'invalid_client_metadata'
  const plain =
    'redirect_uris.0 must be an absolute address without "*", user name, password and fragment'
  const refusals: Readonly<Record<string, readonly [json: object, error: string, text: string]>> = {
    'another host': [
      { redirect_uris: ['https://evil.example.org/'] },
      redirect,
      'the token does not allow https://evil.example.org/',
    ],
    'a host that begins like an allowed one': [
      { redirect_uris: ['https://app.example.org.evil.test/'] },
      redirect,
      'the token does not allow https://app.example.org.evil.test/',
    ],
    'another port': [
      { redirect_uris: ['https://app.example.org:8443/'] },
      redirect,
      'the token does not allow https://app.example.org:8443/',
    ],
    'a name in front of the host': [
      { redirect_uris: ['https://app.example.org@evil.test/'] },
      redirect,
      'the token does not allow https://app.example.org@evil.test/',
    ],
    'a password in the address': [
      { redirect_uris: ['https://a:b@app.example.org/'] },
      redirect,
      plain,
    ],
    'a subject that is none': [
      { subject_type: 'private', redirect_uris: ['https://app.example.org/'] },
      metadata,
      'subject must be one of public, pairwise',
    ],
    'a pairwise subject of a loopback address': [
      { subject_type: 'pairwise' },
      metadata,
      'subject must be public for the type native',
    ],
    'no scope, which the provider would take for all': [
      { scope: '' },
      metadata,
      'scopes must have one of openid, profile, email, groups, roles, offline_access for the type native',
    ],
    'a key whose id is no text': [
      {
        ...{
          redirect_uris: ['https://app.example.org/'],
          jwks: { keys: [{ kty: 'OKP', kid: {} }] },
        },
        token_endpoint_auth_method: 'private_key_jwt',
      },
      metadata,
      'jwks has at 1 a key whose "kid" is of a wrong type',
    ],
    'a fragment': [{ redirect_uris: ['https://app.example.org/#x'] }, redirect, plain],
    'a script': [
      { redirect_uris: ['javascript:alert(1)'] },
      redirect,
      'the token does not allow javascript:alert(1)',
    ],
    'no address': [
      { redirect_uris: [] },
      redirect,
      'redirect_uris must name at least one address for the type spa',
    ],
    'a scope beyond the token': [
      { scope: 'openid email' },
      metadata,
      'the token does not allow the scope email',
    ],
    'the API': [{ scope: 'users:read' }, metadata, 'the token does not allow the scope users:read'],
    'client credentials': [
      { grant_types: ['client_credentials'] },
      metadata,
      'the grant client_credentials is not supported',
    ],
    'an implicit flow': [
      { response_types: ['token'] },
      metadata,
      'the response token is not supported',
    ],
    'a symmetric method': [
      { token_endpoint_auth_method: 'client_secret_jwt' },
      metadata,
      'client_secret_jwt is not supported',
    ],
    'keys that are none': [
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{}] } },
      metadata,
      'jwks has at 1 no public key',
    ],
    'a name that hides': [
      { client_name: 'a\u202eb' },
      metadata,
      'name must be a text of 1 to 100 characters',
    ],
    'a page of another host': [
      { client_uri: 'https://evil.example.org/' },
      metadata,
      'the token does not allow https://evil.example.org/',
    ],
  }
  for (const [what, [json, error, error_description]] of Object.entries(refusals)) {
    test(`${what} is refused, and no registration is used`, async () => {
      const before = await app.rows()
      const answer = await register(token, { ...assistant, ...json })
      assertRefusal(answer, 400, error, what, { error_description })
      const { clients, registration_tokens } = await app.rows()
      assert.deepEqual([clients, registration_tokens], [before.clients, before.registration_tokens])
    })
  }

  test('what is no metadata is refused in the words of the standard', async () => {
    for (const json of [[], { redirect_uris: 'x' }, { client_name: 7 }]) {
      assertRefusal(await register(token, json), 400, metadata)
    }
  })

  test('a token that is wrong, absent, expired, revoked or used up registers nothing', async () => {
    const before = await app.rows()
    const ended = await newToken({ expires_in_days: 1 })
    const revoked = await newToken()
    const gone = await app.call('DELETE', `${path}/${revoked.id}`, { headers })
    assert.equal(gone.status, 200)
    app.clock.advance(86_400)
    const again = await app.call('DELETE', `${path}/${revoked.id}`, { headers })
    assertRefusal(again, 404, 'Registration token not found')
    for (const text of ['', 'x', `${token}x`, token.slice(4), ended.token, revoked.token]) {
      const answer = await register(text)
      assertRefusal(answer, 401, 'invalid_token')
      assert.equal(answer.headers['www-authenticate'], challenge)
    }
    assert.deepEqual((await app.rows()).clients, before.clients)
  })

  test('no more applications register than the token allows, also at once', async () => {
    const { token: few } = await newToken({ registrations: 2 })
    const answers = await Promise.all([1, 2, 3, 4].map(() => register(few)))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 401, 401])
  })

  test('guesses count for the address, and others still register', async () => {
    for (let guess = 0; guess < 20; guess += 1) await register('x', assistant, '192.0.2.8')
    const blocked = await register(token, assistant, '192.0.2.8')
    assertRefusal(blocked, 429, 'Too many login attempts')
    assert.equal((await register(token, assistant, '192.0.2.9')).status, 201)
  })

  test('only an administrator makes tokens; with the setting off nothing registers', async () => {
    const before = await app.rows()
    const other = await app.bearer(await app.account('uwe'))
    assertRefusal(
      await app.call('POST', path, { headers: other, json: wanted }),
      403,
      'Access denied',
    )
    assert.deepEqual((await app.rows()).registration_tokens, before.registration_tokens)
    const place = { directory: app.directory, clock: app.clock }
    for (const env of [{ PROVIDER: 'on' }, { CLIENT_REGISTRATION: 'token' }]) {
      const off = await testApp(env, place)
      const metadata = await off.call('GET', '/.well-known/openid-configuration')
      assert.equal(metadata.body.registration_endpoint, undefined)
      const answer = await off.call('POST', '/oauth/register', {
        ...{ headers: { authorization: `Bearer ${token}` }, json: assistant },
      })
      assertRefusal(answer, 404, 'Route not found')
    }
    assert.deepEqual((await app.rows()).clients, before.clients)
  })
})
