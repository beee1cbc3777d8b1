import type { Clock } from '../src/kernel/clock.ts'

export interface FixedClock extends Clock {
  /** Moves time, forward or back, and wakes who waits for it. */
  advance(seconds: number): void
  /** The seconds that those who wait have yet to wait. */
  waits(): readonly number[]
}

/**
 * What the work costs this process, in milliseconds of its CPU: a bound on it holds also where the
 * machine has much else to do.
 */
export async function cpuOf<T>(work: () => Promise<T>): Promise<{ cpuMs: number; result: T }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, result }
}

/**
 * A clock that stands still until a test moves it. Who waits wakes up when as much real time has
 * passed, too, and finds the same time: as one who polls for what another process does.
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
