import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { createForwarded } from './forwarded.ts'

const config = { http: { trustedProxies: ['10.0.0.0/8'] } }
const { askedOf, siteOf } = createForwarded(
  config as unknown as Parameters<typeof createForwarded>[0], // what it reads
)

const named = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'app.example.org',
  'x-forwarded-uri': '/a?b',
  'x-forwarded-method': 'GET',
}

function requestOf(headers: object = {}, more: object = {}): FastifyRequest {
  const raw = { socket: { remoteAddress: '10.1.2.3' } }
  const sent = { ...named, ...headers }
  return {
    headers: sent,
    raw,
    socket: raw.socket,
    ip: '10.1.2.3',
    ...more,
  } as unknown as FastifyRequest
}

const asked = (headers: object = {}, more: object = {}) => askedOf(requestOf(headers, more))

function assertRefused(work: () => unknown, reason: object): void {
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.row, error.reason], ['badRequest', reason])
    return true
  })
}

suite('what a proxy forwards', () => {
  test('is the site, the address, the method and the visitor', () => {
    const found = asked({}, { ip: '192.0.2.1', ips: ['10.1.2.3', '192.0.2.1'] })
    const { host, methods, named: paths, scheme, site, uri } = found
    assert.deepEqual(
      [host, scheme, uri, methods, paths],
      ['app.example.org', 'https', '/a?b', ['GET'], []],
    )
    assert.equal(site.origin, 'https://app.example.org')
    assert.equal(found.address(), '192.0.2.1')
  })

  test('is of no visitor if the proxy names none, or none that is an address', () => {
    assert.equal(asked().address(), null)
    assert.equal(asked({}, { ips: ['10.1.2.3'] }).address(), null)
    assert.equal(asked({}, { ip: 'x', ips: ['10.1.2.3', 'x'] }).address(), null)
  })

  for (const [proto, origin] of [
    ['http', 'http://app.example.org'],
    ['ws', 'http://app.example.org'],
    ['wss', 'https://app.example.org'],
  ] as const) {
    test(`by ${proto} is of ${origin}`, () => {
      const request = requestOf({ 'x-forwarded-proto': proto })
      assert.equal(siteOf(request).origin, origin)
      assert.equal(siteOf(request), siteOf(request))
    })
  }

  test('counts from a proxy alone', () => {
    for (const remoteAddress of ['192.0.2.1', undefined]) {
      const raw = { socket: { remoteAddress } }
      assertRefused(() => asked({}, { raw }), { code: 'forward_untrusted_peer' })
      assertRefused(() => siteOf(requestOf({}, { raw })), { code: 'forward_untrusted_peer' })
    }
  })

  for (const name of Object.keys(named)) {
    test(`is refused without ${name}, or with two`, () => {
      const absent = { code: 'forward_header_absent', facts: { header: name } }
      const invalid = { code: 'forward_header_invalid', facts: { header: name } }
      assertRefused(() => asked({ [name]: undefined }), absent)
      assertRefused(() => asked({ [name]: ['/a', '/a'] }), invalid)
      assertRefused(() => asked({ [name]: ' ' }), invalid)
    })
  }
})

suite('the methods of a request', () => {
  const methods = (headers: object, uri = '/a') =>
    asked({ 'x-forwarded-uri': uri, ...headers }).methods

  for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
    test(`may be overridden by ${header}`, () => {
      assert.deepEqual(methods({ [header]: 'delete' }), ['GET', 'DELETE'])
      assert.deepEqual(methods({ [header.replaceAll('-', '_')]: 'delete' }), ['GET', 'DELETE'])
    })
  }

  for (const [uri, expected] of [
    ['/a?_method=put', ['GET', 'PUT']],
    ['/a?_METHOD=put&x=1', ['GET', 'PUT']],
    ['/a?%5fmethod=put', ['GET', 'PUT']],
    ['/a?_method=put&_method=patch', ['GET', 'PUT', 'PATCH']],
    ['/a?x=_method', ['GET']],
    ['/_method=put', ['GET']],
    ['/a&_method=put', ['GET']],
    ['/a?_method=', ['GET']],
    ['/a?', ['GET']],
  ] as const) {
    test(`of ${uri}`, () => assert.deepEqual(methods({}, uri), expected))
  }

  test('are all that are named, once', () => {
    const headers = { 'x-http-method': 'PUT, get', 'x-method-override': ' PUT ,PATCH,' }
    const all = ['GET', 'PUT', 'PATCH', 'DELETE']
    assert.deepEqual(methods(headers, '/a?_method=delete'), all)
    const joined = { 'x-http-method': 'PUT', x_http_method: 'DELETE', 'x-http_method': 'PATCH' }
    assert.deepEqual(new Set(methods(joined)), new Set(['GET', 'PUT', 'DELETE', 'PATCH']))
  })

  test('are eight more at most, and each is one', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `M${at}`).join(',')
    assert.equal(methods({ 'x-http-method': many(8) }).length, 9)
    const refusal = { code: 'forward_method_override' }
    assertRefused(() => methods({ 'x-http-method': many(9) }), refusal)
    for (const value of ['a b', '1', 'x'.repeat(33)]) {
      assertRefused(() => methods({ 'x-http-method': `PUT,${value}` }), refusal)
    }
  })

  test('and paths may be named with `_`, which applications read as `-`', () => {
    const { named: paths } = asked({ x_original_url: '/other', 'x-forwarded-uri': '/a' })
    assert.deepEqual(paths, [{ header: 'x-original-url', path: '/other' }])
    const { named: prefixed } = asked({
      'x-forwarded-prefix': '/p',
      'x-forwarded-uri': '/a',
      a_b: 'c',
    })
    assert.deepEqual(
      prefixed?.map(({ path }) => path),
      ['/p', '/p/a'],
    )
  })
})
