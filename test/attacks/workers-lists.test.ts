import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPrimaryLimits } from '../../src/core/workers/shared-limits.ts'
import type { SharedLimits } from '../../src/core/workers/workers.ts'
import { testApp } from '../app.ts'
import { linkedWorkers } from '../linked-workers.ts'
import { until } from '../until.ts'

suite('bulk answers of several workers', async () => {
  const primary = createPrimaryLimits()
  const [own] = linkedWorkers(2)
  assert.ok(own)
  let batches = 0
  const limits: SharedLimits = {
    countRequest: async (address, windowMs, now) => primary.count({ address, windowMs, now }),
    async enterBatch({ caller, mayBeRefused }) {
      batches += 1
      const id = batches
      const answer = await primary.batch(own, { id, caller, mayBeRefused })
      return { answer, leave: () => primary.endBatch(own, id) }
    },
  }
  const app = await testApp({ RATE_LIMIT_MAX: '70' }, { deps: { workers: { ...own, limits } } })
  const headers = await app.bearer(app.admin)
  const list = () => app.call('GET', '/users', { headers })

  test('wait for a turn of the primary, are refused by it, and give it back', async () => {
    const other = {}
    const account = `account ${app.admin.userId}`
    const held = { caller: account, mayBeRefused: true }
    assert.equal(await primary.batch(other, { ...held, id: 0 }), 'go')
    const waits = list()
    await until(() => batches > 0)
    for (let id = 1; id < 64; id += 1) void primary.batch(other, { ...held, id })
    const refused = await list()
    assert.deepEqual([refused.status, refused.body], [503, { error: 'Service unavailable' }])
    assert.equal(refused.headers['retry-after'], '1')
    primary.forget(other) // its process has ended
    assert.equal((await waits).status, 200)
    assert.equal((await list()).status, 200)
  })

  test('the general rate limit is that of the primary', async () => {
    const statusAt = async (from: string) =>
      (await app.call('GET', '/api/public/status', { from })).status
    const from = '198.51.100.9'
    const ask = { address: from, windowMs: 900_000, now: app.clock.now() }
    for (let other = 0; other < 69; other += 1) primary.count(ask) // at another worker
    assert.equal(await statusAt(from), 200)
    assert.equal(await statusAt(from), 429)
    const refusedAt = primary.count(ask).requests
    assert.equal(await statusAt(from), 429)
    assert.equal(primary.count(ask).requests, refusedAt + 1, 'a refused address asks no more')
    app.clock.advance(900)
    assert.equal(await statusAt(from), 200)
    assert.equal(await statusAt('198.51.100.10'), 200)
  })
})
