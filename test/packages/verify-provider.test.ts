// A database makes a difference: the end of a token is a row that introspection must find.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { createVerifier, Refusal } from '../../packages/verify/src/index.ts'
import { entry, secretOf } from '../clients.ts'
import { headerOf, payloadOf } from '../forge.ts'
import {
  application,
  issuer,
  listening,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signedIn,
} from '../provider/application.ts'
import { startListener } from '../provider/listener.ts'
import { runJob } from '../statistics.ts'

const ofApi = { resource: issuer, scopes: ['openid', 'posts:read', 'posts:write'] }
const machine = { ...entry('batch'), type: 'machine', resource: issuer, scopes: ['posts:read'] }

/** 200, or the status of the refusal. */
function statusOf(work: Promise<unknown>): Promise<number> {
  return work.then(
    () => 200,
    (error: unknown) => (error instanceof Refusal ? error.status : assert.fail(String(error))),
  )
}

suite('packages/verify beside an OpenID Provider', async () => {
  const notes = await startListener()
  const app = await providerApp(
    [
      application('notes', { ...ofApi, backchannel_logout_uri: notes.url }),
      { ...machine, audiences: undefined, may: undefined },
      entry('shop', { audiences: ['api', 'notes', 'batch'] }),
    ],
    { TOKEN_ALGORITHM: 'RS256' },
  )
  const url = await listening(app)
  const shop = { id: 'shop', secret: secretOf('shop') }
  const strict = createVerifier({ issuer, audience: 'api', url, client: shop })
  const lenient = createVerifier({ issuer, audience: 'api', url, client: shop, applications: true })
  const ofNotes = createVerifier({ issuer, audience: 'notes', url, applications: true })
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann', ['USER', 'EDITOR', 'ADMIN'])

  /** What the application has of a person: an ID token, and a token for our API. */
  async function tokensOf() {
    const scope = 'openid posts:read'
    const { browser } = await signedIn(app, rp, ann, { scope, resource: issuer })
    const again = await request(rp, { scope, resource: issuer })
    const at = await open(browser, again.address)
    const { access_token, id_token = '' } = await redeem(rp, again, at, { resource: issuer })
    return { browser, access_token, id_token }
  }

  test('refuses ID tokens and logout tokens of the same key set, for each audience', async () => {
    const { browser, id_token } = await tokensOf()
    await browser.open('/signout')
    await browser.submit()
    await runJob(app, 'sign-outs of applications')
    const [logoutToken = ''] = notes.received
    const { body: jwks } = await app.call('GET', '/.well-known/jwks.json')
    const published = jwks.keys.map(({ kid }: { readonly kid: string }) => kid)
    for (const token of [id_token, logoutToken]) {
      assert.ok(published.includes(headerOf(token).kid))
      assert.deepEqual([payloadOf(token).iss, payloadOf(token).aud], [issuer, 'notes'])
      for (const verifier of [strict, lenient, ofNotes]) {
        assert.equal(await statusOf(verifier.verify(token)), 401)
        assert.equal(await statusOf(verifier.authenticate(`Bearer ${token}`)), 401)
      }
    }
  })

  test('refuses tokens of applications, unless they are asked for with a scope', async () => {
    const { access_token } = await tokensOf()
    assert.equal(headerOf(access_token).typ, 'at+jwt')
    const given = `Bearer ${access_token}`
    const needs = { scopes: ['posts:read'] }
    assert.equal(await statusOf(strict.authenticate(given, needs)), 401)
    const caller = await lenient.authenticate(given, needs)
    assert.deepEqual([caller.sub, caller.roles], [String(ann.userId), []])
    for (const more of [{}, { scopes: ['posts:write'] }, { ...needs, roles: ['ADMIN'] }]) {
      assert.equal(await statusOf(lenient.authenticate(given, more)), 403, JSON.stringify(more))
    }
    assert.ok(await lenient.authenticate(`Bearer ${await app.token(ann)}`, { roles: ['ADMIN'] }))
  })

  test('a token of an application ends with the session, as `live` sees', async () => {
    const { access_token, browser } = await tokensOf()
    const given = `Bearer ${access_token}`
    const needs = { scopes: ['posts:read'], live: true }
    assert.equal(await statusOf(lenient.authenticate(given, needs)), 200)
    await browser.open('/signout')
    await browser.submit()
    assert.equal(await statusOf(lenient.authenticate(given, needs)), 401)
    assert.equal(await statusOf(lenient.authenticate(given, { scopes: ['posts:read'] })), 200)
  })

  test('the token of a program has the program as its subject', async () => {
    const batch = await relyingParty(app, 'batch')
    const { access_token } = await client.clientCredentialsGrant(batch, {
      ...{ resource: issuer, scope: 'posts:read' },
    })
    const { sub } = await lenient.authenticate(`Bearer ${access_token}`, { scopes: ['posts:read'] })
    assert.equal(sub, 'client:batch')
  })

  test('a token that is bound to a key is refused', async () => {
    const { browser } = await tokensOf()
    const wanted = await request(rp, { scope: 'openid posts:read', resource: issuer })
    const at = await open(browser, wanted.address)
    const { access_token } = await client.authorizationCodeGrant(
      rp,
      new URL(at ?? ''),
      {
        ...{ pkceCodeVerifier: wanted.verifier, expectedState: wanted.state },
        expectedNonce: wanted.nonce,
      },
      { resource: issuer },
      { DPoP: client.getDPoPHandle(rp, await client.randomDPoPKeyPair('ES256')) },
    )
    assert.ok(payloadOf(access_token).cnf)
    const asked = lenient.authenticate(`Bearer ${access_token}`, { scopes: ['posts:read'] })
    assert.equal(await statusOf(asked), 401)
  })

  test('after a rotation the new key counts at once, a retired one for at most 5 minutes', async ({
    mock,
  }) => {
    // Of the package, and of the service.
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const advance = (seconds: number) => mock.timers.setTime(Date.now() + seconds * 1000)
    const before = await app.token(ann)
    assert.equal(await statusOf(strict.verify(before)), 200)
    const headers = app.basic(app.admin)
    const rotated = await app.call('POST', '/api/admin/keys/rotate', { headers, json: {} })
    assert.equal(rotated.status, 200, rotated.text)
    advance(200)
    assert.equal(await statusOf(strict.verify(before)), 200)
    advance(500)
    const token = await app.token(ann)
    assert.notEqual(headerOf(token).kid, headerOf(before).kid)
    assert.equal(await statusOf(strict.verify(token)), 200)
    assert.equal(await statusOf(strict.verify(before)), 200)
    const path = `/api/admin/keys/${headerOf(before).kid}/retire`
    assert.equal((await app.call('POST', path, { headers })).status, 200)
    assert.equal(await statusOf(strict.verify(before)), 200)
    advance(300)
    assert.equal(await statusOf(strict.verify(before)), 401)
    assert.equal(await statusOf(strict.verify(await app.token(ann))), 200)
  })
})
