import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDistinctReasons } from '../../src/core/module/registry.ts'
import { remedies } from '../../src/core/reasons/types.ts'
import { modules } from '../../src/modules.ts'
import { type AuditRecord, filtersOf, placed } from '../../web/console/views/explain/around.ts'
import { why as inGerman } from '../../web/console/views/explain/de.ts'
import { why as inEnglish } from '../../web/console/views/explain/en.ts'
import { askedText, canBeShared, questionOf } from '../../web/console/views/explain/question.ts'

// As a link of a mail has it: an id, and what proves it.
const mailToken = `${'bWFpbC1jb25maXJtYXRpb24'}.${'c2VjcmV0LW9mLXRoZS1saW5r'.repeat(2)}`

test('no token stands in the address of the page; ids, names and addresses of mail do', () => {
  for (const text of [
    'Zk3vQ1xw-2f',
    'ann',
    'ann.b.lee',
    'ann.lee@example.org',
    'Ünïcode',
    'hey You',
    'grey.A',
  ]) {
    assert.equal(canBeShared(text), true, text)
  }
  const token = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyIn0.${'c2lnbmF0dXJl'.repeat(3)}`
  const short = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.c2hvcnQ'
  for (const text of [
    token,
    token.replace('eyJ', 'abc'),
    'eyJcut',
    'x'.repeat(400),
    `Bearer ${short}`,
    `Authorization: Bearer ${short}`,
    `"${short}"`,
    `access_token=${short}`,
    `https://app.example.org/?token=${token.replace('eyJ', 'abc')}`,
    `https://auth.example.org/reset?token=${mailToken}`,
    `https://ann@example.org/reset?token=${mailToken}`,
    mailToken,
    'x'.repeat(65),
    `${'x'.repeat(320)}@example.org`,
  ]) {
    assert.equal(canBeShared(text), false, text)
  }
})

test('a token is asked about without the header that it was copied with', () => {
  for (const before of ['', ' ', 'Bearer ', 'authorization:  bearer ']) {
    assert.equal(askedText(`${before}eyJ.a.b\n`), 'eyJ.a.b', before)
  }
  assert.equal(askedText('bearer'), 'bearer')
})

test('one text is asked about as it is, and with a route the account of that name', () => {
  assert.deepEqual(questionOf({ text: 'ann', route: '' }), { text: 'ann' })
  assert.deepEqual(questionOf({ text: 'ann', route: 'PUT /users/7' }), {
    username: 'ann',
    route: 'PUT /users/7',
  })
})

test('the console says each reason in German, and no two alike; facts and remedies are of both', async () => {
  const texts = new Set<string>()
  for (const [code, { words }] of await assertDistinctReasons(modules)) {
    assert.match(words?.de ?? '', /^[A-ZÄÖÜ].+\.$/, code)
    texts.add(words?.de ?? '')
  }
  assert.equal(texts.size, (await assertDistinctReasons(modules)).size)
  assert.deepEqual(Object.keys(inEnglish.facts), Object.keys(inGerman.facts))
  assert.deepEqual(Object.keys(inEnglish.remedies), [...remedies])
})

const refusal = {
  id: 'r-2',
  at: '2026-03-02T09:00:00.000Z',
  status: 401,
  error: 'Invalid credentials',
  method: 'POST',
  route: '/login',
  code: 'no_such_account',
  guard: 'password',
  explanation: 'No account has the username that was sent.',
  facts: {},
  scheme: null,
  subject: null,
  username: null,
  address: '203.0.113.7',
  ...{ remedies: [], mends: [] },
}

test('what is around a refusal is asked of its account, or else of its address', () => {
  const time = { since: '2026-03-01T09:00:00.000Z', until: '2026-03-02T10:00:00.000Z' }
  assert.deepEqual(filtersOf({ subject: null, refusal }), [{ address: '203.0.113.7', ...time }])
  assert.deepEqual(filtersOf({ subject: '2', refusal }), [
    { target: '2', ...time },
    { actor: '2', ...time },
  ])
  assert.deepEqual(filtersOf({ subject: '2', refusal: null }), [{ target: '2' }, { actor: '2' }])
  assert.deepEqual(filtersOf({ subject: null, refusal: null }), [])
})

test('a refusal that the audit log does not have stands at its time among the records', () => {
  const later = record({ at: '2026-03-02T09:00:01.000Z', request_id: 'r-3' })
  const before = record({ at: '2026-03-02T08:59:59.000Z', request_id: 'r-1' })
  assert.deepEqual(placed([later, before], refusal), [later, null, before])
  const own = record({ at: refusal.at, request_id: refusal.id })
  assert.deepEqual(placed([later, own, before], refusal), [later, own, before])
  assert.deepEqual(placed([later, before], null), [later, before])
})

function record(more: Pick<AuditRecord, 'at' | 'request_id'>): AuditRecord {
  return {
    number: 1,
    id: `01${more.at}`,
    type: 'authn_login_fail',
    level: 'warn',
    outcome: 'failure',
    reason: null,
    count: 1,
    count_since: null,
    actor: { kind: 'unknown', subject: null, username: null },
    target: null,
    details: null,
    address: '203.0.113.7',
    proxies: [],
    user_agent: null,
    session: null,
    token: null,
    key: null,
    scheme: null,
    factors: [],
    method: 'POST',
    route: '/login',
    status: 401,
    instance: null,
    version: null,
    chain: 'c',
    place: 1,
    erased: false,
    damaged: false,
    ...more,
  }
}
