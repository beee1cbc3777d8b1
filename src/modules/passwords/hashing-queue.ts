import { type WorkQueue, workQueue } from '../../core/queues/work-queue.ts'

/**
 * Bounds running and waiting hashes. One libuv thread always stays free, so that a flood of logins
 * neither delays token checks nor exhausts memory.
 */
export interface HashingQueue extends WorkQueue {
  readonly concurrency: number
  readonly maxWaiting: number
}

export interface HashingQueueOptions {
  /** Maximum on this machine. */
  readonly running: number
  readonly waiting?: number
  /** This process's share; default: all. */
  readonly share?: (total: number) => number
}

const defaultWaiting = 128
export const retryAfterSeconds = 2

/** WORKERS share the slots, at least one each. */
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
