// A database makes a difference: numbers and texts of cursors and filters reach its statements.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { OpenedRecord } from '../../src/modules/audit/opened-record.ts'
import { sealSubjectKey } from '../../src/modules/audit/persons.ts'
import { testApp } from '../app.ts'
import { recordSeeder } from '../audit-records.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { seededRandom } from '../random.ts'
import { assertRefusal } from '../refusal.ts'
import { forgeCursor } from '../users.ts'

const path = '/api/admin/audit'

suite('GET /api/admin/audit against callers who may not', async () => {
  const app = await testApp({ CLIENTS_FILE: clientsFile([entry('shop')]) })
  const admin = await app.bearer(app.admin)
  const { body } = await app.call('GET', `${path}?limit=1`, { headers: admin })
  const cursor = body.next ?? forgeCursor([app.clock.now(), 9])

  for (const role of ['USER', 'EDITOR'] as const) {
    test(`${role} is refused, also with a cursor of an administrator`, async () => {
      const someone = await app.account(role.toLowerCase(), [role])
      for (const headers of [
        await app.bearer(someone),
        app.basic(someone),
        await app.session(someone),
      ]) {
        for (const query of ['', `?cursor=${cursor}`, '?actor=1', '?since=garbage']) {
          assertRefusal(await app.call('GET', path + query, { headers }), 403, 'Access denied')
        }
      }
    })
  }

  test('a client is no administrator, and neither is a caller without a credential', async () => {
    for (const headers of [asClient('shop'), {}]) {
      assertRefusal(await app.call('GET', path, { headers }), 401, 'Authentication required')
    }
  })

  test('the cursor of another administrator is a position and no more', async () => {
    const other = await app.account('other', ['ADMIN'])
    const headers = await app.bearer(other)
    const answer = await app.call('GET', `${path}?cursor=${cursor}`, { headers })
    assert.equal(answer.status, 200)
  })
})

