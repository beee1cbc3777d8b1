import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { createVerifier, Refusal } from '../../packages/verify/src/index.ts'
import { keyOf, tokenOf } from './verify-keys.ts'

const key = keyOf('one')

/** Bodies that do not say that the token is active. */
const inactive = ['{}', '{"active":false}', '{"active":"true"}', '{"active":1}', '[]', '"active"']

/** Answers that say nothing about the token. */
const silent: Record<string, RequestListener> = {
  'a connection that ends': (_, response) => response.destroy(),
  'an answer that never comes': () => {},
  'an answer that is huge': (_, response) => response.end(`{"a":"${'x'.repeat(70_000)}"}`),
  'a redirect': (_, response) => response.writeHead(307, { location: '/active' }).end(),
  'another status': (_, response) => response.writeHead(429).end('{"active":true}'),
  'no JSON': (_, response) => response.end('active'),
  null: (_, response) => response.end('null'),
}

suite('`live` of packages/verify', async () => {
  let answer: RequestListener = () => {}
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    if (request.url === '/.well-known/jwks.json') {
      response.end(JSON.stringify({ keys: [key.jwk] }))
    } else if (request.url === '/active') {
      response.end('{"active":true}')
    } else {
      const sent = await Array.fromAsync(request)
      bodies.push(`${request.method} ${request.url} ${request.headers.authorization} ${sent}`)
      answer(request, response)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const { authenticate } = createVerifier({
    issuer: 'https://id.example.org',
    audience: 'api',
    url: `http://127.0.0.1:${port}/`,
    client: { id: 'a:b', secret: 'c d%' },
  })
  /** 200, or the status of the refusal. */
  const status = (live = true, token = tokenOf(key)) =>
    authenticate(`Bearer ${token}`, { live }).then(
      () => 200,
      (error: unknown) => (error instanceof Refusal ? error.status : assert.fail(String(error))),
    )

  test('asks as RFC 7662 says, and once for a token that is valid', async () => {
    answer = (_, response) => response.end('{"active":true}')
    const token = tokenOf(key)
    assert.equal(await status(true, token), 200)
    const basic = Buffer.from('a%3Ab:c%20d%25').toString('base64')
    assert.deepEqual(bodies, [`POST /oauth/introspect Basic ${basic} token=${token}`])
    assert.equal(await status(false), 200)
    assert.equal(await status(true, `${token}x`), 401)
    assert.equal(bodies.length, 1)
  })

  for (const body of inactive) {
    test(`${body} is no active token`, async () => {
      answer = (_, response) => response.end(body)
      assert.equal(await status(), 401)
    })
  }

  for (const [what, given] of Object.entries(silent)) {
    test(`${what} gives no access, and says nothing about the token`, async () => {
      answer = given
      assert.equal(await status(), 503)
    })
  }
})
