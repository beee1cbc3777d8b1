import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { hashOf, secretOf } from '../../../test/clients.ts'
import { clientEntry, inWords, parseClient } from './client-entry.ts'

const issuer = 'https://id.example.org'
const web = {
  ...{ id: 'grafana', secret_hash: hashOf(secretOf('grafana')), type: 'web' },
  redirect_uris: ['https://grafana.example.org/login/generic_oauth'],
}
const spa = { id: 'shop', type: 'spa', redirect_uris: ['https://shop.example.org/'] }
const native = { id: 'phone', type: 'native', redirect_uris: ['http://127.0.0.1/callback'] }
const machine = { id: 'robot', secret_hash: hashOf(secretOf('robot')), type: 'machine' }
const device = { id: 'tv', type: 'device' }

const publicKey = (kind: 'ec' | 'ed25519' | 'rsa', bits = 2048) => {
  const options = { namedCurve: 'P-256', modulusLength: bits }
  return generateKeyPairSync(kind as 'ec', options).publicKey.export({ format: 'jwk' })
}
const jwks = { keys: [publicKey('ec')] }
const byKey = { client_auth: 'private_key_jwt', secret_hash: undefined }

const mistakesOf = (entry: object) => parseClient(entry, { issuer }).mistakes.map(inWords)

