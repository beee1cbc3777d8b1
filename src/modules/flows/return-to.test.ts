import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  addressOf,
  applicationPath,
  foreignOrigin,
  maxReturnToLength,
  needsTwoFactors,
  parseDestination,
  parseReturnTo,
  type ReturnOrigins,
  withoutBrowser,
} from './return-to.ts'

const wiki = 'https://wiki.example.org'
const app = 'https://app.example.org:8443'
const origins: ReturnOrigins = {
  includes: (origin) => origin === wiki || origin === app,
  isForwarded: (origin) => origin.startsWith(wiki),
  isTarget: (address) => !address.startsWith('/oauth/logout'),
}
const browser = 'b'.repeat(43)
const to = (value: unknown) => parseReturnTo(value, { origins, otherwise: '/else' })

suite('return_to', () => {
  const kept = [
    ...['/', '/users?page=2#here', '/a%20b', '/a:b@c', '/%zz', '/a//b', '/a%3Fb'],
    ...[wiki, `${wiki}/`, `${wiki}/a%2Fb`, `${wiki}?a`, `${wiki}#a`, `${app}/x`],
  ]
  for (const value of kept) test(`keeps ${value}`, () => assert.equal(to(value), value))

  const refused = [
    ...[undefined, null, 7, ['/'], '', 'users', '//evil.example', '/\\evil.example', '/a\\b'],
    ...['/a\nb', '/\t/evil.example', '/a\u0080b', '/\ud800', '/%2F/evil.example', '/a%5cb'],
    ...['/a%0Ab', '/a%0db', '/a%09b', '/a%2fb', 'https://evil.example', 'javascript:alert(1)'],
    ...[`${wiki}.evil.example`, `${wiki}@evil.example`, `${wiki}:443/`, `${wiki}\\a`],
    ...['https://WIKI.example.org/', 'https://me@wiki.example.org/', `${wiki}/a b`],
    ...['https://:secret@wiki.example.org/', `${wiki}/a\u0000`, 'http://wiki.example.org/'],
    ...['/oauth/logout', '/oauth/logout?x=1', `${app}0/x`, 'https://'],
  ]
  for (const value of refused) {
    test(`refuses ${JSON.stringify(value)}`, () => assert.equal(to(value), '/else'))
  }

  test('is / by default, and leads to no other origin without a list of origins', () => {
    assert.equal(parseReturnTo('users'), '/')
    assert.equal(parseReturnTo(`${wiki}/`), '/')
    assert.equal(parseReturnTo('/oauth/logout'), '/oauth/logout')
    assert.equal(parseReturnTo('/users'), '/users')
  })

  test('has at most 2048 characters, also in the ASCII of a header', () => {
    const longest = `/${'a'.repeat(maxReturnToLength - 1)}`
    assert.equal(maxReturnToLength, 2048)
    assert.equal(to(longest), longest)
    assert.equal(to(`${longest}a`), '/else')
    const wide = `/${'ä'.repeat(341)}a`
    assert.equal(to(`${wide}`).length, 2048)
    assert.equal(to(`${wide}b`), '/else')
    assert.equal(parseReturnTo('/four', { maxLength: 5 }), '/four')
    assert.equal(parseReturnTo('/fours', { maxLength: 5 }), '/')
  })

  test('is percent-encoded beyond ASCII, and each printable character stays', () => {
    assert.equal(to('/ä~ ?日'), '/%C3%A4~ ?%E6%97%A5')
  })
})

