import { type WorkQueue, workQueue } from '../../core/queues/work-queue.ts'

/**
 * Runs a limited number of hashes at a time; a limited number waits. Hashing uses the thread pool of
 * libuv, as other work does. One thread of the pool always stays free, so that a flood of logins
 * neither delays the checks of tokens nor fills the memory.
 */
export interface HashingQueue extends WorkQueue {
  /** How many hashes run at a time, at most. */
  readonly concurrency: number
  /** How many hashes wait, at most. */
  readonly maxWaiting: number
}

export interface HashingQueueOptions {
  /** How many hashes run at a time, at most, on this machine. */
  readonly running: number
  readonly waiting?: number
  /** The share of this process in both; all of it unless given. */
  readonly share?: (total: number) => number
}

const defaultWaiting = 128
export const retryAfterSeconds = 2

/** The queue of one process: WORKERS divide its places, and each has one at least. */
export function hashingQueue({
  running,
  waiting = defaultWaiting,
  share = (total) => total,
}: HashingQueueOptions): HashingQueue {
  const [concurrency, maxWaiting] = [share(running), share(waiting)]
  return {
    ...{ concurrency, maxWaiting },
    ...workQueue({
      running: concurrency,
      waiting: maxWaiting,
      retryAfterSeconds,
      reason: 'too many passwords wait',
    }),
  }
}
