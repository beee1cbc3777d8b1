import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contractRoles, type Role } from '../../core/policy/principal.ts'
import { parseForwardRules } from './forward-file.ts'
import { createJudge, type Judge } from './judge.ts'
import type { ForwardCaller } from './verdict.ts'

function judgeOf(rules: readonly object[]): Judge {
  const { mistakes, rules: parsed } = parseForwardRules(JSON.stringify({ rules }), contractRoles)
  assert.deepEqual(mistakes, [])
  return createJudge(parsed)
}

const request = {
  ...({ host: 'app.example.org', scheme: 'https', methods: ['GET'] } as const),
  address: () => null,
}

interface Asked {
  readonly methods?: string[]
  readonly as?: readonly Role[] | null
  readonly name?: string
  readonly from?: string | null
}

/** Judges a request by rules; the answer in one text: policy, number of the rule, why if not by a rule. */
function judging(...rules: readonly object[]) {
  const judge = judgeOf(rules)
  return (
    address: string,
    { methods = ['GET'], as = null, name = 'ann', from = null }: Asked = {},
  ): string => {
    const [, host = '', uri = ''] = address.match(/^([^/]*)(.*)$/) ?? []
    const caller: ForwardCaller | null = as && { username: name, roles: new Set(as) }
    const asked = { host, scheme: 'https', uri, methods, address: () => from } as const
    const { policy, rule, because } = judge.judge(asked, caller)
    return because === 'rule' ? `${policy} ${rule}` : `${policy} ${because}`
  }
}

const wiki = { hosts: ['wiki.example.org'], policy: 'one_factor' }

const kinds: Readonly<Record<string, (n: number) => object>> = {
  hosts: (n) => ({ hosts: [`h${n}.example.org`] }),
  'hosts below': (n) => ({ hosts: [`*.h${n}.example.org`] }),
  paths: (n) => ({ hosts: ['app.example.org'], paths: [`/p${n}`, `/q/p${n}/*`] }),
  'paths of all hosts': (n) => ({ hosts: ['*.example.org'], paths: [`/p${n}/*`] }),
  'the same roles': () => ({ hosts: ['app.example.org'], paths: ['/q/*'], roles: ['ADMIN'] }),
}

suite('a rule that was found for a stranger', () => {
  const judge = judgeOf([
    { hosts: ['app.example.org'], paths: ['/a/*'], roles: ['ADMIN'], policy: 'one_factor' },
    { hosts: ['app.example.org'], paths: ['/a/*'], policy: 'deny' },
    { hosts: ['app.example.org'], paths: ['/b/*'], roles: ['ADMIN'], policy: 'deny' },
    { hosts: ['app.example.org'], paths: ['/b/*'], policy: 'two_factor' },
    { hosts: ['app.example.org'], policy: 'one_factor' },
  ])
  const ask = (uri: string, caller: ForwardCaller | null) =>
    judge.judge({ ...request, uri }, caller)

  test('says what it says of all if it names no roles, and else is searched for again', () => {
    for (const uri of ['/a/x', '/b/x', '/c', '/%63', '/c/%2e%2e/d']) {
      const { policy, rule, ofAll } = ask(uri, null)
      assert.equal(policy, 'identify', uri)
      assert.equal(ofAll === undefined, rule === 1 || rule === 3, uri)
      if (!ofAll) continue
      for (const roles of [new Set<Role>(), new Set<Role>(['USER', 'ADMIN'])]) {
        assert.deepEqual(ask(uri, { username: 'ann', roles }), ofAll, uri)
      }
    }
  })
})

suite('the work of a search', () => {
  for (const [kind, ruleOf] of Object.entries(kinds)) {
    test(`10,000 rules that differ by ${kind} cost what ten do`, () => {
      const looked = [10, 10_000].map((count) => {
        const rules = Array.from({ length: count - 1 }, (_, n) => ({
          policy: 'deny',
          ...ruleOf(n),
        }))
        const last = { hosts: ['app.example.org'], policy: 'one_factor' }
        const judge = judgeOf([...rules, last])
        const caller = { username: 'ann', roles: new Set<Role>(['USER']) }
        for (const uri of ['/', '/q/r/s.js?t', '/q/%2e%2e/A']) {
          const asked = { ...request, uri }
          assert.equal(judge.judge(asked, caller).rule, count, uri)
        }
        return judge.looked()
      })
      assert.ok(looked[0] && looked[0] < 30, `${looked[0]}`)
      assert.equal(looked[1], looked[0])
    })
  }
})

