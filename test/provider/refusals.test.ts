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