suite('GET /api/admin/audit against hostile filters', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const rows = await app.rows('audit_records', 'audit_subjects', 'audit_chains')
  const refusals: readonly [query: string, field: string, message: string][] = [
    ['since=yesterday', 'since', 'must be a time like 2026-01-15T12:00:00Z'],
    ['since=', 'since', 'must be a time like 2026-01-15T12:00:00Z'],
    ['since=1768478400000', 'since', 'must be a time like 2026-01-15T12:00:00Z'],
    ['until=2026-02-30T00:00:00Z', 'until', 'must be a time like 2026-01-15T12:00:00Z'],
    ['since=2026-01-15T12:00:00', 'since', 'must be a time like 2026-01-15T12:00:00Z'],
    ['since=2026-01-15T12:00:00Z&since=2026-01-15T12:00:00Z', 'since', 'must be given once'],
    ['until=a&until=b', 'until', 'must be given once'],
    ['actor=a&actor=b', 'actor', 'must be given once'],
    ['target=1&target=1', 'target', 'must be given once'],
    ['address=::1&address=::1', 'address', 'must be given once'],
    ['request_id=a&request_id=a', 'request_id', 'must be given once'],
    ['cursor=a&cursor=a', 'cursor', 'must be given once'],
    ['actor=', 'actor', 'must not be empty'],
    ['request_id=', 'request_id', 'must not be empty'],
    ['actor=a%00', 'actor', 'must not hold NUL characters or lone surrogates'],
    ['request_id=%00', 'request_id', 'must not hold NUL characters or lone surrogates'],
    [`target=${'a'.repeat(513)}`, 'target', 'must have at most 512 characters'],
    ['address=nowhere', 'address', 'must be an IP address'],
    ['address=', 'address', 'must be an IP address'],
    ["address=1.1.1.1'--", 'address', 'must be an IP address'],
    ['type=', 'type', 'must name types of events'],
    ["type=a'--", 'type', 'must name types of events'],
    ['type=a,,b', 'type', 'must name types of events'],
    ['type=a%00', 'type', 'must name types of events'],
    [`type=${'a'.repeat(65)}`, 'type', 'must name types of events'],
    [
      `type=${Array.from({ length: 21 }, (_, index) => `t${index}`).join(',')}`,
      'type',
      'must name at most 20 types',
    ],
    ...[
      '',
      'x',
      'next',
      forgeCursor([]),
      forgeCursor([1]),
      forgeCursor([1, 2, 3]),
      forgeCursor(['1', 2]),
      forgeCursor([1.5, 2]),
      forgeCursor('[1e400,1]'),
      forgeCursor([2 ** 53, 1]),
      forgeCursor({ at: 1, number: 1 }),
      forgeCursor([2, 'id', '', 10]), // of GET /api/v2/users
      'A'.repeat(10_000),
      forgeCursor(`[1,1${' '.repeat(9_000)}]`),
    ].map((text): [string, string, string] => [
      `cursor=${text}`,
      'cursor',
      'must be the `next` of a page',
    ]),
  ]
  for (const [query, field, message] of refusals) {
    test(`?${query.slice(0, 60)} is refused`, async () => {
      const answer = await app.call('GET', `${path}?${query}`, { headers })
      const details = [{ path: [field], message }]
      assertRefusal(answer, 400, 'Validation failed', query, { details })
    })
  }

  for (const numbers of [
    [-1, -1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [-Number.MAX_SAFE_INTEGER, 1],
    [0, 0],
  ]) {
    test(`a forged position ${numbers} is a place in the list`, async () => {
      const { status } = await app.call('GET', `${path}?cursor=${forgeCursor(numbers)}`, {
        headers,
      })
      assert.equal(status, 200)
    })
  }

  test('a wildcard and a quote are texts', async () => {
    for (const text of [
      '%25',
      '_',
      "'",
      '" or 1=1',
      '\\',
      '😀',
      '\u202e',
      '0',
      '-1',
      '1e0',
      '00001',
    ]) {
      for (const name of ['actor', 'target', 'request_id']) {
        const query = `${name}=${encodeURIComponent(text)}`
        const { status, body } = await app.call('GET', `${path}?${query}`, { headers })
        assert.deepEqual([status, body.data, body.next], [200, [], null], query)
      }
    }
  })

  test('nothing has changed', async () => {
    assert.deepEqual(await app.rows('audit_records', 'audit_subjects', 'audit_chains'), rows)
  })
})

