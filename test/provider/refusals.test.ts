import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { asClient, callback, deviceApplication, secretOf } from '../clients.ts'
import { pageBrowser } from '../page-browser.ts'
import { application, providerApp } from './application.ts'
import { allow, code_verifier, open, parameters, signIn } from './pages.ts'

suite('the endpoints of applications refuse in the words of the standards', async () => {
  const app = await providerApp([
    application('notes'),
    deviceApplication('tv', { client_auth: 'basic', secret_hash: application('tv').secret_hash }),
  ])
  const tables = async () => {
    const { provider_artifacts, provider_consents } = await app.rows()
    return { provider_artifacts, provider_consents }
  }

  for (const [path, id] of [
    ['par', 'notes'],
    ['device', 'tv'],
  ] as const) {
    test(`POST /oauth/${path} by a wrong secret: 401 invalid_client, and nothing is stored`, async () => {
      const before = await tables()
      const form = { client_id: id, scope: 'openid' }
      const headers = asClient(id, `${secretOf(id)}x`)
      const answer = await app.call('POST', `/oauth/${path}`, { headers, form })
      assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'])
      assert.deepEqual(await tables(), before)
    })
  }

  test('userinfo refuses no token, and a token without the scope openid', async () => {
    const browser = pageBrowser(app)
    const query = new URLSearchParams({ ...parameters, scope: 'profile' })
    assert.equal(await open(browser, `/oauth/authorize?${query}`), null)
    const at = (await signIn(browser, await app.account('ann'))) ?? (await allow(browser))
    const code = new URL(at ?? '').searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback }
    const { body } = await app.call('POST', '/oauth/token', {
      headers: asClient('notes'),
      form: { ...form, code_verifier },
    })
    assert.equal(body.scope, 'profile')
    for (const method of ['GET', 'POST'] as const) {
      const ask = (text: string) =>
        app.call(method, '/oauth/userinfo', { headers: { authorization: `Bearer ${text}` } })
      const none = await ask('x'.repeat(43))
      assert.deepEqual([none.status, none.body.error], [401, 'invalid_token'], method)
      const refused = await ask(body.access_token)
      assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'], method)
      assert.match(String(refused.headers['www-authenticate']), /insufficient_scope/)
    }
  })
})

suite('a program gets its errors as JSON', async () => {
  const app = await providerApp([application('notes'), deviceApplication('tv')])

  for (const [method, path, status, error] of [
    ['GET', '/oauth/userinfo', 401, 'invalid_token'],
    ['POST', '/oauth/userinfo', 401, 'invalid_token'],
    ['POST', '/oauth/token', 401, 'invalid_client'],
    ['POST', '/oauth/par', 401, 'invalid_client'],
    ['POST', '/oauth/device', 401, 'invalid_client'],
    ['POST', '/oauth/revoke', 401, 'invalid_client'],
    ['POST', '/oauth/introspect', 401, 'invalid_client'],
  ] as const) {
    test(`${method} ${path}, whatever it accepts`, async () => {
      const isUserinfo = path.endsWith('userinfo')
      const authorization = isUserinfo ? { authorization: `Bearer ${'x'.repeat(43)}` } : {}
      const form = { client_id: 'nobody', token: 'x', grant_type: 'refresh_token' }
      for (const accept of ['text/html', 'text/html,*/*;q=0.1', 'image/png', '*/*']) {
        const headers = { accept, 'sec-fetch-mode': 'navigate', ...authorization }
        const body = method === 'POST' && !isUserinfo ? { form } : {}
        const answer = await app.call(method, path, { headers, ...body })
        assert.deepEqual([answer.status, answer.body.error], [status, error], accept)
        assert.match(String(answer.headers['content-type']), /^application\/json/)
      }
    })
  }

  test('a page may ask before each of them', async () => {
    for (const path of ['token', 'par', 'device', 'userinfo', 'revoke']) {
      const origin = 'https://notes.example.org'
      const headers = { origin, 'access-control-request-method': 'POST' }
      const { status, headers: given } = await app.call('OPTIONS', `/oauth/${path}`, { headers })
      assert.deepEqual([status, given['access-control-allow-origin']], [204, origin], path)
    }
  })
})

suite('an answer by the fragment', async () => {
  const app = await providerApp([application('notes', { consent: 'none' })])

  test('is not offered, and refused by the query', async () => {
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const { body } = await app.call('GET', `/.well-known/${path}`)
      assert.deepEqual(body.response_modes_supported, ['query', 'form_post'])
    }
    const query = new URLSearchParams({ ...parameters, response_mode: 'fragment' })
    const at = new URL((await open(pageBrowser(app), `/oauth/authorize?${query}`)) ?? '')
    assert.equal(at.hash, '')
    assert.equal(at.searchParams.get('error'), 'unsupported_response_mode')
    assert.equal(at.searchParams.get('state'), parameters.state)
    const form = { ...parameters, response_mode: 'fragment' }
    const pushed = await app.call('POST', '/oauth/par', { headers: asClient('notes'), form })
    assert.deepEqual([pushed.status, pushed.body.error], [400, 'unsupported_response_mode'])
    assert.deepEqual((await app.rows()).flows, [])
  })

  test('carries no error of another parameter either', async () => {
    for (const more of [
      { prompt: 'none' },
      { prompt: 'nothing' },
      { max_age: '-1' },
      { code_challenge_method: 'plain' },
      { response_type: 'token' },
      { id_token_hint: 'x' },
    ]) {
      for (const response_mode of ['fragment', 'jwt', 'query', '']) {
        const query = new URLSearchParams({ ...parameters, ...more, response_mode })
        const at = new URL((await open(pageBrowser(app), `/oauth/authorize?${query}`)) ?? '')
        assert.equal(at.hash, '', JSON.stringify([more, response_mode]))
        assert.ok(at.searchParams.has('error'), at.href)
        assert.equal(at.searchParams.get('state'), parameters.state)
      }
    }
    assert.deepEqual((await app.rows()).flows, [])
  })
})
