// A database makes a difference: sessions, keys and limits are rows that a request must find again.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as client from 'openid-client'
import type { Answer, TestApp } from '../app.ts'
import { asClient, entry, secretOf } from '../clients.ts'
import { shownRoutes } from '../examples.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertRefusal } from '../refusal.ts'
import {
  allow,
  application,
  callback,
  issuer,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  settle,
  signedIn,
  signIn,
} from './application.ts'

const ofApi = { resource: issuer, scopes: ['openid', 'posts:read', 'posts:write', 'users:write'] }
const machine = {
  ...{ id: 'batch', type: 'machine', secret_hash: entry('batch').secret_hash },
  ...{ resource: issuer, scopes: ['posts:read'] },
}

// The list of posts.
const posts = '/api/posts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function asked(app: TestApp, method: string, path: string, token: string): Promise<Answer> {
  return app.call(method, path, { headers: bearer(token) })
}

suite('tokens of applications at our routes', async () => {
  const asking = entry('shop', { audiences: ['api', 'notes'] })
  const clients = [application('notes', ofApi), application('plain'), machine, asking]
  const app = await providerApp(clients)
  const rp = await relyingParty(app, 'notes')
  const plain = await relyingParty(app, 'plain')
  const batch = await relyingParty(app, 'batch')
  const ann = await app.account('ann', ['USER', 'EDITOR', 'ADMIN'])
  const apiToken = async (scope: string) => {
    const { browser } = await signedIn(app, rp, ann, { scope, resource: issuer })
    const again = await request(rp, { scope, resource: issuer })
    const at = await open(browser, again.address)
    const tokens = await redeem(rp, again, at, { resource: issuer })
    return { browser, tokens, token: tokens.access_token }
  }

  test('the subject of a client is never the id of a user', async () => {
    const { access_token } = await client.clientCredentialsGrant(batch, {
      ...{ resource: issuer, scope: 'posts:read' },
    })
    assert.equal(decodeJwt(access_token).sub, 'client:batch')
    for (const path of ['/api/account/export', '/api/account/sessions', '/api/me', '/users/1']) {
      const { status } = await asked(app, 'GET', path, access_token)
      assert.ok(status === 403 || status === 404, `${path} ${status}`)
    }
  })

  test('a client without our API as its resource gets no token for it', async () => {
    const wanted = await request(plain, { resource: issuer })
    const browser = pageBrowser(app)
    const at = new URL((await open(browser, wanted.address)) ?? '')
    assert.equal(at.searchParams.get('error'), 'invalid_target')
    const { tokens } = await signedIn(app, plain, ann)
    for (const path of ['/api/me', '/users', posts]) {
      assert.equal((await asked(app, 'GET', path, tokens.access_token)).status, 401, path)
    }
  })

  test('a person is asked for what the entry of the application names, and for nothing else', async () => {
    const browser = pageBrowser(app)
    const wanted = await request(rp, {
      ...{ scope: 'openid posts:read users:read', resource: issuer, prompt: 'consent' },
    })
    await open(browser, wanted.address)
    await signIn(browser, await app.account('ben'))
    assert.match(browser.page().text, /posts:read/)
    assert.doesNotMatch(browser.page().text, /users:read/)
    assert.match((await allow(browser)) ?? '', /code=/)
    const rows = (await app.rows()).provider_consents ?? []
    assert.ok(!JSON.stringify(rows).includes('users:read'))
  })

  test('a token of an administrator administers nothing', async () => {
    const { token } = await apiToken('openid users:write')
    const before = (await app.rows()).users
    const json = { name: 'Eve', email: 'eve@example.org' }
    const created = await app.call('POST', '/users', { headers: bearer(token), json })
    assertRefusal(created, 403, 'Access denied')
    assertRefusal(await asked(app, 'DELETE', '/users/1', token), 403, 'Access denied')
    assert.deepEqual((await app.rows()).users, before)
  })

  /** A token that is bound to a key of the application. RFC 9449 */
  async function boundToken(more: { readonly resource?: string }): Promise<string> {
    const browser = pageBrowser(app)
    const wanted = await request(rp, { scope: 'openid posts:read', ...more })
    await open(browser, wanted.address)
    await signIn(browser, ann)
    const at = browser.elsewhere() ?? (await allow(browser))
    const checks = { pkceCodeVerifier: wanted.verifier, expectedState: wanted.state }
    const { access_token } = await client.authorizationCodeGrant(
      rp,
      new URL(at ?? ''),
      { ...checks, expectedNonce: wanted.nonce },
      { ...more },
      { DPoP: client.getDPoPHandle(rp, await client.randomDPoPKeyPair('ES256')) },
    )
    return access_token
  }

  test('a token that is bound to a key is no bearer token', async () => {
    const token = await boundToken({ resource: issuer })
    assert.ok(decodeJwt(token).cnf)
    assertRefusal(await asked(app, 'GET', posts, token), 401, 'Invalid or expired token')
  })

  test('introspection names the key that a token is bound to', async () => {
    for (const more of [{ resource: issuer }, {}]) {
      const token = await boundToken(more)
      const form = { token }
      const { body } = await app.call('POST', '/oauth/introspect', {
        ...{ headers: asClient('shop'), form },
      })
      assert.deepEqual([body.active, body.token_type], [true, 'DPoP'])
      assert.match(body.cnf.jkt, /^[\w-]{43}$/)
      if (more.resource) assert.deepEqual(body.cnf, decodeJwt(token).cnf)
    }
  })

  test('a token opens what its scopes name, whatever roles the person has', async () => {
    const { token } = await apiToken('openid posts:read')
    assert.equal(decodeProtectedHeader(token).typ, 'at+jwt')
    const open = new Set<string>()
    for (const { method, url, key, module } of shownRoutes(app)) {
      if (method !== 'GET' || url.includes('*') || module === 'provider') continue
      const path = url.replace(/:\w+/g, '1')
      const without = await app.call('GET', path)
      const { status } = await asked(app, 'GET', path, token)
      if (without.status === 401 && status < 400) open.add(key)
    }
    assert.deepEqual([...open].sort(), ['listPosts', 'listPostsAsEditor'])
    const administration = { username: 'eve', password: 'a long enough password', roles: ['ADMIN'] }
    const made = await app.call('POST', '/api/admin/accounts', {
      headers: bearer(token),
      json: { ...administration, name: 'eve', email: 'eve@example.org' },
    })
    assert.equal(made.status, 403)
    assert.equal((await asked(app, 'GET', '/api/account/sessions', token)).status, 403)
    const post = { title: 'a', content: 'b' }
    const written = await app.call('POST', posts, { headers: bearer(token), json: post })
    assert.equal(written.status, 403)
  })

  test('it ends with the session at the next request', async () => {
    const { browser, token } = await apiToken('openid posts:read')
    assert.equal((await asked(app, 'GET', posts, token)).status, 200)
    await browser.open('/signout')
    await browser.submit()
    assert.equal((await asked(app, 'GET', posts, token)).status, 401)
  })

  test('an ID token is no access token', async () => {
    const { tokens } = await apiToken('openid posts:read')
    assert.equal((await asked(app, 'GET', posts, tokens.id_token ?? '')).status, 401)
  })
})

