import type { Clock } from '../kernel/clock.ts'

/** Spaces the work of deliveries, so that it takes what requests leave of the event loop. */
export interface Pace {
  /** Resolves when the next piece of work may begin. */
  next(signal: AbortSignal): Promise<void>
}

/** From how busy the event loop is, the least time between two pieces, in milliseconds. */
const gaps: readonly (readonly [busierThan: number, gapMs: number])[] = [
  [0.7, 50],
  [0.4, 20],
  [0.2, 5],
  [0, 1],
]
const measuredMs = 200

/** Makes the pace of a process; `utilization` answers how busy the event loop was since the last call. */
export function createPace({ wait }: Pick<Clock, 'wait'>, utilization = busySinceLast()): Pace {
  let last: Promise<void> = Promise.resolve()
  let gapMs = 1
  let measuredAt = Number.NEGATIVE_INFINITY

  return {
    next(signal) {
      last = last.then(() => {
        const now = performance.now()
        if (now - measuredAt >= measuredMs) {
          measuredAt = now
          const busy = utilization()
          gapMs = gaps.find(([least]) => busy >= least)?.[1] ?? 1
        }
        return wait(gapMs, signal)
      })
      return last
    },
  }
}

function busySinceLast(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
