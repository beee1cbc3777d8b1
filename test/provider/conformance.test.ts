import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, UnsecuredJWT } from 'jose'
import * as client from 'openid-client'
import { bye, secretOf } from '../clients.ts'
import { mailboxes } from '../emails.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { runJob } from '../statistics.ts'
import {
  application,
  callback,
  errorOf,
  issuer,
  open,
  providerApp,
  relyingParty,
  settle,
  signIn,
  userinfo,
} from './application.ts'
import { startListener } from './listener.ts'

type Parameters = Readonly<Record<string, string>>
/** What a test of the plan does, or why it cannot be run. */
type Row = (() => Promise<unknown>) | string

/**
 * The tests of the certification plans of the OpenID Foundation, by their names: what each of them asks
 * of a provider, asked of ours. The suite itself is a service of its own and does not run here.
 */
suite('the OpenID conformance plans', async () => {
  const listener = await startListener()
  const entry = { consent: 'none', pkce: 'optional', post_logout_redirect_uris: [bye] }
  const app = await providerApp([
    application('basic', { ...entry, backchannel_logout_uri: listener.url }),
    application('second', { ...entry, client_auth: 'post' }),
  ])
  const rp = await relyingParty(app, 'basic')
  const someone = await app.account('ann')
  const addresses = await mailboxes(app)
  await addresses.verify(await app.session(someone), 'ann@example.org', someone.password)
  const { body: jwks } = await app.call('GET', '/.well-known/jwks.json')

  /** Sends an authorization request; answers the address at the client, after a sign-in if asked. */
  async function authorize(more: Parameters = {}, browser = pageBrowser(app)): Promise<URL> {
    const address = client.buildAuthorizationUrl(rp, { ...usual, ...more })
    const at = (await open(browser, address)) ?? (await signIn(browser, someone)) ?? browser.path()
    assert.ok(at.startsWith(callback), at)
    return new URL(at)
  }
  const usual = { redirect_uri: callback, scope: 'openid', state: 'a state', nonce: 'a nonce' }

  async function flow(more: Parameters = {}, browser = pageBrowser(app)) {
    const at = await authorize(more, browser)
    const checks = { expectedState: 'a state', expectedNonce: 'a nonce' }
    const tokens = await client.authorizationCodeGrant(rp, at, checks)
    return { at, browser, tokens, claims: tokens.claims() }
  }

  const flowOf = (more: Parameters) => () => flow(more)
  const claimsOf = async (scope: string) => {
    const { tokens } = await flow({ scope })
    return (await userinfo(app, tokens.access_token)).body
  }
  const scoped = (scope: string, claims: object) => async () => {
    assert.deepEqual(await claimsOf(scope), { sub: String(someone.userId), ...claims })
  }
  const email = { email: 'ann@example.org', email_verified: true }
  const profile = { name: 'ann', preferred_username: 'ann' }
  const isRefused = (error: string, more: Parameters) => async () => {
    const at = await authorize({ prompt: 'none', ...more })
    assert.equal(at.searchParams.get('error'), error)
    assert.equal(at.searchParams.get('code'), null)
  }
  /** A flow so many seconds ago. The library reads the clock of the machine. */
  async function flowBefore(seconds: number) {
    app.clock.advance(-seconds)
    const before = await flow()
    app.clock.advance(seconds)
    return before
  }
  const redeemAgain = (seconds: number) => async () => {
    const { at, tokens } = await flowBefore(seconds)
    const again = client.authorizationCodeGrant(rp, at, {
      expectedState: 'a state',
      expectedNonce: 'a nonce',
    })
    assert.equal(await errorOf(again), '400 invalid_grant')
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
  }
  const unsigned = new UnsecuredJWT({ redirect_uri: callback, scope: 'openid' }).encode()

  const basic: Readonly<Record<string, Row>> = {
    'oidcc-server': async () => {
      const { claims, tokens } = await flow()
      assert.deepEqual([claims?.iss, claims?.aud, claims?.nonce], [issuer, 'basic', 'a nonce'])
      assert.equal(tokens.token_type.toLowerCase(), 'bearer')
    },
    'oidcc-response-type-missing': async () => {
      const at = client.buildAuthorizationUrl(rp, { ...usual, response_type: '' })
      at.searchParams.delete('response_type')
      const target = await open(pageBrowser(app), at)
      assert.equal(new URL(target ?? '').searchParams.get('error'), 'invalid_request')
    },
    'oidcc-idtoken-signature': async () => {
      const { tokens } = await flow()
      const { kid } = decodeProtectedHeader(tokens.id_token ?? '')
      assert.ok(kid)
      await jwtVerify(tokens.id_token ?? '', createLocalJWKSet(jwks), { algorithms: ['RS256'] })
    },
    'oidcc-idtoken-unsigned':
      'no client gets an ID token without a signature (an option of the plan)',
    'oidcc-userinfo-get': async () => {
      const { claims, tokens } = await flow()
      const { sub } = await client.fetchUserInfo(rp, tokens.access_token, claims?.sub ?? '')
      assert.equal(sub, claims?.sub)
    },
    'oidcc-userinfo-post-header': async () => {
      const { claims, tokens } = await flow()
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const answer = await app.call('POST', '/oauth/userinfo', { headers })
      assert.deepEqual([answer.status, answer.body.sub], [200, claims?.sub])
    },
    'oidcc-userinfo-post-body': async () => {
      const { claims, tokens } = await flow()
      const form = { access_token: tokens.access_token }
      const answer = await app.call('POST', '/oauth/userinfo', { form })
      assert.deepEqual([answer.status, answer.body.sub], [200, claims?.sub])
    },
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': async () => {
      const address = client.buildAuthorizationUrl(rp, usual)
      address.searchParams.delete('nonce')
      const browser = pageBrowser(app)
      const at = new URL((await open(browser, address)) ?? (await signIn(browser, someone)) ?? '')
      const tokens = await client.authorizationCodeGrant(rp, at, { expectedState: 'a state' })
      assert.equal(tokens.claims()?.nonce, undefined)
    },
    'oidcc-scope-profile': scoped('openid profile', profile),
    'oidcc-scope-email': scoped('openid email', email),
    'oidcc-scope-address': scoped('openid address', {}), // no scope of ours: ignored
    'oidcc-scope-phone': scoped('openid phone', {}),
    'oidcc-scope-all': scoped('openid profile email address phone', { ...profile, ...email }),
    'oidcc-ensure-other-scope-order-succeeds': scoped('profile openid', profile),
    'oidcc-display-page': flowOf({ display: 'page' }),
    'oidcc-display-popup': flowOf({ display: 'popup' }),
    'oidcc-prompt-login': async () => {
      const { browser, claims } = await flowBefore(2)
      const again = await flow({ prompt: 'login' }, browser)
      assert.equal(again.claims?.sub, claims?.sub)
      assert.ok(Number(again.claims?.auth_time) > Number(claims?.auth_time))
    },
    'oidcc-prompt-none-not-logged-in': isRefused('login_required', {}),
    'oidcc-prompt-none-logged-in': async () => {
      const { browser, claims } = await flow()
      const again = await flow({ prompt: 'none' }, browser)
      assert.deepEqual(
        [again.claims?.sub, again.claims?.auth_time],
        [claims?.sub, claims?.auth_time],
      )
    },
    'oidcc-max-age-1': async () => {
      const { browser, claims } = await flowBefore(2)
      const again = await flow({ max_age: '1' }, browser)
      assert.ok(Number(again.claims?.auth_time) > Number(claims?.auth_time))
    },
    'oidcc-max-age-10000': async () => {
      const { browser, claims } = await flow()
      const again = await flow({ max_age: '10000', prompt: 'none' }, browser)
      assert.equal(again.claims?.auth_time, claims?.auth_time)
    },
    'oidcc-ensure-request-with-unknown-parameter-succeeds': flowOf({ extra: 'foobar' }),
    'oidcc-id-token-hint': async () => {
      const { browser, claims, tokens } = await flow()
      const more = { prompt: 'none', id_token_hint: tokens.id_token ?? '' }
      assert.equal((await flow(more, browser)).claims?.sub, claims?.sub)
    },
    'oidcc-login-hint': flowOf({ login_hint: 'ann' }),
    'oidcc-ui-locales': flowOf({ ui_locales: 'se' }),
    'oidcc-claims-locales': flowOf({ claims_locales: 'se' }),
    'oidcc-ensure-request-with-acr-values-succeeds': flowOf({ acr_values: '1 2' }),
    'oidcc-codereuse': redeemAgain(0),
    'oidcc-codereuse-30seconds': redeemAgain(30),
    'oidcc-ensure-registered-redirect-uri': async () => {
      const browser = pageBrowser(app)
      const more = { redirect_uri: `${callback}/other` }
      assert.equal(
        await open(browser, client.buildAuthorizationUrl(rp, { ...usual, ...more })),
        null,
      )
      assert.equal(browser.page().status, 400)
    },
    'oidcc-ensure-post-request-succeeds': async () => {
      const form = { ...usual, client_id: 'basic', response_type: 'code' }
      const sent = await app.call('POST', '/oauth/authorize', { form })
      assert.equal(sent.status, 303)
      const browser = pageBrowser(app)
      await open(browser, String(sent.headers.location))
      assert.match((await signIn(browser, someone)) ?? '', /[?&]code=/)
    },
    'oidcc-server-client-secret-post': async () => {
      const post = await relyingParty(app, 'second')
      const address = client.buildAuthorizationUrl(post, usual)
      const browser = pageBrowser(app)
      await open(browser, address)
      const at = new URL((await signIn(browser, someone)) ?? '')
      const form = {
        ...{ grant_type: 'authorization_code', redirect_uri: callback },
        ...{ code: at.searchParams.get('code') ?? '' },
        ...{ client_id: 'second', client_secret: secretOf('second') },
      }
      const { status, body } = await app.call('POST', '/oauth/token', { form })
      assert.deepEqual([status, decodeJwt(body.id_token).aud], [200, 'second'])
    },
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': isRefused(
      'request_uri_not_supported',
      { request_uri: 'https://notes.example.org/request.jwt' },
    ),
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': isRefused(
      'request_not_supported',
      { request: unsigned },
    ),
    // The parameter is not offered (claims_parameter_supported): claims come by scopes.
    'oidcc-claims-essential': flowOf({ claims: '{"userinfo":{"name":{"essential":true}}}' }),
    'oidcc-ensure-request-object-with-redirect-uri':
      'it needs request objects, which are not offered (request_parameter_supported)',
    'oidcc-refresh-token': async () => {
      const { claims, tokens } = await flow()
      const refresh_token = tokens.refresh_token ?? ''
      const form = { grant_type: 'refresh_token', refresh_token }
      const stolen = { ...form, client_id: 'second', client_secret: secretOf('second') }
      const other = await app.call('POST', '/oauth/token', { form: stolen })
      assert.deepEqual([other.status, other.body.error], [400, 'invalid_grant'])
      const next = await client.refreshTokenGrant(rp, refresh_token)
      assert.notEqual(next.access_token, tokens.access_token)
      assert.deepEqual(
        [next.claims()?.sub, next.claims()?.iss, next.claims()?.auth_time],
        [claims?.sub, claims?.iss, claims?.auth_time],
      )
    },
    'oidcc-ensure-request-with-valid-pkce-succeeds': async () => {
      const verifier = client.randomPKCECodeVerifier()
      const code_challenge = await client.calculatePKCECodeChallenge(verifier)
      const at = await authorize({ code_challenge, code_challenge_method: 'S256' })
      await client.authorizationCodeGrant(rp, at, {
        ...{ expectedState: 'a state', expectedNonce: 'a nonce', pkceCodeVerifier: verifier },
      })
    },
  }

  const config: Readonly<Record<string, Row>> = {
    'oidcc-discovery-endpoint-verification': async () => {
      const at = 'https://id.example.org'
      const secure = await providerApp([application('basic')], { BASE_URL: at })
      const { body } = await secure.call('GET', '/.well-known/openid-configuration')
      assert.equal(body.issuer, at)
      const addresses = Object.entries(body).filter(([name]) => /_(endpoint|uri)$/.test(name))
      assert.ok(addresses.length >= 7)
      for (const [name, address] of addresses) assert.ok(String(address).startsWith(at), name)
      assert.ok(body.scopes_supported.includes('openid'))
      assert.deepEqual(body.response_types_supported, ['code'])
      assert.deepEqual(body.subject_types_supported, ['public', 'pairwise'])
      assert.ok(body.id_token_signing_alg_values_supported.includes('RS256'))
      assert.ok(body.claims_supported.includes('sub'))
      assert.equal(body.claims_parameter_supported, false)
      const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
      assert.deepEqual(body.introspection_endpoint_auth_methods_supported, methods)
      for (const name of ['token', 'revocation']) {
        const named = body[`${name}_endpoint_auth_methods_supported`]
        assert.deepEqual(named, [...methods, 'none'], name)
      }
      assert.deepEqual(body.response_modes_supported, ['query', 'form_post'])
      assert.equal(body.request_parameter_supported ?? false, false) // the default
      assert.equal(body.request_uri_parameter_supported, false)
      for (const key of jwks.keys) assert.ok(key.kid && !('d' in key), JSON.stringify(key))
    },
  }

  /** Asks for a sign-out, and confirms it if a page asks; answers where the browser ends. */
  async function signOut(query: Parameters, browser: PageBrowser): Promise<string | null> {
    const at = await open(browser, `/oauth/end-session?${new URLSearchParams(query)}`)
    if (at !== null || browser.page().status !== 200) return at
    await browser.submit()
    return settle(browser)
  }
  async function assertSignedOut(browser: PageBrowser, isOut: boolean): Promise<void> {
    const error = (await authorize({ prompt: 'none' }, browser)).searchParams.get('error')
    assert.equal(error, isOut ? 'login_required' : null)
  }
  /** A sign-out that leads back to the client, or ends at a page of ours. */
  const leadsTo = (target: string | null, queryOf: (hint: string) => Parameters) => async () => {
    const { browser, tokens } = await flow()
    assert.equal(await signOut(queryOf(tokens.id_token ?? ''), browser), target)
    await assertSignedOut(browser, true)
  }
  const isNone = (queryOf: (hint: string) => Parameters) => async () => {
    const { browser, tokens } = await flow()
    assert.equal(await signOut(queryOf(tokens.id_token ?? ''), browser), null)
    assert.equal(browser.page().status, 400)
    await assertSignedOut(browser, false)
  }
  const to = { post_logout_redirect_uri: bye }
  const forged = (hint: string) => {
    const [head, , signature] = hint.split('.')
    const payload = Buffer.from(JSON.stringify({ ...decodeJwt(hint), sub: '1' }))
    return [head, payload.toString('base64url'), signature].join('.')
  }

  const rpInitiated: Readonly<Record<string, Row>> = {
    'oidcc-rp-initiated-logout-discovery-endpoint-verification': async () => {
      const { body } = await app.call('GET', '/.well-known/openid-configuration')
      assert.equal(body.end_session_endpoint, `${issuer}/oauth/end-session`)
    },
    'oidcc-rp-initiated-logout': leadsTo(`${bye}?state=x`, (hint) => ({
      ...{ ...to, id_token_hint: hint, state: 'x' },
    })),
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': isNone((hint) => ({
      ...{ post_logout_redirect_uri: `${bye}/other`, id_token_hint: hint },
    })),
    'oidcc-rp-initiated-logout-modified-id-token-hint': isNone((hint) => ({
      ...{ ...to, id_token_hint: forged(hint) },
    })),
    'oidcc-rp-initiated-logout-no-id-token-hint': leadsTo(null, () => to),
    'oidcc-rp-initiated-logout-no-params': leadsTo(null, () => ({})),
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': leadsTo(null, (hint) => ({
      id_token_hint: hint,
    })),
    'oidcc-rp-initiated-logout-no-state': leadsTo(bye, (hint) => ({ ...to, id_token_hint: hint })),
    'oidcc-rp-initiated-logout-only-state': leadsTo(null, () => ({ state: 'x' })),
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': isNone((hint) => ({
      ...{ post_logout_redirect_uri: `${bye}?foo=bar`, id_token_hint: hint },
    })),
    'oidcc-rp-initiated-logout-bad-id-token-hint': isNone((hint) => ({
      ...{ ...to, id_token_hint: new UnsecuredJWT(decodeJwt(hint)).encode() },
    })),
  }

  const backChannel: Readonly<Record<string, Row>> = {
    'oidcc-backchannel-logout-discovery-endpoint-verification': async () => {
      const { body } = await app.call('GET', '/.well-known/openid-configuration')
      assert.equal(body.backchannel_logout_supported, true)
      assert.equal(body.backchannel_logout_session_supported, true)
    },
    'oidcc-backchannel-rp-initiated-logout': async () => {
      await runJob(app, 'sign-outs of applications')
      listener.received.length = 0
      const { browser, claims, tokens } = await flow()
      const query = { ...to, id_token_hint: tokens.id_token ?? '', state: 'x' }
      assert.equal(await signOut(query, browser), `${bye}?state=x`)
      await runJob(app, 'sign-outs of applications')
      assert.equal(listener.received.length, 1)
      const { payload } = await jwtVerify(listener.received[0] ?? '', createLocalJWKSet(jwks), {
        issuer,
        audience: 'basic',
        algorithms: ['RS256'],
      })
      assert.deepEqual([payload.sid, payload.nonce], [claims?.sid, undefined])
      assert.ok(payload.iat && payload.jti && claims?.sid)
    },
  }

  for (const [plan, rows] of Object.entries({
    'oidcc-basic-certification-test-plan': basic,
    'oidcc-config-certification-test-plan': config,
    'oidcc-rp-initiated-logout-certification-test-plan': rpInitiated,
    'oidcc-backchannel-rp-initiated-logout-certification-test-plan': backChannel,
  })) {
    suite(plan, () => {
      for (const [name, row] of Object.entries(rows)) {
        if (typeof row === 'string') test(name, { skip: row })
        else test(name, async () => void (await row()))
      }
    })
  }
})
