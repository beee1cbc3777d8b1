import { ApiError } from '../../core/errors.ts'
import { bounds, Histogram } from '../../core/measurements/histogram.ts'
import type { WorkQueue } from '../../core/queues/work-queue.ts'
import type { HashingQueue } from './hashing-queue.ts'

export interface HashingMeasurements {
  readonly durations: Histogram
  /** How long hashes waited for their turn; 0 for those that did not. */
  readonly waits: Histogram
  /** How many were refused because the queue was full, or their turn came too late. */
  refused: number
  /** The queue as it is; null before it is made. */
  queue:
    | (() => { readonly running: number; readonly waiting: number; readonly maxWaiting: number })
    | null
}

/** The hashes of a process. */
export const hashing = (): HashingMeasurements => ({
  durations: new Histogram(bounds.request),
  waits: new Histogram(bounds.request),
  refused: 0,
  queue: null,
})

/** The same queue, which measures how long hashes wait and take, and counts those it refuses. */
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
