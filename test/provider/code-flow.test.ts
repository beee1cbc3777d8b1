// A database makes a difference: one transaction stores what a request of the protocol makes.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { pageBrowser } from '../page-browser.ts'
import {
  allow,
  application,
  issuer,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signIn,
  userinfo,
} from './application.ts'

suite('an application signs a person in', async () => {
  const app = await providerApp([application('notes')])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')

  test('by our sign-in, a consent and a code', async () => {
    const browser = pageBrowser(app)
    const asked = await request(rp)
    assert.equal(await open(browser, asked.address), null)
    assert.match(browser.path(), /^\/signin\?return_to=%2Foauth%2Finteraction%2F/)
    assert.equal(await signIn(browser, ann), null)
    assert.equal(browser.heading(), 'Sign in to Notes')
    const tokens = await redeem(rp, asked, await allow(browser))
    const claims = tokens.claims()
    assert.equal(claims?.sub, String(ann.userId))
    assert.equal(claims?.iss, issuer)
    const { body } = await userinfo(app, tokens.access_token)
    assert.deepEqual(body, {
      sub: String(ann.userId),
      preferred_username: 'ann',
      name: 'ann',
      groups: ['USER'],
    })
    const next = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    assert.notEqual(next.refresh_token, tokens.refresh_token)
  })
})
