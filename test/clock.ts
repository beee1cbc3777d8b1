import type { Clock } from '../src/core/lib/clock.ts'

export interface FixedClock extends Clock {
  /** Moves the time forward or back and wakes the waiters whose time has come. */
  advance(seconds: number): void
  /** The remaining seconds of all waiters. */
  waits(): readonly number[]
}

/**
 * Measures the work in milliseconds of CPU time of this process, so that a limit on it does not
 * depend on other load of the machine.
 */
export async function cpuOf<T>(work: () => Promise<T>): Promise<{ cpuMs: number; result: T }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, result }
}

/** The same clock for a program whose waits are to move the time on at once, such as a command. */
export function steppingClock(clock: FixedClock): Clock {
  return { now: clock.now, wait: async (milliseconds) => clock.advance(milliseconds / 1000) }
}

/**
 * A clock that is fixed until a test moves it. A waiter also wakes after as much real time, without
 * a change of the clock's time, so that code can poll for the work of another process.
 */
export function fixedClock(start = '2026-01-15T12:00:00Z'): FixedClock {
  let now = Date.parse(start)
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return {
    now: () => now,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper = { until: now + milliseconds, wake: done }
        function done() {
          sleepers.delete(sleeper)
          resolve()
        }
        sleepers.add(sleeper)
        // biome-ignore lint/plugin: code may poll for the work of another process
        setTimeout(done, milliseconds).unref()
        signal?.addEventListener('abort', done, { once: true })
      }),
    advance(seconds) {
      now += seconds * 1000
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
    },
    waits: () => [...sleepers].map(({ until }) => (until - now) / 1000),
  }
}
