import { availableParallelism } from 'node:os'
import { ApiError } from '../kernel/errors.ts'

/**
 * Lets as many hashes run at once as there are cores, and a bounded number wait: hashing shares
 * libuv's threads with everything else, and a flood of logins must not starve token checks or
 * fill the memory.
 */
export interface HashingQueue {
  /** Runs the work when its turn comes. @throws ApiError serviceUnavailable where the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>
}

export interface HashingQueueOptions {
  readonly running?: number
  readonly waiting?: number
}

const defaultWaiting = 128
const retryAfterSeconds = 2

export function hashingQueue({
  running: mostRunning = Math.max(1, availableParallelism()),
  waiting: mostWaiting = defaultWaiting,
}: HashingQueueOptions = {}): HashingQueue {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    async run(work) {
      if (running < mostRunning) running += 1
      else if (waiting.length < mostWaiting) await new Promise<void>((go) => waiting.push(go))
      else throw new ApiError('serviceUnavailable', { retryAfterSeconds })
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next)
          next() // the place passes on without becoming free
        else running -= 1
      }
    },
  }
}
