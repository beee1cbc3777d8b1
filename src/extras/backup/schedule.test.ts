import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dueAt } from './schedule.ts'

suite('when the next backup is due', () => {
  const hour = 3_600_000
  const now = 1000 * hour
  const begun = (at: number) => ({ started_at: at })

  test('so many hours after the beginning of the last one, and at once without one', () => {
    assert.equal(dueAt({ lastGood: begun(now - hour), failed: [] }, now, 24), now + 23 * hour)
    assert.equal(dueAt({ lastGood: begun(now), failed: [] }, now, 24), now + 24 * hour)
    assert.equal(dueAt({ lastGood: null, failed: [] }, now, 24), now)
  })

  test('at once after a clock was set back, because the last one began in the future', () => {
    assert.equal(dueAt({ lastGood: begun(now + 1), failed: [] }, now, 24), now)
    assert.equal(dueAt({ lastGood: begun(now + 9999 * hour), failed: [] }, now, 24), now)
  })

  test('after a failure ever later up to an hour, also if it failed in the future', () => {
    const waits = Array.from({ length: 7 }, (_, index) => {
      const failed = Array.from({ length: index + 1 }, () => ({ finished_at: now + 9 * hour }))
      return (dueAt({ lastGood: null, failed }, now, 24) - now) / 60_000
    })
    assert.deepEqual(waits, [1, 5, 15, 30, 60, 60, 60])
  })
})
