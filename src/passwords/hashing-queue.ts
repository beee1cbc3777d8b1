import { type WorkQueue, workQueue } from '../bounded/work-queue.ts'

/**
 * Runs a limited number of hashes at a time; a limited number waits. Hashing uses the thread pool of
 * libuv, as other work does. One thread of the pool always stays free, so that a flood of logins
 * neither delays the checks of tokens nor fills the memory.
 */
export interface HashingQueue extends WorkQueue {
  /** How many hashes run at a time, at most. */
  readonly concurrency: number
}

export interface HashingQueueOptions {
  readonly running: number
  readonly waiting?: number
}

const defaultWaiting = 128
export const retryAfterSeconds = 2

export function hashingQueue({
  running,
  waiting = defaultWaiting,
}: HashingQueueOptions): HashingQueue {
  return {
    concurrency: running,
    ...workQueue({ running, waiting, retryAfterSeconds, reason: 'too many passwords wait' }),
  }
}
