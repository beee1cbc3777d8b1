import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMeasurements } from '../../core/measurements/measurements.ts'
import type { Needs } from '../../core/module/services.ts'
import { forwardDecisions, rulesFile } from './measurements.ts'
import { monitoring } from './monitoring.ts'

const answers = [
  ...['allowed', 'bypass', 'sign_in', 'unauthenticated', 'denied', 'bad_request', 'unavailable'],
]

/** Name, how workers are joined, and the values with their answers. */
function shown(measurements: ReturnType<typeof createMeasurements>) {
  const needs = { measurements } as unknown as Needs // what it reads
  return monitoring
    .processMetrics?.(needs, '0')
    .map(({ aggregator, name, values }) => [
      ...[name, aggregator],
      values.map(({ labels, value }) => [labels.answer, value]),
    ])
}

suite('the metrics of forward authentication', () => {
  test('count each answer from zero, and have no file without FORWARD_AUTH_FILE', () => {
    const measurements = createMeasurements()
    const counts = (value: number) => [
      ...['gatehouse_forward_decisions_total', 'sum'],
      answers.map((answer) => [answer, answer === 'denied' ? value : 0]),
    ]
    const none = [
      ['gatehouse_forward_rules', 'max', []],
      ['gatehouse_forward_file_broken', 'max', []],
    ]
    assert.deepEqual(shown(measurements), [counts(0), ...none])
    measurements.of(forwardDecisions).denied += 3
    assert.deepEqual(shown(measurements), [counts(3), ...none])
  })

  for (const [isBroken, value] of [
    [false, 0],
    [true, 1],
  ] as const) {
    test(`say how many rules are in force, and whether the file is broken: ${isBroken}`, () => {
      const measurements = createMeasurements()
      measurements.of(rulesFile).read = () => ({ rules: 7, isBroken })
      assert.deepEqual(shown(measurements)?.slice(1), [
        ['gatehouse_forward_rules', 'max', [[undefined, 7]]],
        ['gatehouse_forward_file_broken', 'max', [[undefined, value]]],
      ])
    })
  }
})
