import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { systemClock } from '../lib/clock.ts'
import { soleProcess } from '../workers/workers.ts'
import { createLog } from './deps.ts'
import { drainOnSignal } from './shutdown.ts'
import { eventsOf } from './sinks.ts'

const signals = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const

suite('a stop', () => {
  test('has ten seconds, also where a caller never ends: then it is over, with exit code 1', (t) => {
    const handlersOf = newHandlers()
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
      forget(handlersOf)
    }
  })

  test('during the start waits for its end', async (t) => {
    const handlersOf = newHandlers()
    // The limit of ten seconds would end this process, in the middle of another file.
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const exits: unknown[] = []
    const { promise: exited, resolve } = Promise.withResolvers<void>()
    t.mock.method(process, 'exit', (code: unknown) => {
      exits.push(code)
      resolve()
    })
    const server = Fastify()
    const close = t.mock.method(server, 'close', async () => {})
    const log = createLog('silent')
    const begun = Promise.withResolvers<void>()
    const events = eventsOf({ clock: systemClock, log })
    const stopping = drainOnSignal(server, { log, events }, soleProcess, begun.promise)
    try {
      assert.equal(stopping.isStopping(), false)
      const [stop] = handlersOf('SIGTERM')
      assert.ok(stop)
      stop('SIGTERM')
      assert.equal(stopping.isStopping(), true)
      await setImmediate()
      assert.equal(close.mock.callCount(), 0)
      begun.resolve()
      await exited
      assert.equal(close.mock.callCount(), 1)
      assert.deepEqual(exits, [0])
    } finally {
      forget(handlersOf)
    }
  })
})

type HandlersOf = (of: (typeof signals)[number]) => ((name: 'SIGTERM') => void)[]

/** Answers the function that lists what has been registered since. */
function newHandlers(): HandlersOf {
  const listeners = (name: (typeof signals)[number]) => process.listeners(name as 'SIGTERM')
  const before = new Map(signals.map((name) => [name, new Set(listeners(name))]))
  return (name) => listeners(name).filter((each) => !before.get(name)?.has(each))
}

function forget(handlersOf: HandlersOf): void {
  for (const name of signals)
    for (const each of handlersOf(name)) process.off(name as 'SIGTERM', each)
}