suite('the rules of forward authentication', () => {
  test('without a rule all callers are denied', () => {
    assert.equal(judging()('wiki.example.org/'), 'deny no_rule')
    const of = judging(wiki)
    assert.equal(of('other.example.org/'), 'deny no_rule')
    assert.equal(of('wiki.example.org:8443/'), 'deny no_rule')
    assert.equal(of('a.wiki.example.org/', { as: ['ADMIN'] }), 'deny no_rule')
  })

  test('the first rule that matches counts, by host, path, method and role', () => {
    const of = judging(
      { ...wiki, paths: ['/public/*', '/about'], methods: ['GET'], policy: 'bypass' },
      { ...wiki, paths: ['/admin/*'], roles: ['ADMIN'], policy: 'two_factor' },
      { ...wiki, paths: ['/admin/*'], policy: 'deny' },
      { ...wiki, methods: ['DELETE'], roles: ['USER'], policy: 'deny' },
      wiki,
    )
    assert.equal(of('wiki.example.org/public'), 'bypass 1')
    assert.equal(of('wiki.example.org/public/'), 'bypass 1')
    assert.equal(of('wiki.example.org/public/a/b?c=/admin'), 'bypass 1')
    assert.equal(of('wiki.example.org/publication'), 'identify 5')
    assert.equal(of('wiki.example.org/about', { methods: ['HEAD'] }), 'bypass 1')
    assert.equal(of('wiki.example.org/about/'), 'bypass 1', 'a slash at the end')
    assert.equal(of('wiki.example.org/about/x'), 'identify 5')
    assert.equal(of('wiki.example.org/about', { methods: ['POST'] }), 'identify 5')
    assert.equal(of('wiki.example.org/admin/x'), 'identify 2')
    assert.equal(of('wiki.example.org/admin/x', { as: ['ADMIN'] }), 'two_factor 2')
    assert.equal(of('wiki.example.org/admin/x', { as: ['USER'] }), 'deny 3')
    assert.equal(of('wiki.example.org/x', { as: ['USER'] }), 'one_factor 5')
    assert.equal(of('wiki.example.org/x', { methods: ['DELETE'] }), 'identify 4', 'a deny by role')
    assert.equal(of('wiki.example.org/x', { methods: ['DELETE'], as: ['USER'] }), 'deny 4')
    assert.equal(of('wiki.example.org/x', { methods: ['DELETE'], as: ['ADMIN'] }), 'one_factor 5')
  })

  test('a host below, with and without a port, takes its turn in the order of the file', () => {
    const of = judging(
      { hosts: ['*.apps.example.org'], paths: ['/x'], policy: 'deny' },
      { hosts: ['a.apps.example.org', '[::1]:8080'], policy: 'bypass' },
      { hosts: ['*.example.org', '*.example.org:8443'], policy: 'one_factor' },
    )
    assert.equal(of('a.apps.example.org/x'), 'deny 1')
    assert.equal(of('a.apps.example.org/y'), 'bypass 2')
    assert.equal(of('b.a.apps.example.org/x'), 'deny 1')
    assert.equal(of('b.a.apps.example.org/y'), 'identify 3')
    assert.equal(of('apps.example.org/x'), 'identify 3')
    assert.equal(of('apps.example.org:8443/x'), 'identify 3')
    assert.equal(of('apps.example.org:8444/x'), 'deny no_rule')
    assert.equal(of('example.org/x'), 'deny no_rule')
    assert.equal(of('.example.org/x'), 'deny no_rule')
    assert.equal(of('[::1]:8080/x'), 'bypass 2')
  })

  test('methods that lead to different rules are denied', () => {
    const of = judging({ ...wiki, methods: ['GET'], policy: 'bypass' }, wiki)
    assert.equal(of('wiki.example.org/', { methods: ['GET'] }), 'bypass 1')
    assert.equal(of('wiki.example.org/', { methods: ['GET', 'HEAD'] }), 'bypass 1')
    assert.equal(of('wiki.example.org/', { methods: ['GET', 'DELETE'] }), 'deny ambiguous')
    assert.equal(of('wiki.example.org/', { methods: ['POST', 'DELETE'] }), 'identify 2')
  })

  test('a spelling whose readings lead to different rules is denied, another is not', () => {
    const of = judging({ ...wiki, paths: ['/admin/*'], policy: 'deny' }, wiki)
    for (const path of [
      '/%61dmin',
      '/%2561dmin/x',
      '/ADMIN/x',
      '//admin',
      '/x//../../admin',
      '/x/%2e%2e/admin',
      '/x/..%2fadmin',
      '/x/..;/admin',
      '/admin;x=1',
      '/x\\..\\admin',
      '/x/%5c../%5c../admin',
      '/admin%20',
      '/admin.',
      '/admin%3fx',
      '/admin%23x',
      '/%EF%BD%81dmin',
      '/%C0%AFadmin',
      '/admin%00',
      '/x%0a',
      '/x/#/../admin',
    ]) {
      const got = of(`wiki.example.org${path}`, { as: ['USER'] })
      assert.ok(['deny ambiguous', 'deny 1'].includes(got), `${path}: ${got}`)
    }
    for (const path of [
      '/a%2Fb',
      '/a;b',
      '/a//b',
      '/C%C3%A4',
      '/A',
      '/a/../b',
      '/x%20y',
      '/100%25',
    ]) {
      assert.equal(of(`wiki.example.org${path}`, { as: ['USER'] }), 'one_factor 2', path)
    }
  })

  test('where all rules of a host are for any path, its spelling makes no difference', () => {
    const of = judging(wiki)
    for (const path of ['/a%2Fb', '/%00', '/%ff', '/..;/%252e%252e//x']) {
      assert.equal(of(`wiki.example.org${path}`, { as: ['USER'] }), 'one_factor 1', path)
    }
    assert.equal(of('wiki.example.orghttp://x', { as: ['USER'] }), 'deny no_rule')
  })

  test('a network counts for the address of the visitor, in each spelling of it', () => {
    const of = judging(
      { ...wiki, networks: ['192.168.0.0/16', '2001:db8::/32', '203.0.113.7'], policy: 'bypass' },
      wiki,
    )
    for (const from of ['192.168.7.9', '203.0.113.7', '2001:db8:1::2']) {
      assert.equal(of('wiki.example.org/', { from }), 'bypass 1', from)
    }
    for (const from of ['192.169.0.1', '203.0.113.8', '2001:db9::1', '::1', '10.0.0.1']) {
      assert.equal(of('wiki.example.org/', { from }), 'identify 2', from)
      assert.equal(of('wiki.example.org/', { from, as: ['USER'] }), 'one_factor 2', from)
    }
  })

  test('where a rule with networks could decide, a request without an address is refused', () => {
    const of = judging(
      { ...wiki, paths: ['/public/*'], policy: 'bypass' },
      { ...wiki, networks: ['10.0.0.0/8'], roles: ['ADMIN'], policy: 'deny' },
      wiki,
    )
    assert.equal(of('wiki.example.org/public/x'), 'bypass 1')
    assert.equal(of('wiki.example.org/'), 'deny no_address')
    assert.equal(of('wiki.example.org/', { as: ['ADMIN'] }), 'deny no_address')
    assert.equal(of('wiki.example.org/', { as: ['USER'] }), 'one_factor 3', 'not of this rule')
  })

  test('users and roles both count, and none is known before the sign-in', () => {
    const of = judging(
      { ...wiki, users: ['ann', 'bob'], roles: ['EDITOR'], policy: 'two_factor' },
      { ...wiki, users: ['eve'], policy: 'deny' },
      wiki,
    )
    assert.equal(of('wiki.example.org/'), 'identify 1')
    assert.equal(of('wiki.example.org/', { as: ['EDITOR'], name: 'bob' }), 'two_factor 1')
    assert.equal(of('wiki.example.org/', { as: ['USER'], name: 'bob' }), 'one_factor 3')
    assert.equal(of('wiki.example.org/', { as: ['EDITOR'], name: 'eve' }), 'deny 2')
    assert.equal(of('wiki.example.org/', { as: ['EDITOR'], name: 'annabel' }), 'one_factor 3')
  })
})
