import { availableParallelism } from 'node:os'
import { type WorkQueue, workQueue } from '../bounded/work-queue.ts'

/**
 * Lets a hash per core run at once, and a bounded number wait. Hashing shares libuv's threads with
 * everything else: one of them is always left, so that a flood of logins does not starve token
 * checks, and cannot fill the memory.
 */
export interface HashingQueue extends WorkQueue {
  /** How many run at once, at most. */
  readonly atOnce: number
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
  running = hashesAtOnce(availableParallelism(), process.env.UV_THREADPOOL_SIZE),
  waiting = defaultWaiting,
}: HashingQueueOptions = {}): HashingQueue {
  return {
    atOnce: running,
    ...workQueue({ running, waiting, retryAfterSeconds, reason: 'too many passwords wait' }),
  }
}
