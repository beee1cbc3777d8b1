// A database makes a difference: what a flood leaves behind is rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inContextOf } from '../../src/core/events/context.ts'
import { type TestApp, testApp } from '../app.ts'
import { auditRecords, type OpenRecord, recordTold } from '../audit-chains.ts'
import { testEvent } from '../events.ts'

const since = '2026-01-15T12:00:00.000Z'

const run = (app: TestApp, name: string) => app.app.jobs.find((job) => job.name === name)?.run()

/** The lines and the records of a type. */
async function leftBehind(app: TestApp, type: string) {
  await recordTold(app)
  const records = (await auditRecords(app)).filter((record) => record.type === type)
  return { lines: app.log.filter(({ event }) => event === type), records }
}

const countOf = ({ plain, target }: OpenRecord) => [plain.count, target?.since]

suite('what a flood of refusals leaves behind', () => {
  test('100 wrong tokens of one address in a minute: 30 lines and records, then a count', async () => {
    const app = await testApp()
    const from = '203.0.113.5'
    for (let tries = 1; tries <= 100; tries += 1) {
      const headers = { authorization: `Bearer not.a.token${tries}` }
      assert.equal((await app.call('GET', '/api/me', { headers, from })).status, 401)
    }
    const during = await leftBehind(app, 'authn_token_fail')
    assert.deepEqual([during.lines.length, during.records.length], [30, 30])
    for (const { plain, actor } of during.records) {
      assert.deepEqual([plain.status, plain.count, actor?.address], [401, undefined, from])
    }
    app.clock.advance(60)
    await run(app, 'counted refusals')
    const after = await leftBehind(app, 'authn_token_fail')
    assert.deepEqual([after.lines.length, after.records.length], [31, 31])
    const [line, record] = [after.lines.at(-1), after.records.at(-1)]
    assert.ok(record)
    assert.deepEqual([line?.count, line?.since, line?.address], [70, since, from])
    assert.deepEqual([...countOf(record), record.actor?.address], [70, since, from])
  })

  test('10,000 addresses of one /48, then 10,000 tries of one: bounded, and none is uncounted', async () => {
    const app = await testApp({ LOG_LEVEL: 'silent' })
    const { events } = app.deps
    const refused = testEvent<Record<string, never>>('flooded', 'warn')
    const tryFrom = (address: string) => {
      const context = { by: null, address, scheme: null, requestId: null, request: null }
      inContextOf({ eventContext: () => context }, () => events.emit(refused, {}))
    }
    for (let network = 0; network < 10_000; network += 1) {
      tryFrom(`2001:db8:1:${network.toString(16)}::7`)
    }
    for (let tries = 0; tries < 10_000; tries += 1) tryFrom('2001:db8:1:1::8')
    // The first 1,000 networks are known apart; all others share one bound, which is null.
    const known = 1000 + 29
    const shared = 30
    const { records } = await leftBehind(app, 'flooded')
    assert.equal(records.length, known + shared)
    app.clock.advance(60)
    await run(app, 'counted refusals')
    const counted = (await leftBehind(app, 'flooded')).records.slice(known + shared)
    assert.deepEqual(
      counted.map((record) => [...countOf(record), record.actor?.address]).toSorted(),
      [
        [10_000 - 1000 - shared, since, undefined],
        [10_000 - 29, since, '2001:db8:1:1::/64'],
      ].toSorted(),
    )
  })
})