suite('the way to an application', () => {
  const of = (query: Record<string, unknown>) =>
    parseDestination(query, { origins, otherwise: '/else' })

  test('has the browser of an application host alone, and two factors if asked for', () => {
    const wanted = { return_to: `${wiki}/a`, browser, two_factor: '1' }
    const full = { returnTo: `${wiki}/a`, browser, needsTwoFactors: true }
    assert.deepEqual(of(wanted), full)
    assert.deepEqual(of({ ...wanted, two_factor: 'true' }), { ...full, needsTwoFactors: false })
    for (const other of [
      undefined,
      [browser],
      `${browser}b`,
      browser.slice(1),
      `${browser.slice(1)}=`,
    ]) {
      assert.deepEqual(of({ ...wanted, browser: other }), { ...full, browser: null })
    }
    assert.deepEqual(of({ ...wanted, return_to: `${app}/` }), {
      ...{ returnTo: `${app}/`, browser: null, needsTwoFactors: true },
    })
    assert.deepEqual(of({ ...wanted, return_to: '/users' }), {
      ...{ returnTo: '/users', browser: null, needsTwoFactors: true },
    })
    assert.deepEqual(of({}), { returnTo: '/else', browser: null, needsTwoFactors: false })
  })

  const plain = { returnTo: `${wiki}/a?b=c&d`, browser: null, needsTwoFactors: false }
  const written = 'return_to=https%3A//wiki.example.org/a%3Fb%3Dc%26d'
  const addresses: [typeof plain | { browser: string }, string][] = [
    [{}, plain.returnTo] as never,
    [{ browser }, `${applicationPath}?browser=${browser}&${written}`],
    [{ needsTwoFactors: true } as never, `${applicationPath}?two_factor=1&${written}`],
    [
      { browser, needsTwoFactors: true } as never,
      `${applicationPath}?browser=${browser}&two_factor=1&${written}`,
    ],
  ]
  for (const [more, address] of addresses) {
    test(`is ${address}`, () => {
      const destination = { ...plain, ...more }
      assert.equal(addressOf(destination), address)
      assert.equal(to(address), address)
      assert.equal(needsTwoFactors(address), destination.needsTwoFactors)
      assert.equal(foreignOrigin(address), wiki)
      assert.equal(withoutBrowser(address), addressOf({ ...destination, browser: null }))
    })
  }

  test('is checked and written anew', () => {
    assert.equal(to(`${applicationPath}?return_to=https://evil.example`), '/else')
    assert.equal(to(`${applicationPath}?return_to=${wiki}/a`), `${wiki}/a`)
    assert.equal(to(`${applicationPath}?x=y`), '/else')
    const twice = `${applicationPath}?two_factor=1&return_to=${encodeURIComponent(
      `${applicationPath}?browser=${browser}&return_to=https%3A//wiki.example.org/`,
    ).replaceAll('%2F', '/')}`
    assert.equal(to(twice), twice)
    assert.equal(foreignOrigin(twice), wiki)
  })

  test('may hold the longest address, fully encoded', () => {
    const longest = `${wiki}/`.padEnd(maxReturnToLength, '?')
    const wrapped = addressOf({ returnTo: longest, browser, needsTwoFactors: true })
    assert.ok(wrapped.length > 6000)
    assert.equal(to(wrapped), wrapped)
    assert.equal(to(`${wrapped}?`), `${applicationPath}?two_factor=1&return_to=/else`)
    const padded = `${applicationPath}?two_factor=1&return_to=/a&x=`.padEnd(3 * 2048 + 128, 'x')
    assert.equal(to(padded), `${applicationPath}?two_factor=1&return_to=/a`)
    assert.equal(to(`${padded}x`), '/else')
  })

  test('asks for two factors by a path of this service alone', () => {
    assert.equal(needsTwoFactors('/x?two_factor=1'), true)
    assert.equal(needsTwoFactors('/x?two_factor=2'), false)
    assert.equal(needsTwoFactors('/x'), false)
    assert.equal(needsTwoFactors(`${wiki}/?two_factor=1`), false)
  })

  test('keeps an address without a browser as it is', () => {
    for (const address of ['/users', `${wiki}/a`, `${applicationPath}?browser=${browser}`]) {
      assert.equal(withoutBrowser(address), address)
    }
    assert.equal(foreignOrigin('/users'), null)
    assert.equal(foreignOrigin(`${app}/users`), app)
  })
})
