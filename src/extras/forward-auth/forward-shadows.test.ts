import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contractRoles } from '../../core/policy/principal.ts'
import { parseForwardRules } from './forward-file.ts'
import { shadowedRules } from './forward-shadows.ts'

const wiki = { hosts: ['wiki.example.org'], policy: 'one_factor' }
const of = (...hosts: readonly string[]) => ({ hosts })
const at = (...paths: readonly string[]) => ({ paths })
const by = (...methods: readonly string[]) => ({ methods })

suite('a rule that never matches', () => {
  const never = [2, 1]
  for (const [what, expected, ...rules] of [
    ['one after a rule for all paths', [never], {}, at('/a', '/b/*')],
    ['one after a rule for all paths, as it may be written', [never], at('/*'), at('/a/b')],
    ['one far below a path', [never], at('/a/*'), at('/a/b/c/d/')],
    ['one with a path below and another', [], at('/a/*'), at('/a/b', '/c')],
    ['one for all paths after one for some', [], at('/a/*', '/b'), {}],
    ['one that is above', [], at('/a/b/*'), at('/a/*')],
    ['one with the path that is above', [never], at('/a/*'), at('/a')],
    ['one with two paths of a rule', [never], at('/a', '/b', '/c'), at('/c', '/b')],
    ['one far below a host', [never], of('*.org'), of('a.wiki.example.org', 'example.org')],
    ['one for all hosts below', [never], of('*.example.org'), of('*.a.example.org')],
    ['the host above those below', [], of('*.example.org'), of('example.org')],
    ['one at the same port', [never], of('*.example.org:81'), of('a.example.org:81')],
    ['one at another port', [], of('*.example.org:81'), of('a.example.org:82', 'a.example.org')],
    ['one with a host that no rule has', [], of('*.example.org'), of('a.example.org', 'b.net')],
    ['one with two hosts of a rule', [never], of('a.net', 'b.net'), of('b.net', 'a.net')],
    ['one for more methods', [], by('GET'), by('GET', 'POST')],
    ['one for any method', [], by('GET'), {}],
    [
      'one of two that differ',
      [
        [3, 1],
        [4, 2],
      ],
      by('GET'),
      by('POST'),
      by('GET'),
      by('POST'),
    ],
    ['one after one that never matches', [never, [3, 1]], {}, by('GET'), by('GET')],
    ['one that two rules together cover', [], by('GET'), by('POST'), by('GET', 'POST')],
  ] as const) {
    test(`${what}: ${JSON.stringify(expected)}`, () => {
      const file = JSON.stringify({ rules: rules.map((rule) => ({ ...wiki, ...rule })) })
      const { mistakes, rules: parsed } = parseForwardRules(file, contractRoles)
      assert.deepEqual(mistakes, [])
      const found = shadowedRules(parsed).map(({ rule, by: other }) => [rule, other])
      assert.deepEqual(found, expected)
    })
  }
})
