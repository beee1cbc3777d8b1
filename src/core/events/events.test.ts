import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pino from 'pino'
import { testEvent } from '../../../test/events.ts'
import { createEvents, logSink } from './events.ts'

suite('the log of events', () => {
  function logAt(level: string) {
    const lines: string[] = []
    const log = pino({ level, base: null }, { write: (line: string) => void lines.push(line) })
    const clock = { now: () => 5, wait: async () => {} }
    return {
      lines,
      events: createEvents({ clock, log, sinks: { inside: [], afterCommit: [logSink(log)] } }),
    }
  }
  const [happened, refused] = [
    testEvent<{ user_id: number }>('happened', 'info'),
    testEvent<{ user_id: number }>('refused', 'warn'),
  ]

  test('has a line for each event of a level that it takes', () => {
    const { lines, events } = logAt('info')
    events.emit(happened, { user_id: 1 })
    events.emit(refused, { user_id: 2 })
    const told = lines.map((line) => JSON.parse(line)).map(({ event, user_id }) => [event, user_id])
    assert.deepEqual(told, [
      ['happened', 1],
      ['refused', 2],
    ])
  })

  test('makes no line for an event of a level that it does not take', () => {
    const { lines, events } = logAt('warn')
    let reads = 0
    const payload = {
      get user_id() {
        reads += 1
        return 1
      },
    }
    events.emit(happened, payload)
    assert.equal(reads, 0)
    events.emit(refused, payload)
    assert.equal(reads, 1)
    assert.equal(lines.length, 1)
  })
})
