import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { failOver } from './failovers.ts'

suite('a replica that takes over', () => {
  test('a synchronous one has all that was acknowledged, and both nodes go on', async () => {
    const figures = await failOver({ isSynchronous: true, changes: 60 })
    assert.deepEqual([figures.lost, figures.half, figures.revived], [[], [], []])
    assert.deepEqual(figures.lostAfterwards, [])
    assert.deepEqual(figures.onStandby, { ready: 503, read: 200, change: 503 })
    assert.equal(figures.exited, 0)
    assert.ok(figures.readyMs < 5000, `${figures.readyMs} ms`)
  })
})
