import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Username } from '../../core/lib/username.ts'
import { contractRoles } from '../../core/policy/principal.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { createRequirements } from '../../modules/authentication/requirements.ts'
import { type CheckedRequest, checkForward } from './check.ts'
import { parseForwardRules } from './forward-file.ts'
import { parseSite } from './site.ts'

type Deps = Parameters<typeof createRequirements>[0]
const config = {
  login: { lock: { after: 5, seconds: 60 } },
  secondFactor: { requiredOf: ['ADMIN'] },
}
const requirements = createRequirements({
  config: config as unknown as Deps['config'], // what it reads
  clock: { now: () => 1000, wait: async () => {} },
})

const ann: Account = {
  ...{ userId: 1, username: 'ann' as Username, passwordHash: 'x', roles: ['USER'] },
  ...{ locked: false, active: true, deletionAt: null, failedLogins: 0, lockedUntil: null },
  ...{ secondFactor: false, mustChange: false, accessVersion: 0, refreshVersion: 0 },
  ...{ createdAt: 0, email: null, language: null, isService: false },
}

interface Asked {
  readonly as?: Partial<Account> | null
  readonly scheme?: CheckedRequest['site']['scheme']
  readonly host?: string
  readonly method?: string
  readonly from?: string | null
}

function checking(...rules: readonly object[]) {
  const { mistakes, rules: parsed } = parseForwardRules(JSON.stringify({ rules }), contractRoles)
  assert.deepEqual(mistakes, [])
  return (uri: string, asked: Asked = {}) => {
    const {
      as = null,
      from = null,
      host = 'app.example.org',
      method = 'GET',
      scheme = 'https',
    } = asked
    const site = parseSite(scheme, host) ?? assert.fail()
    const account: Account | null = as && { ...ann, ...as }
    const of = account && { account, requirements, roles: contractRoles }
    return checkForward(parsed, { site, uri, method, from }, of)
  }
}

const app = { hosts: ['app.example.org'] }
const check = checking(
  { ...app, paths: ['/open/*'], policy: 'bypass' },
  { ...app, paths: ['/shut/*'], policy: 'deny' },
  { ...app, paths: ['/office/*'], networks: ['192.0.2.0/24'], policy: 'one_factor' },
  { ...app, paths: ['/admin/*'], roles: ['ADMIN'], policy: 'two_factor' },
  { ...app, paths: ['/ann/*'], users: ['ann'], roles: ['USER', 'ADMIN'], policy: 'deny' },
  { ...app, paths: ['/ann/*'], users: ['ann', 'bob'], policy: 'one_factor' },
  { ...app, paths: ['/any/*'], policy: 'one_factor' },
  { hosts: ['localhost'], policy: 'two_factor' },
  { hosts: ['plain.example.org'], policy: 'one_factor' },
  { ...app, paths: ['/two/*'], users: ['ann', 'bob'], policy: 'two_factor' },
  { hosts: ['docs.example.org'], paths: ['/admin/*'], roles: ['ADMIN'], policy: 'deny' },
  { hosts: ['docs.example.org'], policy: 'one_factor' },
)

