import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMeasurements, type Measurements } from '../../core/measurements/measurements.ts'
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

suite('live sessions', () => {
  const read = async (isServing: boolean) => {
    const sessions = { count: async () => 7 }
    const state = {
      fromDatabase: async <T>(count: () => Promise<T>) => (isServing ? count() : null),
    }
    const families = await monitoring.serviceMetrics?.({ sessions } as unknown as Needs)(state)
    return families?.map(({ name, values }) => [name, values])
  }

  test('are counted in the database, and not shown while it does not serve', async () => {
    assert.deepEqual(await read(true), [['gatehouse_sessions_live', [{ labels: {}, value: 7 }]]])
    assert.deepEqual(await read(false), [['gatehouse_sessions_live', []]])
  })
})

test('the series counts the sessions that began', () => {
  const events = { of: (names: readonly string[]) => (names.join() === 'session_created' ? 3 : 0) }
  const [series, ...others] = monitoring.series ?? []
  assert.deepEqual(series?.counted({ events } as unknown as Measurements), [
    { values: [], count: 3 },
  ])
  assert.deepEqual(others, [])
})
