import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import Fastify from 'fastify'
import { Hono } from 'listing-hono'
import { createVerifier, type Options, Refusal } from '../../packages/verify/src/index.ts'
import { freePort } from '../../tools/free-port.ts'
import { testApp } from '../app.ts'
import { clientsFile, entry, secretOf } from '../clients.ts'
import { fixedClock } from '../clock.ts'
import { accessClaims, forge, headerOf, hs256, type Json, rs256, segment } from '../forge.ts'

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [ours, foreign] = [rsa(), rsa()]
const pem = (key: typeof ours.privateKey) => key.export({ format: 'pem', type: 'pkcs8' }).toString()
const publicPem = ours.publicKey.export({ format: 'pem', type: 'spki' }).toString()

/** What a refusal answers: status, text and challenge. */
async function refusalOf(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail('it is accepted'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Refusal, String(error))
  return [error.status, error.text, error.headers['WWW-Authenticate']]
}

const invalid = [401, '{"error":"Invalid token"}', 'Bearer error="invalid_token"']
const noToken = [401, '{"error":"No token provided"}', 'Bearer']
const denied = [403, '{"error":"Access denied"}', 'Bearer error="insufficient_scope"']
const unavailable = [503, '{"error":"Service unavailable"}', undefined]

suite('packages/verify', async () => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const app = await testApp(
    {
      BASE_URL: issuer,
      TOKEN_ALGORITHM: 'RS256',
      TOKEN_PRIVATE_KEY: pem(ours.privateKey),
      REQUIRE_SECOND_FACTOR: 'BILLING',
      ROLES: 'SUPPORT,BILLING',
      CLIENTS_FILE: clientsFile([entry('shop'), entry('other', { audiences: ['reports'] })]),
    },
    { clock: fixedClock(new Date().toISOString()) }, // the package has the clock of the machine
  )
  await app.app.server.listen({ host: '127.0.0.1', port })
  const shop = { id: 'shop', secret: secretOf('shop') }
  const verifier = (more: Partial<Options> = {}) =>
    createVerifier({ issuer, audience: 'api', client: shop, ...more })
  const { authenticate, verify } = verifier()

  const ann = await app.account('ann')
  const eve = await app.account('eve', ['USER'], { roles: ['BILLING'] })
  const token = await app.token(ann)
  const pair = await app.pair(ann)
  const { kid } = headerOf(token)
  const claims = accessClaims(app, { roles: ['USER'] })
  const now = Math.floor(app.clock.now() / 1000)
  const signed = (changes: Json, header: Json = {}, key = ours.privateKey) =>
    forge({ alg: 'RS256', typ: 'JWT', kid, ...header }, { ...claims, ...changes }, rs256(key))
  const held = await app.call('POST', '/login', {
    json: { username: eve.username, password: eve.password },
  })
  const [head, , signature = ''] = token.split('.')
  const jwk = foreign.publicKey.export({ format: 'jwk' })

  test('answers the claims of a token of the service, of each mode', async () => {
    for (const given of [token, pair.access_token]) {
      const found = await authenticate(`bearer ${given}`)
      assert.deepEqual(
        [found.sub, found.username, found.roles],
        [String(ann.userId), 'ann', ['USER']],
      )
      assert.deepEqual(await verify(given), found)
    }
    assert.equal((await verify(signed({ aud: ['other', 'api'] }))).sub, '1')
  })

  const bad: Record<string, string> = {
    'no token at all': 'garbage',
    'two segments': 'e30.e30',
    'five segments': `${token}.e30.e30`,
    'a segment that is no base64': `${head}.e.${signature}`,
    'a header that is null': `${segment('null')}.e30.${signature}`,
    'a header that is a list': `${segment('[]')}.e30.${signature}`,
    'a header that is no UTF-8': `${Buffer.from([0xff]).toString('base64url')}.e30.${signature}`,
    'a payload that is a list': forge(
      { alg: 'RS256', typ: 'JWT', kid },
      [],
      rs256(ours.privateKey),
    ),
    'a refresh token': pair.refresh_token,
    'an enrolment token': held.body.enrolment_token,
    'a token that has ended': signed({ exp: now - 6 }),
    'a token that ends at no time': signed({ exp: undefined }),
    'a token whose end is a text': signed({ exp: String(now + 60) }),
    'a token that has not begun': signed({ nbf: now + 60 }),
    'a token that begins at no number': signed({ nbf: 'soon' }),
    'a token of the future': signed({ iat: now + 60 }),
    'a token without a subject': signed({ sub: undefined }),
    'a token whose subject is empty': signed({ sub: '' }),
    'a token whose subject is a number': signed({ sub: 1 }),
    'a token for another audience': signed({ aud: 'other' }),
    'a token without audience': signed({ aud: undefined }),
    'a token for a part of the audience': signed({ aud: ['ap', 'api2'] }),
    'a token of another issuer': signed({ iss: 'http://127.0.0.1:1' }),
    'a token of an issuer in other letters': signed({ iss: issuer.replace('http', 'HTTP') }),
    'a token without issuer': signed({ iss: undefined }),
    'a token of another type': signed({ type: 'refresh' }),
    'a token without type': signed({ type: undefined }),
    'a token whose roles are a text': signed({ roles: 'ADMIN' }),
    'a token whose scope is a list': signed({ scope: ['orders:read'] }),
    'a token that is bound to a key': signed({ cnf: { jkt: 'x' } }),
    'a token of an application': signed({ client_id: 'shop', type: undefined }, { typ: 'at+jwt' }),
    'a logout token': signed({ type: undefined }, { typ: 'logout+jwt' }),
    'a token with another `typ`': signed({}, { typ: 'dpop+jwt' }),
    'a token without `typ`': signed({}, { typ: undefined }),
    'a token that a foreign key signed': signed({}, {}, foreign.privateKey),
    'a token of an unknown key': signed({}, { kid: 'unknown' }, foreign.privateKey),
    'a token without `kid`': signed({}, { kid: undefined }),
    'a token whose `kid` is a list': signed({}, { kid: [kid] }),
    'a token whose `kid` is a name of objects': signed({}, { kid: '__proto__' }),
    'a token that brings its key': signed({}, { kid: undefined, jwk }, foreign.privateKey),
    'a token that names a key elsewhere': signed(
      {},
      { jku: 'http://127.0.0.1:1' },
      foreign.privateKey,
    ),
    'a critical extension': signed({}, { crit: ['exp'] }),
    'a payload without encoding': signed({}, { crit: ['b64'], b64: false }),
    'changed claims': `${head}.${segment({ ...claims, roles: ['ADMIN'] })}.${signature}`,
    'an unsigned token': forge({ alg: 'none', typ: 'JWT', kid }, claims, () => Buffer.alloc(0)),
    'an unsigned token with a signature': forge(
      { alg: 'none', typ: 'JWT', kid },
      claims,
      rs256(ours.privateKey),
    ),
    'an HMAC with the public key': forge(
      { alg: 'HS256', typ: 'JWT', kid },
      claims,
      hs256(publicPem),
    ),
    'RS256 that says PS256': signed({}, { alg: 'PS256' }),
    'RS256 that says RS512': signed({}, { alg: 'RS512' }),
    'RS256 in small letters': signed({}, { alg: 'rs256' }),
    'a signature that is cut': token.slice(0, -4),
    'a huge token': signed({ more: 'x'.repeat(9000) }),
    'a token of a megabyte': `${head}.${'a'.repeat(1_000_000)}.${signature}`,
  }
  for (const [what, given] of Object.entries(bad)) {
    test(`refuses ${what}`, async () => {
      assert.deepEqual(await refusalOf(authenticate(`Bearer ${given}`)), invalid)
      assert.deepEqual(await refusalOf(authenticate(`Bearer ${given}`, { live: true })), invalid)
    })
  }

  test('asks for a token where there is none', async () => {
    const basic = app.basic(ann).authorization ?? ''
    for (const given of [undefined, null, '', 'Bearer', 'Bearer ', basic, `Bearer  a b`, token]) {
      assert.deepEqual(await refusalOf(authenticate(given)), noToken, String(given))
    }
  })

  test('clocks may differ by 5 seconds', async ({ mock }) => {
    const early = signed({ nbf: now + 100, iat: now + 100, exp: now + 200 })
    const at = (seconds: number) => mock.timers.setTime((now + seconds) * 1000)
    mock.timers.enable({ apis: ['Date'], now: (now + 94) * 1000 })
    assert.deepEqual(await refusalOf(verify(early)), invalid)
    at(95)
    assert.ok(await verify(early))
    at(204)
    assert.ok(await verify(early))
    at(205)
    assert.deepEqual(await refusalOf(verify(early)), invalid)
  })

  test('a route asks for one of its roles', async () => {
    const given = `Bearer ${token}`
    assert.ok(await authenticate(given, { roles: ['ADMIN', 'USER'] }))
    assert.deepEqual(await refusalOf(authenticate(given, { roles: ['ADMIN'] })), denied)
    assert.deepEqual(await refusalOf(authenticate(given, { roles: [] })), denied)
    const admin = `Bearer ${await app.token(app.admin)}`
    assert.ok(await authenticate(admin, { roles: ['ADMIN'] }))
  })

  test('scopes limit the tokens that have scopes', async () => {
    const needs = { scopes: ['orders:read', 'orders:write'] }
    const scope = 'Bearer error="insufficient_scope", scope="orders:read orders:write"'
    assert.ok(await authenticate(`Bearer ${token}`, needs))
    const limited = (value: string) => authenticate(`Bearer ${signed({ scope: value })}`, needs)
    assert.ok(await limited('a orders:write orders:read'))
    for (const value of ['', 'orders:read', 'orders:read orders:writers']) {
      assert.deepEqual(await refusalOf(limited(value)), [403, denied[1], scope], value)
    }
    const nothing = authenticate(`Bearer ${signed({ scope: 'orders:read' })}`)
    assert.deepEqual(await refusalOf(nothing), denied, 'a route that names no scope')
  })

  test('with `live`, the end of a token counts at once', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    const given = `Bearer ${access_token}`
    assert.ok(await authenticate(given, { live: true }))
    const headers = { authorization: given }
    await app.call('POST', '/logout', { headers, form: { refresh_token } })
    assert.deepEqual(await refusalOf(authenticate(given, { live: true })), invalid)
    assert.ok(await authenticate(given))
  })

  test('a client that may not ask is a fault of the service, not of the token', async () => {
    for (const client of [
      { ...shop, secret: 'wrong' },
      { ...shop, id: 'nobody' },
    ]) {
      const causes: unknown[] = []
      const asking = verifier({ client, onError: (cause) => causes.push(cause) })
      const asked = asking.authenticate(`Bearer ${token}`, { live: true })
      assert.deepEqual(await refusalOf(asked), unavailable)
      assert.match(String(causes[0]), /\/oauth\/introspect answers 401/)
    }
    const other = verifier({ client: { id: 'other', secret: secretOf('other') } })
    const asked = other.authenticate(`Bearer ${token}`, { live: true })
    assert.deepEqual(await refusalOf(asked), invalid, 'for another audience')
  })

  test('guards a server of node:http, and knows the caller of what it admitted', async () => {
    const gatehouse = verifier()
    const guard = gatehouse.express({ roles: ['ADMIN'] })
    const server = createServer((request, response) =>
      guard(request, response, () => response.end(gatehouse.callerOf(request).username)),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    after(() => server.close())
    const ask = async (authorization: string) => {
      const address = server.address() as AddressInfo // it listens on a port
      const headers = { authorization, connection: 'close' }
      const answer = await fetch(`http://127.0.0.1:${address.port}`, { headers })
      return [answer.status, await answer.text(), answer.headers.get('www-authenticate')]
    }
    assert.deepEqual(await ask(`Bearer ${token}`), denied)
    assert.deepEqual(await ask('Bearer garbage'), invalid)
    assert.deepEqual(await ask(`Bearer ${await app.token(app.admin)}`), [200, 'admin', null])
  })

  test('stops at settings that would check less', async () => {
    assert.throws(() => createVerifier({ issuer: '', audience: 'api' }), TypeError)
    assert.throws(() => createVerifier({ issuer } as Options), TypeError)
    const without = createVerifier({ issuer, audience: 'api' })
    const asked = without.authenticate(`Bearer ${token}`, { live: true })
    await assert.rejects(asked, TypeError)
    assert.throws(() => without.callerOf({}), /no guard admitted/)
  })
})

/** Only the compiler reads this: the guards fit the types of the frameworks. */
export function acceptedByTypes() {
  const gatehouse = createVerifier({ issuer: 'https://auth.example.org', audience: 'api' })
  const needs = { roles: ['ADMIN'] }
  Fastify().get('/', { onRequest: gatehouse.fastify(needs) }, (request) =>
    gatehouse.callerOf(request),
  )
  new Hono().get('/', gatehouse.hono(needs), (context) =>
    context.text(gatehouse.callerOf(context).sub),
  )
  const guard = gatehouse.express(needs)
  createServer((request, response) => guard(request, response, () => response.end()))
  interface Context {
    readonly params: Promise<{ readonly id: string }>
  }
  return gatehouse.handler(needs, async (request: Request, { params }: Context) =>
    Response.json([(await params).id, gatehouse.callerOf(request).username]),
  )
}
