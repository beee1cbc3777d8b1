import { ApiError } from '../../core/errors.ts'
import type { HashingMeasurements } from '../../core/measurements/measurements.ts'
import type { WorkQueue } from '../../core/queues/work-queue.ts'
import type { HashingQueue } from './hashing-queue.ts'

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
