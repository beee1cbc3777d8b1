import { availableParallelism } from 'node:os'
import { type WorkQueue, workQueue } from '../bounded/work-queue.ts'

/**
 * Runs at most one hash per core at a time; a limited number waits. Hashing uses the thread pool of
 * libuv, as other work does. One thread of the pool always stays free, so that a flood of logins
 * neither delays the checks of tokens nor fills the memory.
 */
export interface HashingQueue extends WorkQueue {
  /** How many hashes run at a time, at most. */
  readonly concurrency: number
}

export interface HashingQueueOptions {
  /** The share of this process in a limit of the machine; all of it unless given. */
  readonly share?: (total: number) => number
  readonly running?: number
  readonly waiting?: number
}

const defaultWaiting = 128
export const retryAfterSeconds = 2
// https://docs.libuv.org/en/v1.x/threadpool.html
const defaultPoolSize = 4

/** How many hashes may run at a time: one per core, and fewer than the pool has threads. */
export function hashConcurrency(cores: number, poolSize: string | undefined): number {
  const threads = poolSize === undefined ? defaultPoolSize : Number.parseInt(poolSize, 10)
  return Math.max(1, Math.min(cores, (threads || 1) - 1))
}

/** The queue of one process: WORKERS divide its places, and each has one at least. */
export function hashingQueue({
  share = (total) => total,
  running = share(hashConcurrency(availableParallelism(), process.env.UV_THREADPOOL_SIZE)),
  waiting = share(defaultWaiting),
}: HashingQueueOptions = {}): HashingQueue {
  return {
    concurrency: running,
    ...workQueue({ running, waiting, retryAfterSeconds, reason: 'too many passwords wait' }),
  }
}
