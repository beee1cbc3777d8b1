import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inspect } from 'node:util'
import { loadConfig } from '../../../test/config.ts'
import { mistakesOf } from '../../../test/mistakes.ts'

const issuer = 'https://idp.example'
const client = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'app' }
const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://id.example.org',
  TRUST_PROXY: 'none',
}

suite('settings of identity providers', () => {
  test('without any there is no provider', () => {
    assert.deepEqual(loadConfig({}).providers, [])
    assert.deepEqual(loadConfig({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '' }).providers, [])
  })

  test('an issuer and a client id are enough; the rest has defaults', () => {
    assert.deepEqual(loadConfig({ ...client, BASE_URL: 'https://id.example.org' }).providers, [
      {
        name: 'default',
        kind: 'oidc',
        preset: null,
        label: 'idp.example',
        issuer,
        rolesClaim: 'roles',
        allowedRoles: ['USER', 'EDITOR', 'ADMIN'],
        client: {
          id: 'app',
          secret: undefined,
          auth: 'none',
          scope: 'openid profile email',
          redirectUri: 'https://id.example.org/oauth/callback',
          signsUp: false,
          defaultRoles: ['USER'],
          allowsPasswordGrant: false,
        },
        audience: null,
        usesDiscovery: true,
        endpoints: {
          authorization: undefined,
          token: undefined,
          userinfo: undefined,
          jwks: undefined,
        },
        fields: null,
        tenants: null,
        apple: null,
      },
    ])
  })

  test('a secret makes the client authenticate by Basic, unless told otherwise', () => {
    const secret = { ...client, OIDC_CLIENT_SECRET: 's3cret-of-the-client' }
    const [provider] = loadConfig(secret).providers
    assert.equal(provider?.client?.auth, 'basic')
    assert.equal(provider?.client?.secret?.reveal(), 's3cret-of-the-client')
    assert.ok(!inspect(provider, { depth: 9 }).includes('s3cret'))
    const [other] = loadConfig({ ...secret, OIDC_CLIENT_AUTH: 'post' }).providers
    assert.equal(other?.client?.auth, 'post')
  })

  test('without discovery the token endpoint is below the issuer', () => {
    const [provider] = loadConfig({
      ...client,
      OIDC_ISSUER: `${issuer}/`,
      OIDC_AUTHORIZATION_ENDPOINT: `${issuer}/authorize`,
      OIDC_JWKS_URI: `${issuer}/keys`,
    }).providers
    assert.equal(provider?.usesDiscovery, false)
    assert.equal(provider?.endpoints.token, `${issuer}/oauth/token`)
  })

  test('several by name, each with settings of its own, beside one without', () => {
    const { providers } = loadConfig({
      ...client,
      OIDC_PROVIDERS: 'acme, google',
      OIDC_ACME_ISSUER: 'https://acme.example',
      OIDC_ACME_AUDIENCE: 'api',
      OIDC_GOOGLE_ISSUER: 'https://accounts.google.example',
      OIDC_GOOGLE_CLIENT_ID: 'g',
      OIDC_GOOGLE_DEFAULT_ROLES: 'ROLE_EDITOR,USER',
    })
    assert.deepEqual(
      providers.map(({ name, audience, client: found }) => [name, audience, found?.redirectUri]),
      [
        ['default', null, 'http://127.0.0.1:3000/oauth/callback'],
        ['acme', 'api', undefined],
        ['google', null, 'http://127.0.0.1:3000/oauth/google/callback'],
      ],
    )
    assert.deepEqual(providers[2]?.client?.defaultRoles, ['EDITOR', 'USER'])
  })

  const mistakes: readonly [Record<string, string>, RegExp][] = [
    [{ OIDC_CLIENT_ID: 'app' }, /^OIDC_ISSUER must be set/],
    [{ OIDC_ISSUER: issuer }, /^OIDC_CLIENT_ID must be set, or OIDC_AUDIENCE/],
    [{ ...client, OIDC_ISSUER: 'http://idp.example' }, /^OIDC_ISSUER must be an https address/],
    [{ ...client, OIDC_ISSUER: `${issuer}?x=1` }, /^OIDC_ISSUER must be an https address/],
    [{ ...client, OIDC_ISSUER: `${issuer}#x` }, /^OIDC_ISSUER must be an https address/],
    [{ ...client, OIDC_ISSUER: 'https://u:p@idp.example' }, /^OIDC_ISSUER must be an https/],
    [{ ...client, OIDC_ISSUER: 'idp.example' }, /^OIDC_ISSUER must be an https address/],
    [{ ...client, TOKEN_ISSUER: issuer }, /^OIDC_ISSUER must be no issuer that is used already/],
    [{ ...client, OIDC_JWKS_URI: 'http://127.0.0.1/k' }, /^OIDC_JWKS_URI must be https, as the/],
    [{ ...client, OIDC_SCOPE: 'profile' }, /^OIDC_SCOPE must hold openid/],
    [{ ...client, OIDC_SCOPE: 'openid  email' }, /^OIDC_SCOPE must be scopes/],
    [{ ...client, OIDC_CLIENT_AUTH: 'basic' }, /^OIDC_CLIENT_AUTH must be none without/],
    [
      { ...client, OIDC_CLIENT_AUTH: 'none', OIDC_CLIENT_SECRET: 'x' },
      /^OIDC_CLIENT_AUTH must not be none with/,
    ],
    [
      { OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'a', OIDC_CLIENT_SECRET: 'x' },
      /^OIDC_CLIENT_SECRET needs OIDC_CLIENT_ID/,
    ],
    [
      { ...client, OIDC_AUTHORIZATION_ENDPOINT: `${issuer}/a` },
      /^OIDC_JWKS_URI must be set with OIDC_AUTHORIZATION_ENDPOINT/,
    ],
    [{ ...client, OIDC_DEFAULT_ROLES: 'ROOT' }, /^OIDC_DEFAULT_ROLES holds "ROOT"/],
    [{ ...client, OIDC_ROLES_CLAIM: 'a..b' }, /^OIDC_ROLES_CLAIM must be a name/],
    [{ ...client, OIDC_ISUER: issuer }, /^OIDC_ISUER is no setting/],
    [{ OIDC_ACME_ISSUER: issuer }, /^OIDC_ACME_ISSUER is no setting, unless OIDC_PROVIDERS/],
    [{ OIDC_PROVIDERS: 'acme' }, /^OIDC_ACME_ISSUER must be set/],
    [{ OIDC_PROVIDERS: 'Acme' }, /^OIDC_PROVIDERS holds "Acme"/],
    [{ OIDC_PROVIDERS: 'default' }, /^OIDC_PROVIDERS holds "default"/],
    [
      { ...client, OIDC_PROVIDERS: 'b', OIDC_B_ISSUER: issuer, OIDC_B_CLIENT_ID: 'x' },
      /^OIDC_B_ISSUER must be no issuer that is used already/,
    ],
  ]
  for (const [env, expected] of mistakes) {
    test(`${JSON.stringify(env)} is a mistake`, () => {
      const found = mistakesOf(env)
      assert.ok(
        found.some((line) => expected.test(line)),
        String(found),
      )
    })
  }

  test('all mistakes are told at once, also those of a provider with a name', () => {
    const found = mistakesOf({
      PORT: 'x',
      OIDC_ISSUER: 'x',
      OIDC_SCOPE: 'y',
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_SIGN_UP: 'maybe',
      OIDC_ACME_ISSUER: 'ftp://x',
    })
    for (const name of ['PORT', 'OIDC_ISSUER', 'OIDC_SCOPE', 'OIDC_ACME_SIGN_UP'])
      assert.equal(found.filter((line) => line.startsWith(`${name} `)).length, 1, String(found))
  })

  test('http is for loopback outside production, and the password grant too', () => {
    const local = { ...client, OIDC_ISSUER: 'http://127.0.0.1:4000' }
    assert.deepEqual(mistakesOf(local), [])
    assert.match(mistakesOf({ ...production, ...local })[0] ?? '', /^OIDC_ISSUER must be https in/)
    const grant = { ...client, OIDC_PASSWORD_GRANT: 'on' }
    assert.deepEqual(mistakesOf({ ...production, ...client }), [])
    assert.match(
      mistakesOf({ ...production, ...grant })[0] ?? '',
      /^OIDC_PASSWORD_GRANT must not be on in production/,
    )
    assert.match(loadConfig(grant).warnings[0] ?? '', /^OIDC_PASSWORD_GRANT: .*deprecated/)
  })

  test('the session cookie cannot have the name of the cookie of a sign-in', () => {
    assert.deepEqual(mistakesOf({ SESSION_COOKIE_NAME: '__Host-oauth' }), [
      'SESSION_COOKIE_NAME is the name of the cookie of a sign-in',
    ])
    assert.deepEqual(mistakesOf({ SESSION_COOKIE_NAME: '__Host-JSESSIONID' }), [])
  })
})
