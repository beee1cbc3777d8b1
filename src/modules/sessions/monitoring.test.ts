import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeasurements } from '../../core/measurements/measurements.ts'
import type { Counting } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'
import { monitoring } from './monitoring.ts'

test('ended sessions are counted by reason, several of one event as many', () => {
  const measurements = createMeasurements()
  const events: Counting['events'] = (names, count) => {
    assert.deepEqual(names, ['session_ended'])
    const end = (payload: object) => count({ payload } as Parameters<typeof count>[0])
    end({ reason: 'logout' })
    end({ reason: 'limit', count: 3 })
    end({ reason: 'logout' })
  }
  monitoring.count?.(measurements, { events, refusals: () => {} })
  const families = monitoring.processMetrics?.({ measurements } as Needs, '') ?? []
  const counts = families[1]?.values.map(({ labels, value }) => [labels?.reason, value])
  assert.deepEqual(counts, [
    ['logout', 2],
    ['owner', 0],
    ['everywhere', 0],
    ['administrator', 0],
    ['limit', 3],
    ['replaced', 0],
  ])
})
