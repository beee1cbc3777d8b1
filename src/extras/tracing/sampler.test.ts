import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SpanKind } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { fixedClock } from '../../../test/clock.ts'
import type { TraceContext } from '../../core/events/trace-context.ts'
import { createSampler } from './sampler.ts'
import type { Sampler } from './settings.ts'
import { contextOf } from './span.ts'

// TraceIdRatioBased takes a share from the lower end of the ids.
const inHalf = `${'0'.repeat(31)}1`
const outsideHalf = `${'f'.repeat(8)}${'0'.repeat(24)}`
const spanId = `${'0'.repeat(14)}b7`
const callerOf = (isSampled: boolean) => ({ traceId: inHalf, spanId, isSampled, state: null })

function made(name: Sampler, { ratio = 1, maxPerSecond = 0 } = {}) {
  const clock = fixedClock()
  const sampler = createSampler({ sampler: name, ratio, maxPerSecond }, clock)
  const takes = (traceId: string, caller: TraceContext | null) =>
    sampler.shouldSample(contextOf(caller), traceId, 'request', SpanKind.SERVER, {}, [])
      .decision === SamplingDecision.RECORD_AND_SAMPLED
  const count = (number: number, traceId: string, caller: TraceContext | null) =>
    Array.from({ length: number }, () => takes(traceId, caller)).filter(Boolean).length
  return { clock, takes, count, refused: sampler.refused }
}

suite('the samplers of OpenTelemetry', () => {
  const asked = [
    [outsideHalf, null],
    [inHalf, null],
    [outsideHalf, callerOf(true)],
    [inHalf, callerOf(false)],
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
})

suite('the limit per second', () => {
  test('holds for all traces, and ends with the second', () => {
    const { count, refused, clock } = made('parentbased_always_on', { maxPerSecond: 10 })
    assert.equal(count(30, inHalf, callerOf(true)), 10)
    assert.equal(count(5, inHalf, null), 0)
    assert.equal(refused(), 25)
    clock.advance(1)
    assert.equal(count(30, inHalf, null), 10)
  })

  test('leaves half of the limit to traces that no caller has asked for', () => {
    const { count, refused } = made('parentbased_traceidratio', { ratio: 0.5, maxPerSecond: 10 })
    assert.equal(count(30, outsideHalf, callerOf(true)), 5)
    assert.equal(refused(), 25)
    assert.equal(count(30, inHalf, null), 5)
  })
})
