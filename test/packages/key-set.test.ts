import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { after, suite, test } from 'node:test'
import { createVerifier, Refusal } from '../../packages/verify/src/index.ts'
import type { Json } from '../forge.ts'
import { keyOf, tokenOf } from './verify-keys.ts'

const [one, two, weak] = [keyOf('one'), keyOf('two'), keyOf('weak', 1024)]

/** A verifier with a server of the test in place of the service, which counts its requests. */
async function verifierOf(answer: RequestListener) {
  const state = { answer, requests: 0 }
  const server = createServer((request, response) => {
    state.requests += 1
    state.answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const url = `http://127.0.0.1:${address.port}`
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await once(server.close(), 'close')
  }
  after(close)
  const causes: string[] = []
  const onError = (cause: unknown) => causes.push(String(cause))
  const { verify } = createVerifier({
    issuer: 'https://id.example.org',
    audience: 'api',
    url,
    onError,
  })
  /** 200, or the status of the refusal. */
  const status = (key = one, header: Json = {}) =>
    verify(tokenOf(key, header)).then(
      () => 200,
      (error: unknown) => (error instanceof Refusal ? error.status : assert.fail(String(error))),
    )
  return { state, status, causes, close, url }
}

const set =
  (...keys: readonly object[]): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ keys }))
const status =
  (code: number, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end('{"keys":[]}')

suite('the key set of packages/verify', () => {
  test('is read once for many tokens at once, and again after 5 minutes', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { state, status } = await verifierOf(set(one.jwk))
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => status())), [200, 200, 200])
    mock.timers.tick(299_000)
    assert.deepEqual([await status(), state.requests], [200, 1])
    mock.timers.tick(1000)
    assert.deepEqual([await status(), await status(), state.requests], [200, 200, 2])
    mock.timers.setTime(Date.now() - 3_600_000)
    assert.deepEqual([await status(), state.requests], [200, 3], 'a clock that was put back')
  })

  test('is read at once for a new key, and no more often than every 10 seconds', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { state, status } = await verifierOf(set(one.jwk))
    assert.equal(await status(), 200)
    state.answer = set(one.jwk, two.jwk)
    assert.deepEqual(await Promise.all([status(two), status(two)]), [200, 200])
    assert.equal(state.requests, 2)
    for (let guess = 0; guess < 50; guess += 1) {
      assert.equal(await status(one, { kid: `guess-${guess}` }), 401)
    }
    assert.equal(state.requests, 2)
    mock.timers.tick(10_000)
    assert.deepEqual([await status(one, { kid: 'guess' }), state.requests], [401, 3])
    assert.equal(await status(two), 200)
  })

  test('drops a key that is no longer published', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { state, status } = await verifierOf(set(one.jwk, two.jwk))
    assert.equal(await status(), 200)
    state.answer = set(two.jwk)
    mock.timers.tick(300_000)
    assert.deepEqual([await status(two), await status(one)], [200, 401])
  })

  test('is kept for a day while the service is away, and not asked for at each token', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { state, status, causes } = await verifierOf(set(one.jwk))
    assert.equal(await status(), 200)
    state.answer = (_, response) => response.destroy()
    mock.timers.tick(86_399_000)
    assert.deepEqual([await status(), await status(), state.requests], [200, 200, 2])
    assert.deepEqual(causes, [])
    assert.equal(await status(two), 503, 'another key may be new')
    mock.timers.tick(1000)
    assert.equal(await status(), 503)
    state.answer = set(one.jwk)
    mock.timers.tick(10_000)
    assert.equal(await status(), 200)
  })

  const useless: Record<string, RequestListener> = {
    'a connection that ends': (_, response) => response.destroy(),
    'an answer that never comes': () => {},
    'an answer that never ends': (_, response) => response.write('{"keys":'),
    'an answer that is huge': (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    },
    'a redirect to a key set': (request, response) => {
      if (request.url === '/moved') return set(one.jwk)(request, response)
      response.writeHead(302, { location: '/moved' }).end()
    },
    'a failure with a key set': (_, response) =>
      response.writeHead(500).end(JSON.stringify({ keys: [one.jwk] })),
    'nothing found': status(404),
    'no content': (_, response) => response.writeHead(204).end(),
    'no JSON': (_, response) => response.end('<html>'),
    'no UTF-8': (_, response) => response.end(Buffer.from([0x7b, 0xff])),
    null: (_, response) => response.end('null'),
    'a list': (_, response) => response.end('[]'),
    'keys that are no list': (_, response) => response.end('{"keys":7}'),
    'a key that is null': (_, response) => response.end('{"keys":[null]}'),
    'a key that cannot be read': set({ ...one.jwk, n: undefined }),
  }
  for (const [what, answer] of Object.entries(useless)) {
    test(`${what} is no key set, and the next one counts`, async () => {
      const { state, status, causes } = await verifierOf(answer)
      assert.equal(await status(), 503)
      assert.equal(causes.length, 1)
      state.answer = set(one.jwk)
      assert.equal(await status(), 200)
    })
  }

  test('keys of another use, algorithm or size are left out', async () => {
    const { privateKey } = one
    const others = [
      { ...one.jwk, use: 'enc' },
      { ...one.jwk, use: undefined },
      { ...one.jwk, alg: 'PS256' },
      { ...one.jwk, alg: undefined },
      { ...one.jwk, kid: 1 },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256', use: 'sig' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'RS256', use: 'sig' },
    ]
    for (const other of others) {
      const { status } = await verifierOf(set(other, two.jwk))
      assert.deepEqual([await status(), await status(two)], [401, 200], JSON.stringify(other))
    }
    const { status } = await verifierOf(set(weak.jwk, two.jwk))
    assert.equal(await status(weak), 401)
    assert.equal(await status({ ...one, privateKey, kid: 'two' }), 401, 'the kid of another')
  })

  test('no connection at all is 503', async () => {
    const { close, status } = await verifierOf(set(one.jwk))
    await close()
    assert.equal(await status(), 503)
  })
})
