import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { contractRoles, type Role } from '../../core/policy/principal.ts'
import { parseForwardRules } from './forward-file.ts'
import { createJudge } from './judge.ts'
import { maxCharacters } from './path-variants.ts'
import type { ForwardInput } from './verdict.ts'

const wiki = { hosts: ['wiki.example.org'], policy: 'one_factor' }
const admin = { ...wiki, paths: ['/admin/*'], policy: 'deny' }
const ann = { username: 'ann', roles: new Set<Role>(['USER']) }

function judging(...rules: readonly object[]) {
  const { mistakes, rules: parsed } = parseForwardRules(JSON.stringify({ rules }), contractRoles)
  assert.deepEqual(mistakes, [])
  const { judge, readings, ...others } = createJudge(parsed)
  const asked = (uri: string, more: Partial<ForwardInput> = {}): ForwardInput => ({
    ...({ host: 'wiki.example.org', scheme: 'https', uri, methods: ['GET'] } as const),
    address: () => null,
    ...more,
  })
  return {
    ...others,
    judge: (uri: string, more?: Partial<ForwardInput>) => judge(asked(uri, more), ann),
    asStranger: (uri: string) => judge(asked(uri), null),
    readings: (uri: string, more?: Partial<ForwardInput>) => readings(asked(uri, more), ann),
  }
}

const ambiguous = { policy: 'deny', rule: null, because: 'ambiguous' }
const byRule = (rule: number, policy = 'one_factor') => ({ policy, rule, because: 'rule' })

suite('a verdict', () => {
  test('says more than policy and rule only where there is more', () => {
    const { asStranger, judge } = judging(
      { ...wiki, paths: ['/mail/*'], app_passwords: true },
      { ...wiki, paths: ['/role/*'], roles: ['ADMIN', 'USER'] },
      { ...wiki, paths: ['/safe/*'], policy: 'two_factor' },
      { ...wiki, paths: ['/eve/*'], users: ['eve'], policy: 'deny' },
      wiki,
    )
    const mail = { ...byRule(1), acceptsAppPasswords: true }
    assert.deepEqual(judge('/mail/x'), mail)
    assert.deepEqual(judge('/x'), byRule(5))
    assert.deepEqual(judge('/role/x'), byRule(2))
    assert.deepEqual(asStranger('/mail/x'), { ...byRule(1, 'identify'), ofAll: mail })
    assert.deepEqual(asStranger('/role/x'), byRule(2, 'identify'))
    assert.deepEqual(asStranger('/eve/x'), byRule(4, 'identify'))
    const safe = byRule(3, 'two_factor')
    assert.deepEqual(asStranger('/safe/x'), { ...byRule(3, 'identify'), ofAll: safe })
  })

  test('of rules for any path still needs a path, of few marks', () => {
    const { judge } = judging(wiki)
    assert.deepEqual(judge('http://wiki.example.org/'), ambiguous)
    assert.deepEqual(judge('*'), ambiguous)
    assert.deepEqual(judge(`/${';'.repeat(201)}`), ambiguous)
    assert.deepEqual(judge(`/?${';'.repeat(201)}`), byRule(1))
  })

  test('looks at the address of the visitor once, and afresh for each request', () => {
    const { judge } = judging(
      { ...wiki, networks: ['10.0.0.0/8'], policy: 'bypass' },
      { ...wiki, networks: ['192.0.2.0/24'], policy: 'deny' },
      wiki,
    )
    let looks = 0
    const from = (address: string) => ({
      address: () => {
        looks += 1
        return address
      },
    })
    assert.deepEqual(judge('/', from('198.51.100.1')), byRule(3))
    assert.equal(looks, 1)
    assert.deepEqual(judge('/', from('10.1.2.3')), byRule(1, 'bypass'))
  })
})

suite('the case of a path', () => {
  test('makes no difference: a rule in capitals counts for small letters', () => {
    const { judge } = judging({ ...admin, paths: ['/Admin/*'] }, wiki)
    assert.deepEqual(judge('/Admin/x'), byRule(1, 'deny'))
    assert.deepEqual(judge('/admin/x'), ambiguous)
    assert.deepEqual(judge('/ADMIN/x'), ambiguous)
    assert.deepEqual(judge('/other'), byRule(2))
  })

  test('is looked at for each host of a request', () => {
    const all = { ...admin, hosts: ['*.example.org'] }
    const { judge } = judging({ ...all, paths: ['/Admin/*'] }, { ...wiki, paths: ['/*'] })
    assert.deepEqual(judge('/admin/x'), ambiguous)
  })
})

