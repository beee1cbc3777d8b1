import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'

export interface StandingTime {
  /** Moves the time, one millisecond after another; callbacks of each run before the next. */
  pass(milliseconds: number): Promise<void>
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

/**
 * Stops `setTimeout`, `AbortSignal.timeout` and `performance.now` until the test moves them or
 * ends: for time limits that do not use the clock of `deps`. Other load of the machine has no
 * effect on them. (The timers of Node's own mock lose some once one of an earlier test is cleared.)
 */
export function standingTime({ mock }: TestContext): StandingTime {
  // biome-ignore lint/plugin: it stands from here on
  let now = performance.now()
  const timers = new Set<unknown>()
  const start = (run: () => void, milliseconds = 0) => {
    const timer = { at: now + milliseconds, run, ref: () => timer, unref: () => timer }
    timers.add(timer)
    return timer
  }
  const { clearTimeout } = globalThis
  mock.method(performance, 'now', () => now)
  mock.method(globalThis, 'setTimeout', start)
  mock.method(globalThis, 'clearTimeout', (timer: Parameters<typeof clearTimeout>[0]) => {
    if (!timers.delete(timer)) clearTimeout(timer)
  })
  mock.method(AbortSignal, 'timeout', (milliseconds: number) => {
    const limit = new AbortController()
    const end = () => limit.abort(new DOMException('it takes too long', 'TimeoutError'))
    start(end, milliseconds)
    return limit.signal
  })
  return {
    async pass(milliseconds) {
      await turn()
      for (let passed = 0; passed < milliseconds; passed += 1) {
        now += 1
        for (const timer of timers as Set<Timer>) {
          if (timer.at > now) continue
          timers.delete(timer)
          timer.run()
        }
        await turn()
      }
    },
  }
}

/** Waits for two turns of the event loop, because the first may have been scheduled earlier. */
async function turn(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** The present state of a promise. */
export function observed<T>(work: Promise<T>): { readonly outcome: Promise<T> | undefined } {
  let isSettled = false
  const done = () => {
    isSettled = true
  }
  work.then(done, done)
  return {
    get outcome() {
      return isSettled ? work : undefined
    },
  }
}
