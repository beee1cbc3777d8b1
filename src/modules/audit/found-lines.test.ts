import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AuditLog, AuditPart } from './audit-log.ts'
import { type FoundLinesOptions, foundLines } from './found-lines.ts'
import { sectionsOf } from './personal-data.ts'

suite('lines of found records', () => {
  const filters = { until: 9 }
  const next = { at: 5, number: 6 }
  type Page = { readonly records: readonly object[]; readonly next: object | null }

  /** What happens, in its order. */
  async function exported(...pages: Page[]) {
    const calls: unknown[] = []
    const auditLog = {
      async page(...given: unknown[]) {
        calls.push(given)
        return pages.shift() ?? assert.fail()
      },
    } as unknown as Pick<AuditLog, 'page'>
    const options = {
      filters,
      begun: () => void calls.push('begun'),
      authorize: async () => void calls.push('authorized'),
      async makeBatch(make: () => Promise<unknown>) {
        calls.push('batch')
        return make()
      },
    } as unknown as FoundLinesOptions
    for await (const text of foundLines(auditLog, options)) calls.push(text)
    return calls
  }
  const read = (before?: object) => [filters, { limit: 500, before, order: 'oldest' }]

  test('of none are no text', async () => {
    assert.deepEqual(await exported({ records: [], next: null }), ['batch', read(), 'begun'])
  })

  test('are written in batches, each after its authorization', async () => {
    const pages = [
      { records: [{ a: 1 }, { a: 2 }], next },
      { records: [], next: { at: 7, number: 8 } },
      { records: [{ a: 3 }], next: null },
    ]
    assert.deepEqual(await exported(...pages), [
      ...['batch', read(), 'authorized', 'begun', '{"a":1}\n{"a":2}\n'],
      ...['batch', read(next)],
      ...['batch', read({ at: 7, number: 8 }), 'authorized', '{"a":3}\n'],
    ])
  })
})

suite('the audit log in the own data', () => {
  test('has the own acts, and of another person only the id', async () => {
    const asked: [number, AuditPart][] = []
    const record = {
      ...{
        id: 'i',
        at: 't',
        type: 'y',
        outcome: 'success',
        reason: null,
        address: 'd',
        proxies: [],
      },
      ...{ user_agent: 'u', session: 's', token: 'o', key: 'k', scheme: 'c', factors: ['pwd'] },
      ...{ method: 'GET', route: '/', status: 200, request_id: 'q' },
    }
    const stored = { ...record, actor: { username: 'ann' }, number: 1, details: { a: 1 } }
    const targets = [null, { user_id: 7, username: 'ann' }, { user_id: 8, username: 'bob' }]
    const pages = [
      { records: targets.map((target) => ({ ...stored, target })), next: { at: 5, number: 6 } },
      { records: [], next: null },
    ]
    const auditLog = {
      async actsOf(userId: number, part: AuditPart) {
        asked.push([userId, part])
        return pages[asked.length - 1] ?? assert.fail()
      },
    } as unknown as Pick<AuditLog, 'actsOf'>
    const [section = assert.fail()] = sectionsOf({ auditLog })
    const batches = await Array.fromAsync(section.read({} as never, 7) as AsyncIterable<unknown>)
    const act = { ...record, username: 'ann' }
    assert.deepEqual(batches, [
      [
        { ...act, target: null, details: { a: 1 } },
        { ...act, target: { user_id: 7 }, details: { a: 1 } },
        { ...act, target: { user_id: 8 }, details: null },
      ],
      [],
    ])
    const [[id, { limit, ...first }] = assert.fail(), second] = asked
    assert.deepEqual([id, first], [7, {}])
    assert.deepEqual(second, [7, { limit, before: { at: 5, number: 6 } }])
  })
})
