import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { isNavigation } from './navigation.ts'
import { headerText, remoteOf } from './remote-headers.ts'
import { isValidMethod, isValidUri, pathOf } from './request-line.ts'
import { parseSite } from './site.ts'

suite('the request line', () => {
  for (const [uri, isValid] of [
    ['/', true],
    ['/a?b=%&c=%zz', true],
    ['/a%20b/%C3%A4', true],
    ['/!"$&\'()*+,;=:@[]{}|\\^`~', true],
    [`/${'a'.repeat(8191)}`, true],
    [`/${'a'.repeat(8192)}`, false],
    ['', false],
    ['a', false],
    ['/a b', false],
    ['/a#b', false],
    ['/ä', false],
    ['/\x7f', false],
    ['/%', false],
    ['/%zz', false],
    ['/%C3', false],
    ['/%00', false],
    ['/%0a?x', false],
    ['/%C2%85', false],
    ['/a?%00', true],
  ] as const) {
    test(`${uri.slice(0, 20)} is ${isValid ? '' : 'not '}valid`, () =>
      assert.equal(isValidUri(uri), isValid))
  }

  for (const [method, isValid] of [
    ['GET', true],
    ['M-SEARCH', true],
    ['A_1', true],
    ['A'.repeat(32), true],
    ['A'.repeat(33), false],
    ['', false],
    ['get', false],
    ['1A', false],
    ['GET ', false],
    ['GET\n', false],
  ] as const) {
    test(`${JSON.stringify(method)} is ${isValid ? 'a' : 'no'} method`, () =>
      assert.equal(isValidMethod(method), isValid))
  }

  test('the path ends before the query', () => {
    assert.deepEqual(['/a?b?c', '/a', '?b', ''].map(pathOf), ['/a', '/a', '', ''])
  })
})

suite('a site', () => {
  for (const [scheme, text, host] of [
    ['https', 'App.Example.org', 'app.example.org'],
    ['https', 'app.example.org.', 'app.example.org'],
    ['https', 'app.example.org:443', 'app.example.org'],
    ['http', 'app.example.org:443', 'app.example.org:443'],
    ['http', 'app.example.org:80', 'app.example.org'],
    ['https', 'app.example.org:80', 'app.example.org:80'],
    ['https', '127.0.0.1:8443', '127.0.0.1:8443'],
    ['https', '[::1]', '[::1]'],
    ['https', '[::1]:8443', '[::1]:8443'],
  ] as const) {
    test(`${scheme} ${text} is ${host}`, () => {
      const hostname = host.replace(/:\d+$/, '')
      assert.deepEqual(parseSite(scheme, text), {
        scheme,
        host,
        hostname,
        origin: `${scheme}://${host}`,
      })
    })
  }

  const label = 'a'.repeat(62)
  const longest = `${label}.${label}.${label}.${label}.`
  test('a long name may have a final dot and a port', () => {
    assert.ok(parseSite('https', `${longest}:12345`))
    assert.ok(parseSite('https', `aaaaa${'.'}${longest.slice(6)}`))
    assert.equal(parseSite('https', `${'a.'.repeat(130)}a`), null) // 261
    assert.notEqual(parseSite('https', `${'a.'.repeat(129)}aa`), null) // 260
  })

  for (const text of [
    ...['', 'a b', 'a/b', 'a@b', '0x7f.1', '[::0:1]', '127.1', 'a..b', '.a', 'a..', 'a:', 'a:x'],
    ...['a:99999', 'a:0443', 'ä.org', '[::1', 'a,b', 'a:443:443'],
  ]) {
    test(`${JSON.stringify(text)} is no site`, () => assert.equal(parseSite('https', text), null))
  }
})

suite('headers for applications', () => {
  for (const [text, expected] of [
    ['ann', 'ann'],
    ['a b', 'a b'],
    [' a ', '%20a%20'],
    [' ', '%20'],
    ['50%', '50%25'],
    ['ä\n', '%C3%A4%0A'],
    ['😀', '%F0%9F%98%80'],
    ['\x1f\x7f', '%1F%7F'],
    ['', ''],
  ] as const) {
    test(JSON.stringify(text), () => assert.equal(headerText(text), expected))
  }

  test('name the user, the roles and the email', () => {
    assert.deepEqual(remoteOf('ännä', ['admin', 'user'], 'a@b.co'), {
      ...{ user: '%C3%A4nn%C3%A4', groups: 'admin,user', email: 'a@b.co' },
    })
    for (const email of [null, undefined, '']) {
      assert.deepEqual(remoteOf('ann', [], email), { user: 'ann', groups: '', email: null })
    }
  })
})

suite('a navigation', () => {
  const page = { accept: 'text/html,*/*;q=0.8' }
  for (const [name, headers, expected] of [
    ['by Fetch Metadata', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, true],
    ['of a frame', { ...page, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, false],
    ['of a script', { ...page, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'document' }, false],
    ['without Fetch Metadata, of HTML', page, true],
    ['without Fetch Metadata, of JSON', { accept: 'application/json' }, false],
    ['of an old script', { ...page, 'x-requested-with': 'XMLHttpRequest' }, false],
    [
      'of a WebSocket',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', upgrade: 'websocket' },
      false,
    ],
  ] as const) {
    test(`${name}: ${expected}`, () => {
      assert.equal(isNavigation({ headers, method: 'GET' } as unknown as FastifyRequest), expected)
    })
  }
})
