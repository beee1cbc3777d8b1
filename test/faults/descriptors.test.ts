import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runOutOfDescriptors } from './descriptors.ts'

suite('R11: no descriptors are left', () => {
  test('who is connected is served on, nothing ends the process, and it recovers', async () => {
    const figures = await runOutOfDescriptors({ limit: 64, connections: 200 })
    assert.deepEqual(new Set(figures.kept), new Set([200, 201]))
    assert.equal(figures.exited, false)
    assert.ok(figures.recoveredMs < 5000, String(figures.recoveredMs))
    assert.equal(figures.exitCode, 0)
  })
})
