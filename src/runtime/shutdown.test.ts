import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import Fastify from 'fastify'
import { systemClock } from '../kernel/clock.ts'
import { createLog } from './deps.ts'
import { drainOnSignal } from './shutdown.ts'
import { eventsOf } from './sinks.ts'

const signals = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const

suite('a stop', () => {
  test('has ten seconds, also where a caller never ends: then it is over, with exit code 1', (t) => {
    const before = new Map(
      signals.map((name) => [name, new Set(process.listeners(name as 'SIGTERM'))]),
    )
    const handlersOf = (name: (typeof signals)[number]) =>
      process.listeners(name as 'SIGTERM').filter((each) => !before.get(name)?.has(each))
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const exits: unknown[] = []
    t.mock.method(process, 'exit', (code: unknown) => void exits.push(code))
    const server = Fastify()
    t.mock.method(server, 'close', () => new Promise(() => {}))
    const log = createLog('silent')
    drainOnSignal(server, { log, events: eventsOf({ clock: systemClock, log }) })
    try {
      const [stop] = handlersOf('SIGTERM')
      assert.ok(stop)
      stop('SIGTERM')
      t.mock.timers.tick(9_999)
      assert.deepEqual(exits, [])
      t.mock.timers.tick(1)
      assert.deepEqual(exits, [1])
    } finally {
      for (const name of signals)
        for (const each of handlersOf(name)) process.off(name as 'SIGTERM', each)
    }
  })
})
