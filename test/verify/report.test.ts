import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { actualText } from '../../src/extras/verify/judge.ts'
import { junitOf, reportOf, textOfReport } from '../../src/extras/verify/report.ts'
import type { Ran } from '../../src/extras/verify/run.ts'
import { createSecrets } from '../../src/extras/verify/secrets.ts'
import { faultsOf, including, jwt, text } from '../../src/extras/verify/shapes.ts'
import { fill, MissingValue } from '../../src/extras/verify/values.ts'

const asked = { request: 'GET /users', expected: '200', milliseconds: 12 }
const ran: Ran = {
  results: [
    { ...asked, id: '4.2-a', rows: ['4.2 list'], actual: '200', outcome: 'passed', faults: [] },
    {
      ...asked,
      id: '4.2-b',
      rows: ['4.2 get'],
      actual: '500; <b>"\u0007&',
      outcome: 'failed',
      faults: ['status: expected 200, was 500'],
    },
    {
      ...asked,
      id: '7-c',
      rows: ['7 failure'],
      actual: null,
      outcome: 'not_checked',
      faults: ['no "request" is known'],
    },
  ],
  left: ['/users/7 (503)'],
  isBrokenOff: false,
}
const about = {
  url: 'http://a.example',
  profile: 'contract',
  started_at: '2026-01-15T12:00:00.000Z',
}
const report = reportOf(ran, about)

suite('reports of gatehouse verify', () => {
  test('text has row, request, expected and actual of what failed, and the reasons', () => {
    assert.equal(
      textOfReport(report, (one) => one.replace('\u0007', '^G')),
      [
        'passed    4.2-a  GET /users',
        'FAILED    4.2-b',
        '          row       4.2 get: GET /users/{id}: 200 User, 404',
        '          request   GET /users',
        '          expected  200',
        '          actual    500; <b>"^G&',
        '                    - status: expected 200, was 500',
        'not checked here 7-c: no "request" is known',
        'left behind: /users/7 (503)',
        '',
        'http://a.example, profile contract: 1 passed, 1 failed, 1 not checked here.',
      ].join('\n'),
    )
  })

  test('JUnit counts, and escapes what the service answers', () => {
    assert.deepEqual(junitOf(report).split('\n'), [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuite name="verify http://a.example" timestamp="2026-01-15T12:00:00" tests="3" failures="1" errors="0" skipped="1" time="0.036">',
      '  <testcase classname="gatehouse.verify.4.2" name="4.2-a" time="0.012"/>',
      '  <testcase classname="gatehouse.verify.4.2" name="4.2-b" time="0.012"><failure message="status: expected 200, was 500">request: GET /users',
      'expected: 200',
      'actual: 500; &lt;b&gt;&quot;\uFFFD&amp;',
      'status: expected 200, was 500</failure></testcase>',
      '  <testcase classname="gatehouse.verify.7" name="7-c" time="0.012"><skipped message="no &quot;request&quot; is known"/></testcase>',
      '</testsuite>',
      '',
    ])
  })

  test('an actual answer shows no token and no secret', () => {
    const token = `${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`
    const body = JSON.stringify({ token, csrf_token: 'x', secret: 'y', id: 7 })
    const answer = { status: 200, headers: {}, cookies: [], text: body, body: undefined }
    assert.equal(
      actualText(answer, createSecrets()),
      '200; {"token":"(token)","csrf_token":"(hidden)","secret":"(hidden)","id":7}',
    )
  })
})

suite('values and expectations of gatehouse verify', () => {
  const values = new Map<string, unknown>([
    ['id', 7],
    ['person.username', 'ann'],
    ['person.password', 'se:cret'],
    ['seed', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'], // RFC 6238, appendix B
  ])
  const at = { values, now: () => 59_000 }

  test('braces take the type of their value, or are a part of a text', () => {
    assert.deepEqual(fill({ id: '{id}', path: '/users/{id}' }, at), { id: 7, path: '/users/7' })
    assert.equal(fill('Basic {basic person}', at), `Basic ${btoa('ann:se:cret')}`)
    assert.equal(fill('{repeat ab 3}', at), 'ababab')
    assert.throws(() => fill('{nothing}', at), MissingValue)
  })

  test('a code is that of RFC 6238', () => {
    assert.equal(fill('{totp seed 0}', at), '287082')
    assert.equal(fill('{totp seed 37037034}', { ...at, now: () => 89_000 }), '081804')
  })

  for (const [what, expected, actual, faults] of [
    ['equal', { id: '{id}' }, { id: 7 }, []],
    ['another type', { id: '{id}' }, { id: '7' }, ['body.id: expected 7, was "7"']],
    ['a further field', {}, { a: 1 }, ['body.a: not expected']],
    ['a missing field', { a: 1 }, {}, ['body.a: expected 1, was absent']],
    ['a short list', [1, 2], [1], ['body: expected 2 items, was [1]']],
    ['no object', including({ a: text }), null, ['body: expected an object, was null']],
    ['no token', jwt({}, {}), 'a.b', ['body: expected a token of three parts']],
    ['no JSON', jwt({}, {}), 'a.b.c', ['body: expected JSON in the parts of the token']],
  ] as const) {
    test(`compares: ${what}`, () =>
      assert.deepEqual(faultsOf(expected, actual, 'body', at), faults))
  }
})