suite('the answer to a request, and why', () => {
  const noRule = 'no rule matches it, and what none matches is denied'
  const twoSteps = 'the account has no second factor yet: the sign-in enrols one'
  for (const [name, found, answer, why, rule] of [
    ['a path that is open', check('/open/a'), 'allowed', 'rule 1 lets anyone through', 1],
    ['a path that is shut', check('/shut/a'), 'denied', 'rule 2 denies it', 2],
    ['a path of no rule', check('/else'), 'denied', noRule, undefined],
    [
      'a path that no path may have',
      check('/%'),
      'refused',
      'the address has characters or escapes that no path may have, or is too long',
      undefined,
    ],
    [
      'without encryption',
      check('/', { scheme: 'http', host: 'plain.example.org' }),
      'refused',
      'a credential counts over https alone, except on a loopback address',
      9,
    ],
    [
      'open without encryption',
      check('/open/a', { scheme: 'http' }),
      'allowed',
      'rule 1 lets anyone through',
      1,
    ],
    [
      'a loopback address without encryption',
      check('/', { scheme: 'http', host: 'localhost' }),
      'sign_in',
      'rule 8 wants a login with a second factor',
      8,
    ],
    ['a stranger', check('/any/a'), 'sign_in', 'rule 7 wants a login', 7],
    [
      'a stranger, and roles',
      check('/admin/a'),
      'sign_in',
      'rule 4 wants a login with a second factor of ADMIN; a caller of other roles goes on to the next rules',
      4,
    ],
    [
      'a stranger, users and roles',
      check('/ann/a'),
      'sign_in',
      'rule 5 denies it to ann with the role USER or ADMIN; for other callers the next rules count',
      5,
    ],
    [
      'a stranger, and users',
      check('/two/a'),
      'sign_in',
      'rule 10 wants a login with a second factor of ann or bob; for other callers the next rules count',
      10,
    ],
    [
      'a network without an address',
      check('/office/a'),
      'refused',
      'rule 3 has networks: name the address of the visitor by --from',
      3,
    ],
    ['another network', check('/office/a', { from: '198.51.100.1' }), 'denied', noRule, undefined],
    [
      'of the network',
      check('/office/a', { from: '192.0.2.7' }),
      'sign_in',
      'rule 3 wants a login',
      3,
    ],
    ['an account', check('/any/a', { as: {} }), 'allowed', 'rule 7 allows it after a login', 7],
    [
      'an account that the rule denies',
      check('/ann/a', { as: {} }),
      'denied',
      'rule 5 denies it',
      5,
    ],
    [
      'another account',
      check('/ann/a', { as: { username: 'bob' as Username } }),
      'allowed',
      'rule 6 allows it after a login',
      6,
    ],
    ['an account of other roles', check('/admin/a', { as: {} }), 'denied', noRule, undefined],
    [
      'an account that is locked',
      check('/any/a', { as: { locked: true } }),
      'denied',
      'rule 7 would allow it, but the account cannot sign in (account_locked)',
      7,
    ],
    [
      'an account with a step left',
      check('/any/a', { as: { mustChange: true } }),
      'allowed',
      'rule 7 allows it after a login; the sign-in has one more step (account_must_change_password)',
      7,
    ],
    [
      'an account with a second factor',
      check('/admin/a', { as: { roles: ['ADMIN'], secondFactor: true } }),
      'allowed',
      'rule 4 allows it after a login with a second factor',
      4,
    ],
    [
      'an account that must enrol',
      check('/admin/a', { as: { roles: ['ADMIN'] } }),
      'allowed',
      `rule 4 allows it after a login with a second factor; the sign-in has one more step (account_must_enrol); ${twoSteps}`,
      4,
    ],
    [
      'a second factor that one factor does not need',
      check('/any/a', { as: { secondFactor: true } }),
      'allowed',
      'rule 7 allows it after a login',
      7,
    ],
  ] as const) {
    test(name, () => {
      assert.deepEqual([found.answer, found.why, found.rule?.number], [answer, why, rule])
    })
  }

  test('a path that applications read differently', () => {
    const { answer, because, readings, rule, why } = check('/open/..%2fshut/a')
    assert.deepEqual([answer, because, rule], ['denied', 'ambiguous', null])
    assert.equal(why, 'the readings of its path lead to different rules')
    assert.ok(readings.length > 1)
  })

  test('a path that is ambiguous for a stranger, though not for the account', () => {
    const { answer, because, readings } = check('/%2e%2fadmin', {
      host: 'docs.example.org',
      as: {},
    })
    assert.deepEqual([answer, because], ['denied', 'ambiguous'])
    assert.deepEqual(new Set(readings.map(({ rule }) => rule)), new Set([11, 12]))
  })

  test('the readings are of the account that asks, if the rules ask who it is', () => {
    const [stranger, bob] = [null, { username: 'bob' as Username }].map(
      (as) => check('/ann/a', { as }).readings,
    )
    const reading = { path: '/ann/a', method: 'GET', isFolded: false }
    assert.deepEqual(stranger, [{ ...reading, rule: 5 }])
    assert.deepEqual(bob, [{ ...reading, rule: 6 }])
  })

  test('a path without a sure reading', () => {
    const { answer, because, readings, why } = check('/any/%2500')
    assert.deepEqual([answer, because, readings], ['denied', 'ambiguous', []])
    assert.equal(why, 'its path has no reading that is sure')
  })

  test('a path of too many marks', () => {
    const { answer, why } = check(`/any/${'%20'.repeat(201)}`)
    assert.deepEqual(
      [answer, why],
      ['denied', 'its path has more than 200 escapes and semicolons, and is not read'],
    )
    assert.equal(check(`/any/${'%20'.repeat(200)}`).answer, 'sign_in')
  })

  test('the rule is shown as in the file, without what it does not name', () => {
    const { because, policy, rule } = check('/admin/a')
    const { hosts } = app
    assert.deepEqual(rule, {
      number: 4,
      hosts,
      paths: ['/admin/*'],
      roles: ['ADMIN'],
      policy: 'two_factor',
    })
    assert.deepEqual([policy, because], ['identify', 'rule'])
    assert.equal(check('/else').rule, null)
  })
})
