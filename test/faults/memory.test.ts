import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadWithSmallHeap } from './memory.ts'

suite('R12: a small heap', () => {
  test('holds a mixed load: nothing fails but what is shed with 503, and the process goes on', async () => {
    const figures = await loadWithSmallHeap({ heapMebibytes: 128, seconds: 3, users: 500 })
    const { 503: _shed, ...failures } = figures.failures
    assert.deepEqual(failures, {})
    assert.equal(figures.exited, false)
    assert.ok(figures.requests > 64, 'every caller was answered')
    assert.ok(figures.maxResidentMebibytes < 400, `${figures.maxResidentMebibytes} MiB`)
  })
})
