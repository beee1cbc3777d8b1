import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import type { KnownEvent } from '../../core/module/registry.ts'
import { namesOf, parseAuditFilters } from './filters.ts'
import { createClosedKeysCheck } from './verify/closed.ts'
import { createFindings, generalProblem } from './verify/report.ts'

const type = (name: string, category: string, level: string, outcome: string, formerly?: string) =>
  ({ name, category, level, outcome, formerly }) as unknown as KnownEvent // what is read
const known = [
  type('login', 'sessions', 'info', 'success', 'sign_in'),
  type('login_failed', 'sessions', 'warn', 'failure'),
  type('key_lost', 'keys', 'critical', 'failure'),
]
const parse = (query: object) => parseAuditFilters({ ...query }, known)
const none = {
  ...{ types: undefined, actor: undefined, target: undefined, address: undefined },
  ...{ requestId: undefined, since: undefined, until: undefined },
}

function assertRefused(query: object, field: string): void {
  assert.throws(
    () => parse(query),
    (error: unknown) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.row, 'validationFailed')
      assert.deepEqual(
        error.details?.map(({ path }) => path.join('.')),
        [field],
      )
      return true
    },
    JSON.stringify(query).slice(0, 80),
  )
}

suite('filters of the audit log', () => {
  for (const [query, expected] of [
    [{}, {}],
    [{ type: 'login_failed' }, { types: ['login_failed'] }],
    [{ type: 'login' }, { types: ['login', 'sign_in'] }],
    [{ type: 'sign_in,login' }, { types: ['login', 'sign_in'] }],
    [{ type: ['key_lost', 'x,y'] }, { types: ['key_lost', 'x', 'y'] }],
    [{ category: 'sessions' }, { types: ['login', 'sign_in', 'login_failed'] }],
    [{ level: 'critical' }, { types: ['key_lost'] }],
    [{ outcome: 'failure' }, { types: ['login_failed', 'key_lost'] }],
    [{ outcome: 'failure', category: 'sessions' }, { types: ['login_failed'] }],
    [{ outcome: 'failure', level: 'info' }, { types: [] }],
    [{ outcome: 'failure', type: 'login,key_lost' }, { types: ['key_lost'] }],
    [
      { actor: '7', target: 'ann', request_id: 'r' },
      { actor: '7', target: 'ann', requestId: 'r' },
    ],
    [{ address: '::FFFF:192.0.2.1' }, { address: '192.0.2.1' }],
    [{ since: '2026-01-15T12:00:00Z' }, { since: Date.parse('2026-01-15T12:00:00Z') }],
    [{ until: '2026-01-15T12:00:00Z' }, { until: Date.parse('2026-01-15T12:00:00Z') }],
    [{ actor: 'x'.repeat(512) }, { actor: 'x'.repeat(512) }],
    [{ type: 'x'.repeat(64) }, { types: ['x'.repeat(64)] }],
    [
      { type: Array.from({ length: 20 }, (_, at) => `t${at}`).join(',') },
      { types: Array.from({ length: 20 }, (_, at) => `t${at}`) },
    ],
  ] as const) {
    test(JSON.stringify(query).slice(0, 70), () =>
      assert.deepEqual(parse(query), { ...none, ...expected }),
    )
  }

  test('that cannot be are refused by their field', () => {
    for (const value of ['', 'a b', 'a,,b', 'x'.repeat(65)]) assertRefused({ type: value }, 'type')
    assertRefused({ type: Array.from({ length: 21 }, (_, at) => `t${at}`) }, 'type')
    assertRefused({ category: 'other' }, 'category')
    assertRefused({ level: 'error' }, 'level')
    assertRefused({ outcome: 'x' }, 'outcome')
    for (const field of ['actor', 'target', 'request_id']) {
      assertRefused({ [field]: '' }, field)
      assertRefused({ [field]: 'x'.repeat(513) }, field)
      assertRefused({ [field]: '\u0000' }, field)
    }
    assertRefused({ address: 'x' }, 'address')
    for (const field of ['since', 'until']) assertRefused({ [field]: 'x' }, field)
  })

  test('that were used are named', () => {
    assert.deepEqual(namesOf({ until: 'u', type: 't', limit: '5', actor: '' }), [
      'type',
      'actor',
      'until',
    ])
    assert.deepEqual(namesOf({}), [])
  })
})

suite('what a verification found', () => {
  const problem = (number: number | null) => ({ ...generalProblem('key', `${number}`), number })

  test('is in the order of the numbers, the first twenty, and all are counted', () => {
    const findings = createFindings()
    findings.add(problem(null))
    for (let number = 30; number > 0; number -= 1) findings.add(problem(number))
    findings.add(problem(null), 5.5)
    assert.equal(findings.count(), 32)
    const details = findings.list().map(({ detail }) => detail)
    assert.deepEqual(details.slice(0, 7), ['1', '2', '3', '4', '5', 'null', '6'])
    assert.deepEqual([details.length, details.at(-1)], [20, '19'])
  })

  test('of keys that are gone is the first record of each', () => {
    const check = createClosedKeysCheck()
    const findings = createFindings()
    for (const [name, number] of [
      ['a', 5],
      ['a', 3],
      ['a', 4],
      ['b', 2],
      ['c', 1],
    ] as const) {
      check.used(name, number)
    }
    check.list({ keys: [{ name: 'c', at: 0, through: null }], through: null }, 'chain')
    assert.deepEqual(check.judge(findings, 2), ['1 erasure before version 0.10.0, without proof'])
    assert.deepEqual(
      findings.list().map(({ number, what }) => [number, what]),
      [[3, 'erasure']],
    )
  })

  test('of a list of earlier erasures counts by the lowest of its numbers', () => {
    const check = createClosedKeysCheck()
    const findings = createFindings()
    for (const name of ['a', 'b']) check.used(name, 1)
    check.list({ keys: [{ name: 'a', at: 0, through: 9 }], through: 9 }, 'chain')
    check.list({ keys: [{ name: 'b', at: 0, through: 4 }], through: 4 }, 'chain')
    assert.deepEqual(check.judge(findings, 99), ['1 erasure before version 0.10.0, without proof'])
    assert.equal(findings.count(), 1)
    const none = createFindings()
    assert.deepEqual(createClosedKeysCheck().judge(none, 0), [])
    assert.equal(none.count(), 0)
  })
})
