import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { firstUse, type UsedSteps, useOf } from './used-steps.ts'

const first = 1000

suite('used steps', () => {
  /** Uses steps in turn; returns which were accepted. */
  function accepted(...steps: number[]): number[] {
    let used: UsedSteps = firstUse(first)
    return steps.filter((step) => {
      const next = useOf(step, used)
      used = next ?? used
      return next !== null
    })
  }

  test('are accepted once, in any order', () => {
    const steps = [998, 1003, 999, 1001, 1002, 1000 - 10, 1004, 1020]
    assert.deepEqual(accepted(first), [])
    assert.deepEqual(accepted(...steps, ...steps, first), steps)
  })

  test('are remembered for 52 steps, however far the next one is', () => {
    for (let ahead = 1; ahead < 120; ahead += 1) {
      const step = first + ahead
      const isKnown = ahead < 52
      assert.deepEqual(accepted(step, step, first), [step], `${ahead}`)
      assert.deepEqual(
        accepted(step, step - 51),
        isKnown && ahead === 51 ? [step] : [step, step - 51],
      )
      assert.deepEqual(accepted(step, step - 52), [step])
    }
    assert.deepEqual(accepted(first - 51, first - 51, first - 52, first - 53), [first - 51])
  })

  test('stay whole numbers that both databases hold', () => {
    let used: UsedSteps = firstUse(first)
    for (let step = first + 1; step < first + 60; step += 1) {
      const next = useOf(step, used)
      assert.ok(next)
      used = next
    }
    assert.deepEqual(used, { last: first + 59, bits: 2 ** 52 - 1 })
    assert.deepEqual(useOf(first + 110, used), { last: first + 110, bits: 2 ** 51 + 1 })
    assert.deepEqual(useOf(first + 111, used), { last: first + 111, bits: 1 })
  })
})