suite('the readings of a request', () => {
  const { hasHost, readings } = judging(admin, wiki, { ...wiki, hosts: ['any.example.org'] })
  const reading = (path: string, rule: number | null, isFolded = false, method = 'GET') => ({
    ...{ path, method, isFolded, rule },
  })

  for (const [what, uri, expected, more = {}] of [
    ['a plain path', '/a?b', [reading('/a', 2)]],
    ['capitals', '/A', [reading('/A', 2), reading('/a', 2, true)]],
    ['a path that is read in two ways', '/a;/b', ['/a;/b', '/a/b', '/a'].map((a) => reading(a, 2))],
    [
      'different rules',
      '/x/..%2Fadmin',
      [
        ...[reading('/x/..%2Fadmin', 2), reading('/x/..%2fadmin', 2, true)],
        ...[reading('/x/../admin', 2), reading('/admin', 1)],
      ],
    ],
    [
      'methods',
      '/a',
      [reading('/a', 2, false, 'HEAD'), reading('/a', 2, false, 'PUT')],
      {
        methods: ['HEAD', 'PUT'],
      },
    ],
    [
      'a host of any path',
      '/A',
      [reading('/A', 3), reading('/a', 3, true)],
      {
        host: 'any.example.org',
      },
    ],
    [
      'different rules, and the readings after them',
      '/b/..;/admin',
      [
        ...['/b/..;/admin', '/b/../admin', '/b/..'].map((path) => reading(path, 2)),
        ...[reading('/admin', 1), reading('/', 2)],
      ],
    ],
    ['no rule', '/a', [reading('/a', null)], { host: 'other.example.org' }],
    ['no path', 'a', null],
    ['no sure reading', '/%00', null],
  ] as const) {
    test(`of ${what}: ${uri}`, () => assert.deepEqual(readings(uri, more), expected))
  }

  test('are of a host that has rules or none', () => {
    assert.deepEqual(['any.example.org', 'other.example.org'].map(hasHost), [true, false])
  })
})

suite('paths that headers name', () => {
  const { judge } = judging(admin, { ...wiki, hosts: [...wiki.hosts, 'any.example.org'] })
  const named = (...paths: readonly string[]) => ({
    named: paths.map((path, at) => ({ header: `x-${at}`, path })),
  })
  const overridden = (at: number) => ({
    ...{ policy: 'deny', rule: null, because: 'named_path', header: `x-${at}` },
  })

  test('may lead to the same rule alone', () => {
    assert.deepEqual(judge('/a', named('/b', '/c%2Fd')), byRule(2))
    assert.deepEqual(judge('/admin/a', named('/admin/b')), byRule(1, 'deny'))
    assert.deepEqual(judge('/a', named('/b', '/admin/b')), overridden(1))
    assert.deepEqual(judge('/a', named('/x/..%2Fadmin')), overridden(0))
    assert.deepEqual(judge('/a', named('/%00')), overridden(0))
  })

  test('are not looked at where the own path is denied already, or no path counts', () => {
    assert.deepEqual(judge('/%00', named('/b')), ambiguous)
    const any = judging(wiki).judge('/a', named('/%00', '/admin'))
    assert.deepEqual(any, byRule(1))
  })

  test('are sixteen at most, of 200 marks each', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `/b${at}`)
    assert.deepEqual(judge('/a', named(...many(16))), byRule(2))
    assert.deepEqual(judge('/a', named(...many(17))), overridden(16))
    const marks = (count: number) => `/b${';'.repeat(count)}`
    assert.deepEqual(judge('/a', named(marks(200))), byRule(2))
    assert.deepEqual(judge('/a', named(marks(201))), overridden(0))
  })

  test('have 32,768 characters at most, the own path included', () => {
    const half = maxCharacters / 2
    const long = (length: number) => `/${'a'.repeat(length - 1)}`
    const uri = long(half - 9)
    assert.deepEqual(judge(uri, named(long(9), long(half))), byRule(2))
    assert.deepEqual(judge(uri, named(long(9), long(half + 1))), overridden(1))
  })
})