suite('GET /api/admin/audit where records were erased or changed', async () => {
  const app = await testApp()
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  const { audit, seed } = await recordSeeder(app.deps)

  async function one(requestId: string): Promise<OpenedRecord> {
    const answer = await app.call('GET', `${path}?request_id=${requestId}`, { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.data.length, 1)
    return answer.body.data[0]
  }

  const change = (requestId: string, values: Record<string, string | null>) =>
    db.updateTable('audit_records').set(values).where('request_id', '=', requestId).execute()

  async function seeded(requestId: string, subject: string) {
    await seed([
      {
        requestId,
        actor: { subject, username: 'eve', address: '203.0.113.9', user_agent: 'curl' },
        target: { subject: `${subject}0`, user_id: Number(subject) * 10, from: ['USER'] },
        facts: { actor: 'user', method: 'PUT', status: 200 },
      },
    ])
    return one(requestId)
  }

  const unnamed = {
    actor: { kind: 'user', subject: null, username: null },
    address: null,
    proxies: [],
    user_agent: null,
    session: null,
    token: null,
    key: null,
  }

  test('of an actor who was erased all personal fields are null, and the rest stays', async () => {
    const before = await seeded('erased-1', '101')
    await db.deleteFrom('audit_subjects').where('subject', '=', '101').execute()
    assert.deepEqual(await one('erased-1'), { ...before, ...unnamed, erased: true })
    const byActor = await app.call('GET', `${path}?actor=101`, { headers })
    assert.deepEqual([byActor.status, byActor.body.data], [200, []])
  })

  test('of a target that was erased the details are null', async () => {
    const before = await seeded('erased-2', '102')
    await db.deleteFrom('audit_subjects').where('subject', '=', '1020').execute()
    const erased = { target: null, details: null, erased: true }
    assert.deepEqual(await one('erased-2'), { ...before, ...erased })
    const byTarget = await app.call('GET', `${path}?target=1020`, { headers })
    assert.deepEqual([byTarget.status, byTarget.body.data], [200, []])
  })

  test('a seal of another record does not open, and the record says so', async () => {
    const before = await seeded('swapped-1', '103')
    await seeded('swapped-2', '104')
    const { actor_sealed, actor_key } = await db
      .selectFrom('audit_records')
      .select(['actor_sealed', 'actor_key'])
      .where('request_id', '=', 'swapped-2')
      .executeTakeFirstOrThrow()
    await change('swapped-1', { actor_sealed, actor_key })
    assert.deepEqual(await one('swapped-1'), { ...before, ...unnamed, damaged: true })
  })

  const damages: readonly [what: string, values: Record<string, string | null>][] = [
    ['a flipped seal', { actor_sealed: 'A'.repeat(80) }],
    ['a cut seal', { actor_sealed: '' }],
    ['a seal that is gone', { actor_sealed: null }],
    ['a key that is gone', { actor_key: null }],
    ['the key of the service in place of the person', { actor_key: 'service' }],
  ]
  for (const [index, [what, values]] of damages.entries()) {
    test(`${what} does not open, and the record says so`, async () => {
      const before = await seeded(`damaged-${index}`, String(110 + index))
      await change(`damaged-${index}`, values)
      assert.deepEqual(await one(`damaged-${index}`), { ...before, ...unnamed, damaged: true })
    })
  }

  for (const [index, facts] of ['{', '', '[]', 'null', '7'].entries()) {
    test(`facts that are no object (${facts}) are none, and the record says so`, async () => {
      const before = await seeded(`facts-${index}`, String(120 + index))
      await change(`facts-${index}`, { facts })
      const actor = { ...before.actor, kind: null }
      const none = { actor, method: null, status: null, damaged: true }
      assert.deepEqual(await one(`facts-${index}`), { ...before, ...none })
    })
  }

  test('facts of other types are left out of the answer', async () => {
    const before = await seeded('typed', '130')
    await change('typed', {
      facts: '{"actor":[],"method":1,"status":2.5,"factors":"pwd","count":1e400,"since":"x"}',
    })
    const actor = { ...before.actor, kind: null }
    assert.deepEqual(await one('typed'), { ...before, actor, method: null, status: null })
  })

  test('times that have no form are the first and the last that have one', async () => {
    await seeded('times', '140')
    for (const [at, shown] of [
      [-9e15, '0001-01-01T00:00:00.000Z'],
      [9e15, '9999-12-31T23:59:59.999Z'],
    ] as const) {
      const facts = JSON.stringify({ since: at })
      await db
        .updateTable('audit_records')
        .set({ at, facts })
        .where('request_id', '=', 'times')
        .execute()
      const record = await one('times')
      assert.deepEqual([record.at, record.count_since], [shown, shown])
    }
  })

  test('the key of another person in a row of subjects opens nothing', async () => {
    const before = await seeded('row', '131')
    const sealed = sealSubjectKey(seededRandom(3), audit.data, '132', new Uint8Array(32))
    await db.updateTable('audit_subjects').set({ sealed }).where('subject', '=', '131').execute()
    assert.deepEqual(await one('row'), { ...before, ...unnamed, damaged: true })
    const byActor = await app.call('GET', `${path}?actor=131`, { headers })
    assert.deepEqual([byActor.status, byActor.body.data], [200, []])
  })
})
