import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contractRoles, type Role } from '../../src/core/policy/principal.ts'
import { parseForwardRules } from '../../src/extras/forward-auth/forward-file.ts'
import { createJudge } from '../../src/extras/forward-auth/judge.ts'
import { spellingsOf } from '../forward-spellings.ts'

const hosts = ['app.example.org']

/** Answers, for each of these callers, what rules say of a path. */
function judgeOf(rules: readonly object[]) {
  const parsed = parseForwardRules(JSON.stringify({ rules }), contractRoles)
  assert.deepEqual(parsed.mistakes, [])
  const judge = createJudge(parsed.rules)
  return (uri: string, roles: readonly Role[] | null) => {
    const caller = roles && { username: 'ann', roles: new Set(roles) }
    return judge.judge(
      { host: 'app.example.org', scheme: 'https', uri, methods: ['GET'], address: () => null },
      caller,
    )
  }
}

suite('spellings of a protected path', () => {
  const paths = ['/private/secret', '/a/b/c', '/Docs/Plan_2.html', '/s/k/i']

  test('there are more than a thousand, each once, of each kind', () => {
    const path = '/private/secret'
    const all = spellingsOf(path)
    assert.ok(all.length >= 1000, `${all.length}`)
    assert.equal(new Set(all).size, all.length)
    assert.ok(!all.includes(path))
    for (const one of [
      '/%70rivate/secret',
      '/%2570rivate/secret',
      '//private/secret',
      '/./private/secret',
      '/private\\secret',
      '/private;x=y/secret',
      '/PRIVATE/SECRET',
      '/private%c0%afsecret',
      '/%EF%BD%90rivate/secret',
      '/private/secret%00',
      'http://app.example.org/private/secret',
      '/private/secret#x',
      '/private/sec\tret',
      '/private/sec\0ret',
      '/public/..;/private/secret',
    ]) {
      assert.ok(all.includes(one), one)
    }
  })

  for (const path of paths) {
    const first = `${path.slice(0, path.indexOf('/', 1))}/*`

    test(`none of ${path} passes beside a rule that denies it`, () => {
      const judge = judgeOf([
        { hosts, paths: [first], policy: 'deny' },
        { hosts, policy: 'bypass' },
      ])
      for (const uri of spellingsOf(path)) {
        assert.equal(judge(uri, ['ADMIN']).policy, 'deny', JSON.stringify(uri))
      }
    })

    test(`none of ${path} passes beside a rule for some roles, or one of two factors`, () => {
      const rules = [
        { hosts, paths: ['/public/*'], policy: 'bypass' },
        { hosts, paths: [first], roles: ['ADMIN'], policy: 'two_factor' },
        { hosts, paths: [first], policy: 'deny' },
        { hosts, policy: 'one_factor' },
      ]
      const judge = judgeOf(rules)
      for (const uri of spellingsOf(path)) {
        assert.equal(judge(uri, ['USER']).policy, 'deny', JSON.stringify(uri))
        assert.ok(['deny', 'identify'].includes(judge(uri, null).policy), JSON.stringify(uri))
        assert.ok(
          ['deny', 'two_factor'].includes(judge(uri, ['ADMIN']).policy),
          JSON.stringify(uri),
        )
      }
    })

    test(`none of ${path} is taken for an open path`, () => {
      const judge = judgeOf([{ hosts, paths: ['/public/*', '/', '/x/*'], policy: 'bypass' }])
      for (const uri of spellingsOf(path)) {
        assert.equal(judge(uri, null).policy, 'deny', JSON.stringify(uri))
      }
    })
  }
})
