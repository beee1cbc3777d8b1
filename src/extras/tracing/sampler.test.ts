import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { createSampler } from './sampler.ts'
import type { Sampler } from './settings.ts'

const low = `${'a'.repeat(18)}${'0'.repeat(13)}1`
const high = `${'0'.repeat(18)}${'f'.repeat(14)}`
const middle = `${'0'.repeat(18)}8${'0'.repeat(13)}`
const callerOf = (isSampled: boolean) => ({ traceId: low, spanId: 'b7', isSampled, state: null })

function made(sampler: Sampler, { ratio = 1, maxPerSecond = 0 } = {}) {
  const clock = fixedClock()
  return { clock, ...createSampler({ sampler, ratio, maxPerSecond, clock }) }
}

suite('the samplers of OpenTelemetry', () => {
  const asked = [
    [low, null],
    [high, null],
    [low, callerOf(true)],
    [high, callerOf(false)],
  ] as const
  for (const [sampler, expected] of [
    ['always_on', [true, true, true, true]],
    ['always_off', [false, false, false, false]],
    ['traceidratio', [false, true, false, true]],
    ['parentbased_always_on', [true, true, true, false]],
    ['parentbased_always_off', [false, false, true, false]],
    ['parentbased_traceidratio', [false, true, true, false]],
  ] as const) {
    test(`${sampler} goes by the trace, or by the caller`, () => {
      const { takes } = made(sampler, { ratio: 0.5 })
      assert.deepEqual(
        asked.map(([traceId, caller]) => takes(traceId, caller)),
        expected,
      )
    })
  }

  test('a share is taken of the random part of the id, from its upper end', () => {
    for (const [ratio, expected] of [
      [0, [false, false, false]],
      [0.49, [false, false, true]],
      [0.5, [false, true, true]],
      [1, [true, true, true]],
    ] as const) {
      const { takes } = made('traceidratio', { ratio })
      assert.deepEqual(
        [low, middle, high].map((id) => takes(id, null)),
        expected,
        String(ratio),
      )
    }
  })
})

suite('the limit of a second', () => {
  const count = (taken: boolean[]) => taken.filter(Boolean).length
  const times = (number: number, work: () => boolean) => count(Array.from({ length: number }, work))

  test('holds for all traces, and ends with the second', () => {
    const { takes, refused, clock } = made('parentbased_always_on', { maxPerSecond: 10 })
    assert.equal(
      times(30, () => takes(low, callerOf(true))),
      10,
    )
    assert.equal(
      times(5, () => takes(low, null)),
      0,
    )
    assert.equal(refused(), 25)
    clock.advance(1)
    assert.equal(
      times(30, () => takes(low, null)),
      10,
    )
  })

  test('leaves half of it to traces that no caller has asked for', () => {
    const { takes, refused } = made('parentbased_traceidratio', { ratio: 0.5, maxPerSecond: 10 })
    assert.equal(
      times(30, () => takes(low, callerOf(true))),
      5,
    )
    assert.equal(refused(), 25)
    assert.equal(
      times(30, () => takes(high, null)),
      5,
    )
  })
})
