import { ApiError } from '../../core/errors.ts'
import { bounds, Histogram } from '../../core/measurements/histogram.ts'
import type { WorkQueue } from '../../core/queues/work-queue.ts'
import type { HashingQueue } from './hashing-queue.ts'

export interface HashingMeasurements {
  readonly durations: Histogram
  /** 0 if started at once. */
  readonly waits: Histogram
  /** Queue full, or started too late. */
  refused: number
  /** Null until created. */
  queue:
    | (() => { readonly running: number; readonly waiting: number; readonly maxWaiting: number })
    | null
}

export const hashing = (): HashingMeasurements => ({
  durations: new Histogram(bounds.request),
  waits: new Histogram(bounds.request),
  refused: 0,
  queue: null,
})

/** Measures waits and durations, and counts rejections. */
export function measuredQueue(
  queue: HashingQueue,
  measurements: HashingMeasurements,
): HashingQueue {
  const { durations, waits } = measurements
  const { maxWaiting } = queue
  measurements.queue = () => ({ ...queue.state(), maxWaiting })
  const run: WorkQueue['run'] = async (work) => {
    const askedAt = performance.now()
    try {
      return await queue.run(async () => {
        const beganAt = performance.now()
        waits.observe((beganAt - askedAt) / 1000)
        const result = await work()
        durations.observeSince(beganAt)
        return result
      })
    } catch (error) {
      const isRefused = error instanceof ApiError && error.row === 'serviceUnavailable'
      if (isRefused) measurements.refused += 1
      throw error
    }
  }
  return { ...queue, run }
}
