import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import { monitoring } from './monitoring.ts'
import { createTailReads } from './tail-reads.ts'

suite('reads of the end of the log', () => {
  test('are logged once in ten minutes for each reader', () => {
    const clock = fixedClock()
    const { isLogged } = createTailReads({ clock })
    const reads = (...readers: string[]) => readers.map((reader) => isLogged(reader))
    assert.deepEqual(reads('a', 'a', 'b', 'a'), [true, false, true, false])
    clock.advance(599.999)
    assert.deepEqual(reads('a'), [false])
    clock.advance(0.001)
    assert.deepEqual(reads('a', 'a'), [true, false])
    clock.advance(-0.001)
    assert.deepEqual(reads('a', 'a'), [true, false]) // after a clock that was set back
  })

  test('are remembered of a thousand readers', () => {
    const { isLogged } = createTailReads({ clock: fixedClock() })
    for (let reader = 0; reader < 1000; reader += 1) assert.equal(isLogged(`${reader}`), true)
    assert.equal(isLogged('0'), false)
    assert.equal(isLogged('1000'), true) // in place of the oldest
    assert.deepEqual([isLogged('1'), isLogged('1000'), isLogged('0')], [false, false, true])
  })
})

suite('metrics of the audit log', () => {
  test('are the age of what is not covered or sent, and what was lost', () => {
    type Count = { count: number }
    const counts = new Map<unknown, Count>()
    const measurements = {
      of(make: () => Count) {
        const found = counts.get(make) ?? make()
        counts.set(make, found)
        return found
      },
    }
    let counted: ((event: RecordedEvent) => void) | undefined
    const on = {
      events(names: readonly string[], count: typeof counted) {
        assert.deepEqual(names, ['audit_records_lost'])
        counted = count
      },
    }
    monitoring.count?.(measurements as never, on as never) // what is used
    for (const count of [2, 3]) counted?.({ payload: { count } } as unknown as RecordedEvent)
    const sinks = [
      { name: 'file:/data/a/audit.jsonl', unsentMs: 2500 },
      { name: 'syslog+tcp://h:1', unsentMs: 0 },
    ]
    const auditProof = { lag: () => ({ uncoveredMs: 1500, sinks }) }
    const [lag, lost] =
      monitoring.processMetrics?.({ auditProof, measurements } as never, '4') ?? []
    const labels = (sink: string) => ({ worker: '4', sink })
    assert.deepEqual(lag?.values, [
      { value: 1.5, labels: labels('checkpoint') },
      { value: 2.5, labels: labels('file:audit.jsonl') },
      { value: 0, labels: labels('syslog+tcp://h:1') },
    ])
    assert.deepEqual(
      lost?.values.map(({ value }) => value),
      [5],
    )
  })
})