suite('the entry of an application', () => {
  test('has defaults, and is written as it was read', () => {
    const { client } = parseClient(web, { issuer })
    assert.deepEqual(client?.application, {
      ...{ type: 'web', name: 'grafana', operator: null, homeUri: null },
      ...{ redirectUris: web.redirect_uris, postLogoutRedirectUris: [] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      ...{ consent: 'once', allow: null, needsTwoFactors: false, resource: null },
      ...{ backchannelLogoutUri: null, origins: [], claims: { idToken: null, userinfo: null } },
      ...{ clientAuth: 'basic', jwks: null, pkce: 'required', isDisabled: false },
      subject: 'public',
    })
    assert.deepEqual([client?.audiences, client?.may], [[], []])
  })

  const whole = {
    ...web,
    ...{ audiences: ['api'], may: ['introspect'], name: 'Grafana', operator: 'The office' },
    ...{ home_uri: 'https://grafana.example.org/', scopes: ['openid', 'users:read'] },
    post_logout_redirect_uris: ['https://grafana.example.org/login'],
    ...{ consent: 'none', allow: ['EDITOR'], two_factor: true, resource: issuer },
    backchannel_logout_uri: 'http://grafana:3000/logout',
    ...{ origins: ['https://grafana.example.org'], claims: { id_token: ['email'] } },
    ...{ client_auth: 'post', pkce: 'optional', disabled: true },
  }
  const pairwise = { subject: 'pairwise' }
  const others = [
    { ...web, ...byKey, jwks },
    { ...spa, ...pairwise },
  ]
  for (const entry of [web, whole, spa, native, machine, device, ...others]) {
    test(`of ${entry.id} ${Object.keys(entry).length} is the same after it is written`, () => {
      const { client, mistakes } = parseClient(entry, { issuer })
      assert.ok(client)
      assert.deepEqual(mistakes, [])
      assert.deepEqual(parseClient(clientEntry(client), { issuer }).client, client)
      if (entry === whole) assert.deepEqual(clientEntry(client), entry)
    })
  }

  test('may name roles with their prefix, and keys of three kinds', () => {
    const { client } = parseClient({ ...web, allow: ['ROLE_ADMIN'] }, { issuer })
    assert.deepEqual(client?.application?.allow, ['ADMIN'])
    const keys = [publicKey('ec'), publicKey('ed25519'), publicKey('rsa')]
    assert.deepEqual(mistakesOf({ ...web, ...byKey, jwks: { keys } }), [])
  })

  const plain = 'must be an absolute address without "*", user name, password and fragment'
  const secure = 'must begin with https://, or with http:// on a loopback address'
  const redirects: Readonly<Record<string, string>> = {
    '': plain,
    '/callback': plain,
    '//app.example.org/': plain,
    'https://*.example.org/': plain,
    'https://app.example.org/#part': plain,
    'https://ann:word@app.example.org/': plain,
    'https://app.example.org/../callback': plain,
    'https://app.example.org/%2e%2e/callback': plain,
    'https://APP.example.org/': plain,
    'https://app.example.org:443/': plain,
    'https://app.example.org\\callback': plain,
    ' https://app.example.org/': plain,
    [`https://app.example.org/${'x'.repeat(2000)}`]: plain,
    'http://app.example.org/': secure,
    'javascript:alert(1)': secure,
    'com.example.app:/callback': secure,
  }
  for (const [uri, message] of Object.entries(redirects)) {
    test(`never returns a browser to ${JSON.stringify(uri.slice(0, 50))}`, () => {
      assert.deepEqual(mistakesOf({ ...web, redirect_uris: [uri] }), [
        `has a wrong field redirect_uris.0: it ${message}`,
      ])
    })
  }

  test('of a native application may have a scheme of its own, with a dot', () => {
    const redirect_uris = ['com.example.app:/callback', 'http://[::1]/', 'http://localhost/']
    assert.deepEqual(mistakesOf({ ...native, redirect_uris }), [])
    for (const uri of ['app:/callback', 'javascript:alert(1)', 'data:text/html,x']) {
      assert.deepEqual(mistakesOf({ ...native, redirect_uris: [uri] }), [
        `has a wrong field redirect_uris.0: it ${secure}, or be a scheme with a dot`,
      ])
    }
  })

  const { id: _, ...nameless } = web
  const weak = { keys: [publicKey('rsa', 1024)] }
  const secret = { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }
  const faults: readonly (readonly [entry: object, field: string, message: string])[] = [
    [{ ...web, type: undefined }, 'type', 'is missing'],
    [{ ...web, type: 'desktop' }, 'type', 'must be one of web, spa, native, device, machine'],
    [{ ...nameless, id: '42' }, 'id', 'must not be digits alone, like the id of a user'],
    [{ ...web, name: ' ' }, 'name', 'must be a text of 1 to 100 characters'],
    [{ ...web, name: 'a\u202eb' }, 'name', 'must be a text of 1 to 100 characters'],
    [{ ...web, home_uri: 'javascript:alert(1)' }, 'home_uri', secure],
    [
      { ...web, redirect_uris: [] },
      'redirect_uris',
      'must name at least one address for the type web',
    ],
    [{ ...web, redirect_uris: 'x' }, 'redirect_uris', 'must be a list of at most 64 texts'],
    [
      { ...web, redirect_uris: [...web.redirect_uris, ...web.redirect_uris] },
      ...(['redirect_uris.1', 'is there twice'] as const),
    ],
    [
      { ...machine, redirect_uris: web.redirect_uris },
      ...(['redirect_uris', 'must be absent for the type machine'] as const),
    ],
    [{ ...web, scopes: ['openid', 'a b'] }, 'scopes.1', 'must be a scope'],
    [
      { ...web, scopes: ['openid', 'users:read'] },
      'scopes',
      'must have none of the API without "resource"',
    ],
    [
      { ...machine, scopes: ['openid'] },
      'scopes',
      'must have none of openid, profile, email, groups, roles, offline_access for the type machine',
    ],
    [{ ...web, consent: 'never' }, 'consent', 'must be one of none, once, always'],
    [{ ...web, allow: ['not a role'] }, 'allow.0', 'must be a role'],
    [{ ...web, two_factor: 'yes' }, 'two_factor', 'must be true or false'],
    [{ ...web, resource: 'https://other.example.org' }, 'resource', `must be ${issuer}`],
    [
      { ...web, backchannel_logout_uri: 'ftp://app.example.org/' },
      ...(['backchannel_logout_uri', 'must begin with https:// or http://'] as const),
    ],
    [
      { ...web, origins: ['https://app.example.org/path'] },
      ...(['origins.0', 'must be an origin like https://app.example.org'] as const),
    ],
    [{ ...web, origins: ['null'] }, 'origins.0', 'must be an origin like https://app.example.org'],
    [
      { ...web, claims: { access_token: [] } },
      'claims',
      'must be an object of id_token and userinfo',
    ],
    [{ ...web, claims: [] }, 'claims', 'must be an object of id_token and userinfo'],
    [{ ...web, claims: { id_token: ['a b'] } }, 'claims.id_token.0', 'must be the name of a claim'],
    [
      { ...web, client_auth: 'none', secret_hash: undefined },
      ...(['client_auth', 'must be basic, post or private_key_jwt for the type web'] as const),
    ],
    [
      { ...spa, secret_hash: web.secret_hash, client_auth: 'basic' },
      ...(['client_auth', 'must be none for the type spa'] as const),
    ],
    [{ ...web, ...byKey }, 'jwks', 'is missing for private_key_jwt'],
    [{ ...web, jwks }, 'jwks', 'needs private_key_jwt'],
    [{ ...web, ...byKey, jwks: weak }, 'jwks', 'has at 1 a key of less than 2048 bits'],
    [{ ...web, ...byKey, jwks: secret }, 'jwks', 'has at 1 a private key: give the public one'],
    [{ ...web, ...byKey, jwks: { keys: [{}] } }, 'jwks', 'has at 1 no public key'],
    [{ ...web, ...byKey, jwks: [] }, 'jwks', 'must be {"keys": [...]} with 1 to 8 keys'],
    ...[{ kid: {} }, { use: 1 }, { alg: null }, { x5c: 'x' }, { key_ops: [1] }].map((member) => {
      const [name = ''] = Object.keys(member)
      const keys = [{ ...publicKey('ec'), ...member }]
      const message = `has at 1 a key whose "${name}" is of a wrong type`
      return [{ ...web, ...byKey, jwks: { keys } }, 'jwks', message] as const
    }),
    ...[[], ['users:read']].map((scopes) => {
      const names = 'openid, profile, email, groups, roles, offline_access'
      const message = `must have one of ${names} for the type web`
      return [{ ...web, resource: issuer, scopes }, 'scopes', message] as const
    }),
    [{ ...web, subject: 'private' }, 'subject', 'must be one of public, pairwise'],
    [{ ...machine, ...pairwise }, 'subject', 'must be public for the type machine'],
    [
      {
        ...{ ...spa, ...pairwise, type: 'native' },
        redirect_uris: ['com.example.app:/callback'],
      },
      ...(['subject', 'must be public for the type native'] as const),
    ],
    [
      { ...web, ...pairwise, resource: issuer, scopes: ['openid', 'users:read'] },
      ...(['subject', 'must be public with "resource"'] as const),
    ],
    ...['https://other.example.org/callback', 'https://app.example.org:8443/callback'].map(
      (other) => {
        const redirect_uris = ['https://app.example.org/callback', other]
        const message = 'needs redirect_uris of one host'
        return [{ ...web, ...pairwise, redirect_uris }, 'subject', message] as const
      },
    ),
    [{ ...spa, pkce: 'optional' }, 'pkce', 'must be required for the type spa'],
  ]
  for (const [entry, field, message] of faults) {
    test(`${field} ${message}: ${JSON.stringify(entry).slice(-60)}`, () => {
      assert.deepEqual(mistakesOf(entry), [`has a wrong field ${field}: it ${message}`])
    })
  }

  test('of a public application has no secret, of a confidential one a secret', () => {
    assert.deepEqual(mistakesOf({ ...spa, secret_hash: web.secret_hash }), [
      'must have no secret_hash: its client_auth has no secret',
    ])
    const [mistake] = mistakesOf({ ...web, secret_hash: undefined })
    assert.match(mistake ?? '', /^must have a secret_hash/)
    assert.deepEqual(mistakesOf({ ...device, secret_hash: web.secret_hash }), [])
  })
})
