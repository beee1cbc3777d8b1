import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { failedStart, startWithUsers, wrongSettings } from './starts.ts'

// The goals are half of these; a test must hold on a machine that does much else.
const refusedMs = 2000
const readyMs = 4000

suite('R16: a start', () => {
  test('with wrong settings names every one of them, and ends soon with exit code 1', async () => {
    const { code, output, milliseconds } = await failedStart(wrongSettings)
    assert.equal(code, 1)
    for (const name of Object.keys(wrongSettings)) assert.match(output, new RegExp(`\\b${name}\\b`))
    assert.ok(milliseconds < refusedMs, String(milliseconds))
  })

  test('with 100,000 users is no slower', async () => {
    const figures = await startWithUsers(100_000)
    assert.equal(figures.total, 100_001)
    assert.ok(figures.readyMs < readyMs, String(figures.readyMs))
  })
})
