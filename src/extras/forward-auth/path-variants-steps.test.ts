import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { folded, hasTooManyMarks, maxCharacters, variantsOf } from './path-variants.ts'

suite('what a program may make of a path', () => {
  for (const [what, path, others] of [
    ['decodes, and keeps separators encoded', '/%40%2Fb', ['/@/b', '/@%2Fb']],
    ['keeps an encoded backslash', '/%40%5Cb', ['/@\\b', '/@%5Cb', '/@/b']],
    ['decodes what needs no escape', '/%61%40', ['/a@', '/a%40']],
    ['decodes capital and small digits', '/%4a%4A%7E', ['/JJ~']],
    ['decodes decimal digits', '/%30%39', ['/09']],
    ['decodes as old Windows servers do', '/%u0041', ['/A']],
    ['keeps a separator that is so encoded', '/%40%u002Fb', ['/@/b', '/@%u002Fb']],
    ['takes \\ for /', '/a\\b', ['/a/b']],
    ['merges slashes', '/a//b///c', ['/a/b/c']],
    ['takes what follows // for a host', '//h/b', ['/h/b', '/b']],
    ['joins a path without a slash', '//h', ['/h', '/']],
    ['resolves dots', '/a/b/../c', ['/a/c']],
    ['keeps the slash after dots', '/a/b/..', ['/a/']],
    ['keeps the slash after a dot', '/a/b/.', ['/a/b/']],
    ['drops a dot', '/a/./b', ['/a/b']],
    ['does not leave the root', '/..//a', ['/../a', '//a', '/a', '/']],
    ['drops parameters', '/a;x/b', ['/a/b', '/a']],
    ['drops streams of NTFS', '/a::$D/b', ['/a/b']],
    ['splits off a query', '/a%3Fb', ['/a?b', '/a']],
    ['splits off a fragment', '/a%23b', ['/a#b', '/a']],
    ['trims a segment', '/%20a', ['/ a', '/a']],
    ['drops a dot at the end', '/a./b', ['/a/b']],
    ['drops dots and spaces at the end', '/a%20.%20', ['/a . ', '/a .', '/a']],
    ['drops a segment of dots', '/.../b', ['//b', '/b', '/']],
    ['reads full-width characters', '/%EF%BD%81', ['/\uff41', '/a']],
    ['reads slashes that look alike', '/a%E2%88%95b', ['/a\u2215b', '/a/b']],
    ['reads backslashes that look alike', '/a%E2%88%96b', ['/a\u2216b', '/a\\b', '/a/b']],
    ['reads dots that look alike', '/a%E3%80%82b', ['/a\u3002b', '/a.b']],
    ['drops characters without width', '/a%E2%80%8Bb', ['/a\u200bb', '/ab']],
  ] as const) {
    test(`${what}: ${path}`, () => {
      assert.deepEqual(variantsOf(path)?.toSorted(), [path, ...others].toSorted())
    })
  }

  for (const path of [
    ...['/%', '/%4', '/%4/', '/%4:', '/%4@', '/%4`', '/%4g', '/%4G', '/%1/', '/%g4', '/%:0'],
    ...['/%u004', '/%u00g1'],
  ]) {
    test(`${path} has no escape`, () => assert.deepEqual(variantsOf(path), [path]))
  }
})

suite('the limits of variants', () => {
  test('are 48 variants', () => {
    const nested = (times: number) => `/%${'25'.repeat(times)}40`
    assert.equal(variantsOf(nested(46))?.length, 48)
    assert.equal(variantsOf(nested(47)), null)
  })

  test('are 32,768 characters of all variants together', () => {
    const long = (length: number, end: string) => `/${'a'.repeat(length - 1 - end.length)}${end}`
    assert.equal(variantsOf(long(16_385, ';x'))?.join('').length, maxCharacters)
    assert.equal(variantsOf(long(16_385, ';')), null)
  })

  for (const [what, mark, marks] of [
    ['a parameter', ';', 1],
    ['a sign that begins no escape', '%', 1],
    ['an escape', '%2e', 1],
    ['an escape of an escape', '%252e', 2],
    ['an escape of an escape of an escape', '%25252e', 3],
    ['a byte of a character beyond ASCII', '%C3', 0],
  ] as const) {
    test(`are 200 marks: ${what} counts as ${marks}`, () => {
      const path = (times: number) => `/${'/'.repeat(200)}${mark.repeat(times)}`
      const times = marks === 0 ? 1000 : Math.floor(200 / marks)
      assert.equal(hasTooManyMarks(path(times)), false)
      assert.equal(hasTooManyMarks(path(times + 1)), marks > 0)
    })
  }
})

suite('case', () => {
  for (const [text, expected] of [
    ['/aB~', '/ab~'],
    ['/Ä', '/ä'],
    ['/ß', '/ss'],
    ['/ſ', '/s'],
    ['/\u212a', '/k'],
    ['/\uff21', '/a'],
  ] as const) {
    test(`${text} is ${expected}`, () => assert.equal(folded(text), expected))
  }
})
