import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseForwardRules } from './forward-file.ts'
import { createJudge } from './judge.ts'
import { isAmbiguous, variantsOf } from './path-variants.ts'

/** What proxies and applications do to a path, each in its own words, and not in those of the judge. */
const programs: Readonly<Record<string, (path: string) => string>> = {
  decodes: (path) => decodeURIComponent(path),
  'decodes what it can': (path) => path.replace(/%[2-7][0-9a-f]/gi, decodeURIComponent),
  'keeps encoded slashes': (path) => path.replace(/%(?!2f|5c)[2-7][0-9a-f]/gi, decodeURIComponent),
  'takes \\ for /': (path) => path.split('\\').join('/'),
  'merges slashes': (path) => path.split(/\/+/).join('/'),
  'resolves dots': (path) => posix.normalize(path),
  'parses as a browser does': (path) => new URL(path, 'http://host').pathname,
  'drops parameters': (path) =>
    path
      .split('/')
      .map((one) => one.split(';')[0])
      .join('/'),
  'drops all after a semicolon': (path) => path.split(';')[0] ?? '',
  'splits off a query': (path) => path.split(/[?#]/)[0] ?? '',
  'drops dots and spaces as Windows does': (path) =>
    path
      .split('/')
      .map((one) => (/^\.*$/.test(one) ? one : one.replace(/[. ]+$/, '')))
      .join('/'),
  'trims names': (path) =>
    path
      .split('/')
      .map((one) => one.trim())
      .join('/'),
  'does not see case': (path) => path.toLowerCase(),
  'composes characters': (path) => path.normalize('NFKC'),
}

const pieces = [
  ...[
    '/',
    '/',
    '/',
    'a',
    'b',
    'open',
    'A',
    '.',
    '..',
    './',
    '../',
    '%2e',
    '%2E',
    '%2e%2e/',
    '%2f',
    '%2F',
  ],
  ...[
    '%252f',
    '%252e',
    '%25',
    '%5c',
    '\\',
    ';',
    ';x',
    '%3b',
    '%3f',
    '%23',
    '%20',
    '%61',
    '%2561',
    '//',
  ],
  ...['%ef%bc%8f', '%ef%bc%8e', '%ef%bd%81', '%C3%A4', 'open/', 'a/', '-', '~1', '@'],
]
const spelling = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 })
  .map((all) => `/${all.join('')}`)
const pipeline = fc.array(fc.constantFrom(...Object.keys(programs)), { minLength: 1, maxLength: 6 })
const rule = fc.record({
  paths: fc.subarray(
    ['/', '/a', '/a/*', '/b/*', '/a/b', '/a/b/*', '/open/*', '/open', '/%C3%A4/*'],
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  policy: fc.constantFrom('bypass', 'one_factor', 'deny'),
})

const hosts = ['app.example.org']

function judgeOf(rules: readonly object[]) {
  const parsed = parseForwardRules(JSON.stringify({ rules }), [])
  assert.deepEqual(parsed.mistakes, [])
  const judge = createJudge(parsed.rules)
  const caller = { username: 'ann', roles: new Set<never>() }
  return (uri: string) =>
    judge.judge(
      { host: 'app.example.org', scheme: 'https', uri, methods: ['GET'], address: () => null },
      caller,
    )
}

/** What a chain of programs makes of a path, as it would be sent; null unless that is a plain path. */
function served(path: string, chain: readonly string[]): string | null {
  try {
    const last = chain.reduce((one, name) => programs[name]?.(one) ?? one, path)
    const isPlain = last.startsWith('/') && !isAmbiguous(last.replaceAll('ä', 'a'))
    return isPlain ? last.replaceAll('ä', '%C3%A4') : null
  } catch {
    return null
  }
}

suite('variants of a path', () => {
  test('no spelling gets more than what any chain of programs makes of it', () => {
    let [allowed, denied] = [0, 0]
    fc.assert(
      fc.property(
        spelling,
        pipeline,
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (path, chain, rules, isOpen) => {
          const last = served(path.split(/[?#]/)[0] ?? '', chain)
          fc.pre(last !== null && last !== path)
          const judge = judgeOf([
            ...rules.map((one) => ({ hosts, ...one })),
            ...(isOpen ? [{ hosts, policy: 'bypass' }] : []),
          ])
          const [given, plain] = [judge(path), judge(last ?? '')]
          if (given.policy === 'deny') denied += 1
          else {
            allowed += 1
            assert.deepEqual(given, plain, `${path} -> ${last}`)
          }
        },
      ),
      { numRuns: 2000, seed: 7 },
    )
    assert.ok(allowed > 300 && denied > 300, `${allowed} allowed, ${denied} denied`)
  })

  test('a plain path is its only variant, and each other has itself as the first', () => {
    for (const path of ['/', '/a/b', '/a/', '/.well-known/x', '/~ann/a.b', '/a:b@c,d=e', '/A']) {
      assert.equal(isAmbiguous(path), false, path)
      assert.deepEqual(variantsOf(path), [path])
    }
    for (const path of ['/a%20b', '/a/../b', '/a;b', '/a//b', '/a\\b', '/a./b', '/a::b', '/.']) {
      assert.equal(isAmbiguous(path), true, path)
      assert.equal(variantsOf(path)?.[0], path)
    }
  })

  test('variants are all that there are, each once', () => {
    const all: Readonly<Record<string, readonly string[]>> = {
      '/a%2Fb': ['/a%2Fb', '/a/b'],
      '/a/../b': ['/a/../b', '/b'],
      '/a/%2e%2E/b': ['/a/%2e%2E/b', '/a/../b', '/b'],
      '/a;x/b': ['/a;x/b', '/a/b', '/a'],
      '/C%C3%A4': ['/C%C3%A4', '/Cä'],
      '/..;/a': ['/..;/a', '/../a', '/..', '/a', '/'],
      '/a%252Fb': ['/a%252Fb', '/a%2Fb', '/a/b'],
    }
    for (const [path, variants] of Object.entries(all)) {
      assert.deepEqual(variantsOf(path)?.toSorted(), variants.toSorted(), path)
    }
  })

  test('a path without a sure variant has none', () => {
    for (const path of [
      ...[
        '',
        'a',
        '*',
        'http://host/a',
        '/a#b',
        '/a b',
        '/a\tb',
        '/a\0',
        '/ä',
        '/%00',
        '/%250a',
        '/%7f',
      ],
      ...['/%ff', '/%c0%af', '/%ed%a0%80', '/%c3', '/%EF%BF%BD', '/%u0000', '/%ud800'],
      `/%${'25'.repeat(60)}41`,
      `/${'..;/%2e%2e\\a%3bb./ %20/'.repeat(8)}`,
    ]) {
      assert.equal(variantsOf(path), null, JSON.stringify(path))
    }
  })
})
