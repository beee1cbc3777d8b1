import { availableParallelism } from 'node:os'
import { ApiError } from '../kernel/errors.ts'

/**
 * Lets a hash per core run at once, and a bounded number wait. Hashing shares libuv's threads with
 * everything else: one of them is always left, so that a flood of logins does not starve token
 * checks, and cannot fill the memory.
 */
export interface HashingQueue {
  /** How many run at once, at most. */
  readonly atOnce: number
  /** Runs the work when its turn comes. @throws ApiError serviceUnavailable where the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>
}

export interface HashingQueueOptions {
  readonly running?: number
  readonly waiting?: number
}

const defaultWaiting = 128
export const retryAfterSeconds = 2
// https://docs.libuv.org/en/v1.x/threadpool.html
const defaultPoolSize = 4

/** One per core, but one thread less than the pool has. */
export function hashesAtOnce(cores: number, poolSize: string | undefined): number {
  const threads = poolSize === undefined ? defaultPoolSize : Number.parseInt(poolSize, 10)
  return Math.max(1, Math.min(cores, (threads || 1) - 1))
}

export function hashingQueue({
  running: mostRunning = hashesAtOnce(availableParallelism(), process.env.UV_THREADPOOL_SIZE),
  waiting: mostWaiting = defaultWaiting,
}: HashingQueueOptions = {}): HashingQueue {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    atOnce: mostRunning,

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
