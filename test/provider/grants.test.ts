import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { asClient } from '../clients.ts'
import { pageBrowser } from '../page-browser.ts'
import { application, errorOf, issuer, providerApp, relyingParty, signedIn } from './application.ts'
import { codeFor, open, parameters } from './pages.ts'

const daySeconds = 86_400

suite('what an application can exchange for tokens, and how long', async () => {
  const scopes = ['openid', 'offline_access']
  const app = await providerApp([application('notes', { scopes })])
  const ann = await app.account('ann')
  const exchange = (form: Record<string, string>) =>
    app.call('POST', '/oauth/token', { headers: asClient('notes'), form })
  const artifacts = async () => (await app.rows()).provider_artifacts

  test('a code lives for a minute', async () => {
    const inTime = await codeFor(app, ann)
    app.clock.advance(20) // the clock runs, and the machine may be busy
    assert.equal((await exchange(inTime)).status, 200)
    const late = await codeFor(app, await app.account('ben'))
    app.clock.advance(60)
    const before = await artifacts()
    const { status, body } = await exchange(late)
    const error_description = 'grant request is invalid'
    assert.deepEqual([status, body], [400, { error: 'invalid_grant', error_description }])
    assert.deepEqual(await artifacts(), before)
  })

  for (const grant_type of [
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ]) {
    test(`the grant ${grant_type} is refused, whatever password it brings`, async () => {
      const before = await app.rows()
      const { username, password } = ann
      const { status, body } = await exchange({ grant_type, username, password, scope: 'openid' })
      assert.equal(status, 400)
      assert.deepEqual(body, {
        error: 'unsupported_grant_type',
        error_description: 'unsupported grant_type requested',
      })
      assert.deepEqual(await app.rows(), before)
    })
  }

  for (const response_type of ['token', 'id_token', 'id_token token', 'code token', 'none']) {
    test(`the response type ${response_type} is refused, without a token in the address`, async () => {
      const before = await app.rows()
      const query = new URLSearchParams({ ...parameters, response_type, nonce: 'x' })
      const at = new URL((await open(pageBrowser(app), `/oauth/authorize?${query}`)) ?? '')
      assert.equal(at.hash, '')
      const { error_description, ...named } = Object.fromEntries(at.searchParams)
      assert.deepEqual(named, { error: 'unsupported_response_type', state: 'x', iss: issuer })
      assert.equal(error_description, 'unsupported response_type requested')
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('refresh tokens with offline_access end a year after the consent, however often they are used', async () => {
    const rp = await relyingParty(app, 'notes')
    const more = { scope: 'openid offline_access', prompt: 'consent' }
    const { tokens } = await signedIn(app, rp, ann, more)
    let token = tokens.refresh_token ?? ''
    const useIt = async () => {
      token = (await client.refreshTokenGrant(rp, token)).refresh_token ?? ''
    }
    for (let days = 5; days < 365; days += 5) {
      app.clock.advance(5 * daySeconds)
      await useIt()
    }
    app.clock.advance(5 * daySeconds - 3600)
    await useIt()
    app.clock.advance(3600)
    assert.equal(await errorOf(client.refreshTokenGrant(rp, token)), '400 invalid_grant')
  })
})