suite('guesses of a secret', async () => {
  const app = await providerApp([application('notes')], { LOGIN_ATTEMPTS: '5' })
  await app.account('ann')
  const guess = (secret: string, from: string) => {
    const authorization = `Basic ${Buffer.from(`notes:${secret}`).toString('base64')}`
    const form = { grant_type: 'refresh_token', refresh_token: 'x' }
    return app.call('POST', '/oauth/token', { headers: { authorization }, form, from })
  }

  test('are limited, in the words of the protocol, and the application still comes in', async () => {
    const statuses = []
    for (let count = 0; count < 60; count += 1) {
      const { status, body } = await guess(`guess ${count}`, '203.0.113.9')
      statuses.push(status)
      assert.equal(body.error, status === 429 ? 'slow_down' : 'invalid_client')
    }
    assert.ok(statuses.filter((status) => status === 401).length <= 10, statuses.join())
    assert.equal(statuses.at(-1), 429)
    const right = await guess(secretOf('notes'), '203.0.113.10')
    assert.deepEqual([right.status, right.body.error], [400, 'invalid_grant'])
    assert.ok(!JSON.stringify(app.log).includes('guess 1'))
  })
})

suite('a login that an application asks for', async () => {
  const app = await providerApp([application('notes')])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')

  for (const [name, more] of [
    ['prompt=login', { prompt: 'login' }],
    ['max_age=0', { max_age: '0' }],
  ] as const) {
    test(`${name}: the session that is there does not count, a new one does`, async () => {
      const { browser } = await signedIn(app, rp, ann)
      const wanted = await request(rp, more)
      assert.equal(await open(browser, wanted.address), null)
      assert.match(browser.path(), /^\/signin\?.*again=1/)
      const waiting = new URLSearchParams(browser.path().split('?')[1]).get('return_to') ?? ''
      await browser.open(waiting)
      assert.equal(await settle(browser), null, 'the old session goes nowhere')
      assert.match(browser.path(), /^\/signin\?.*again=1/)
      const at = await signIn(browser, ann)
      assert.match(at ?? '', /code=/)
    })

    test(`${name}: an old session whose cookie comes after the first look does not count`, async () => {
      const { browser } = await signedIn(app, rp, ann)
      const { cookieName } = app.deps.config.session
      const old = browser.cookies.get(cookieName) ?? ''
      app.clock.advance(60)
      browser.cookies.delete(cookieName)
      const wanted = await request(rp, more)
      assert.equal(await open(browser, wanted.address), null)
      const waiting = new URLSearchParams(browser.path().split('?')[1]).get('return_to') ?? ''
      browser.cookies.set(cookieName, old)
      assert.equal(await open(browser, waiting), null, 'the old session goes nowhere')
      assert.match(browser.path(), /^\/signin\?.*again=1/)
      assert.match((await signIn(browser, ann)) ?? '', /code=/)
    })
  }

  test('prompt=none without a session says so', async () => {
    const wanted = await request(rp, { prompt: 'none' })
    const at = new URL((await open(pageBrowser(app), wanted.address)) ?? '')
    assert.equal(at.searchParams.get('error'), 'login_required')
    assert.equal(at.searchParams.get('iss'), issuer)
    assert.equal(at.searchParams.get('state'), wanted.state)
  })

  test('the sign-in holds although the session cookie does not come from another site', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const { cookieName } = app.deps.config.session
    const strict = browser.cookies.get(cookieName) ?? ''
    for (const time of [1, 2, 3]) {
      browser.cookies.delete(cookieName)
      assert.match((await open(browser, (await request(rp)).address)) ?? '', /code=/, `${time}`)
    }
    browser.cookies.set(cookieName, strict)
    await browser.open('/signout')
    await browser.submit()
    assert.equal(await open(browser, (await request(rp)).address), null)
    assert.match(browser.path(), /^\/signin/)
  })
})

