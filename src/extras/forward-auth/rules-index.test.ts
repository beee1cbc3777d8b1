import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseForwardRules } from './forward-file.ts'
import { firstOnWay, indexRules } from './rules-index.ts'

/** The rules that a search passes at a host, from 1, in both spellings of the index. */
function indexed(...rules: readonly object[]) {
  const all = rules.map((rule) => ({ hosts: ['a.org'], policy: 'deny', ...rule }))
  const { mistakes, rules: parsed } = parseForwardRules(JSON.stringify({ rules: all }), [])
  assert.deepEqual(mistakes, [])
  const index = indexRules(parsed)
  const passed = (path: string, kind: 'exact' | 'folded', host = 'a.org') => {
    const found: number[] = []
    for (const of of index.of(host)) {
      firstOnWay(of[kind], path, parsed.length, (at) => found.push(at + 1) < 0)
    }
    return found.toSorted()
  }
  return { index, passed, count: parsed.length }
}

suite('paths of a rule that differ in case or in the last slash', () => {
  const { passed } = indexed({ paths: ['/a', '/a/', '/A', '/A/*', '/a/*'] })
  for (const [path, kind, times] of [
    ['/a', 'exact', 2],
    ['/a', 'folded', 2],
    ['/a/b', 'folded', 1],
  ] as const) {
    test(`are looked at once: ${kind} ${path}`, () => {
      assert.deepEqual(passed(path, kind), Array(times).fill(1))
    })
  }
})

suite('the way of a path through the rules', () => {
  const { passed } = indexed(
    { paths: ['/'] },
    { paths: ['/a'] },
    { paths: ['/a/*'] },
    { paths: ['/b/c/'] },
    { paths: ['/b/c/d/*', '/e/f/g'] },
    { methods: ['GET'] },
  )
  for (const [path, rules] of [
    ['/', [1, 6]],
    ['/a', [2, 3, 6]],
    ['/a/', [2, 3, 6]],
    ['/a/x', [3, 6]],
    ['/a//', [3, 6]],
    ['//', [6]],
    ['/ab', [6]],
    ['/b', [6]],
    ['/b/c', [4, 6]],
    ['/b/c/', [4, 6]],
    ['/b/c/x', [6]],
    ['/b/c/d', [5, 6]],
    ['/b/c/d/e/f', [5, 6]],
    ['/e/f/g', [5, 6]],
    ['/e/f/g/h', [6]],
    ['/e/f', [6]],
  ] as const) {
    test(`${path} passes ${rules}`, () => assert.deepEqual(passed(path, 'exact'), rules))
  }
})

suite('the first rule on a way', () => {
  const { index } = indexed(
    { paths: ['/a/b'] },
    { paths: ['/a/*'] },
    { paths: ['/a/b'], policy: 'bypass', methods: ['GET'] },
    { paths: ['/*'] },
  )
  const [of = assert.fail()] = index.of('a.org')
  const first = (path: string, bound: number, ...matching: readonly number[]) =>
    firstOnWay(of.exact, path, bound, (at) => matching.includes(at))

  test('is the first of the file, not of the way', () => {
    assert.equal(first('/a/b', 9, 0, 1, 3), 0)
    assert.equal(first('/a/b', 9, 1, 3), 1)
    assert.equal(first('/a/b', 9, 3), 3)
    assert.equal(first('/a/b', 9), 9)
    assert.equal(first('/x', 9, 0, 1, 3), 3)
  })

  test('is the bound if no rule is before it', () => {
    assert.equal(first('/a/b', 1, 1, 3), 1)
    assert.equal(first('/a/b', 1, 3), 1)
    assert.equal(first('/a/b', 1, 0), 0)
  })
})

suite('the spellings of a path in the index', () => {
  const { passed, index } = indexed(
    { paths: ['/Open'] },
    { paths: ['/Open/*'] },
    { paths: ['/c%c3%a4'] },
    { paths: ['/d/*'], hosts: ['small.org'] },
    { hosts: ['any.org'] },
  )

  test('are as in the file, with capital escapes, and decoded', () => {
    assert.deepEqual(passed('/Open', 'exact'), [1, 2])
    assert.deepEqual(passed('/open', 'exact'), [])
    for (const path of ['/c%C3%A4', '/cä']) assert.deepEqual(passed(path, 'exact'), [3])
    assert.deepEqual(passed('/c%c3%a4', 'exact'), [])
  })

  test('are folded for a request in any case', () => {
    assert.deepEqual(passed('/open', 'folded'), [1, 2])
    assert.deepEqual(passed('/open/x', 'folded'), [2])
    for (const path of ['/c%c3%a4', '/cä']) assert.deepEqual(passed(path, 'folded'), [3])
  })

  test('are one where folding changes none', () => {
    const same = (host: string) => index.of(host).map(({ exact, folded }) => exact === folded)
    assert.deepEqual(['a.org', 'small.org', 'any.org', 'b.org'].map(same), [
      ...[[false], [true], [true], []],
    ])
    const escaped = indexed({ paths: ['/%C3%A4'] }).index.of('a.org')
    assert.deepEqual(
      escaped.map(({ exact, folded }) => exact === folded),
      [false],
    )
  })

  test('make no difference for a host whose rules are for any path', () => {
    const isOfAny = (host: string) => index.of(host).map(({ isOfAnyPath }) => isOfAnyPath)
    assert.deepEqual(['a.org', 'small.org', 'any.org'].map(isOfAny), [[false], [false], [true]])
  })
})

suite('the hosts of the index', () => {
  test('are the host, and each above it that has rules for all below', () => {
    const { passed } = indexed(
      { hosts: ['*.a.org'], methods: ['GET'] },
      { hosts: ['b.c.a.org', '*.org:81'] },
      { hosts: ['*.c.a.org'], methods: ['PUT'] },
      { hosts: ['*.org'], methods: ['DELETE'] },
    )
    const rules = (host: string) => passed('/x', 'exact', host)
    assert.deepEqual(rules('b.c.a.org'), [1, 2, 3, 4])
    assert.deepEqual(rules('a.org'), [4])
    assert.deepEqual(rules('x.a.org'), [1, 4])
    assert.deepEqual(rules('x.org:81'), [2])
    assert.deepEqual(rules('.org'), [])
    assert.deepEqual(rules('org'), [])
  })

  test('leave out a rule that never matches', () => {
    const { passed } = indexed({}, { paths: ['/a'] }, { hosts: ['b.org'] })
    assert.deepEqual(passed('/a', 'exact'), [1])
    assert.deepEqual(passed('/a', 'exact', 'b.org'), [3])
  })
})