suite('the key of ID tokens', async () => {
  const app = await providerApp([application('notes')])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')
  const kidOf = (token = '') => decodeProtectedHeader(token).kid

  test('is ours, signs by RS256 whatever signs access tokens, and a rotation at once counts', async () => {
    const { tokens } = await signedIn(app, rp, ann)
    const { body: jwks } = await app.call('GET', '/.well-known/jwks.json')
    assert.deepEqual(
      jwks.keys.map(({ kid }: { kid: string }) => kid),
      [kidOf(tokens.id_token)],
    )
    const rotated = await app.call('POST', '/api/admin/keys/rotate', {
      headers: app.basic(app.admin),
      json: { purpose: 'identity', at_once: true },
    })
    assert.equal(rotated.status, 200, rotated.text)
    app.clock.advance(3)
    const next = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    assert.equal(kidOf(next.id_token), rotated.body.kid)
    const out = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' })
    assert.equal((await app.call('GET', `/oauth/end-session?${out}`)).status, 303)
    app.clock.advance(3600)
    const retired = await app.call('POST', `/api/admin/keys/${rotated.body.before}/retire`, {
      headers: app.basic(app.admin),
    })
    assert.equal(retired.status, 200, retired.text)
    assert.equal((await app.call('GET', `/oauth/end-session?${out}`)).status, 400)
  })
})

suite('requests of nobody', async () => {
  const app = await providerApp([
    application('notes'),
    { ...application('open'), client_auth: 'none', type: 'spa', secret_hash: undefined },
    { id: 'phone', type: 'native', redirect_uris: ['com.example.phone:/callback'] },
  ])
  const parameters = {
    ...{ client_id: 'open', response_type: 'code', redirect_uri: callback, scope: 'openid' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    ...{ code_challenge_method: 'S256' },
  }

  test('of a sandboxed page are not those of an application with a scheme of its own', async () => {
    const answer = await app.call('POST', '/oauth/token', {
      headers: { origin: 'null' },
      form: { client_id: 'phone', grant_type: 'refresh_token', refresh_token: 'x' },
    })
    assert.deepEqual(answer.body, {
      error: 'invalid_request',
      error_description: 'origin null not allowed for client: phone',
    })
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  })

  test('are bounded for an address, and a long one keeps no row', async () => {
    const of = (state: string) =>
      `/oauth/authorize?${new URLSearchParams({ ...parameters, state })}`
    const before = await app.rows()
    assert.equal((await app.call('GET', of('x'.repeat(8000)))).status, 400)
    assert.deepEqual(await app.rows(), before)
    for (let count = 0; count < 1050; count += 1) {
      await app.call('GET', of('x'), { from: '203.0.113.9' })
    }
    await app.call('GET', of('y'), { from: '203.0.113.10' })
    assert.equal((await app.rows()).flows?.length, 1001)
    for (let count = 0; count < 1050; count += 1) {
      await app.call('POST', '/oauth/par', { form: parameters, from: '203.0.113.9' })
    }
    assert.equal((await app.rows()).provider_artifacts?.length, 1000)
  })
})
