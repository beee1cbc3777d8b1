import { ApiError } from './errors.ts'

/** Lets so many pieces of work run at once, and a bounded number wait, in the order of arrival. */
export interface WorkQueue {
  /** Runs the work in its turn. @throws ApiError serviceUnavailable where the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>
}

export interface WorkQueueOptions {
  readonly running: number
  readonly waiting: number
  /** What a caller is told whom the queue has no room for. */
  readonly retryAfterSeconds: number
  /** The same for the log. */
  readonly reason: string
}

export function workQueue({
  running: maxRunning,
  waiting: maxWaiting,
  retryAfterSeconds,
  reason,
}: WorkQueueOptions): WorkQueue {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    async run(work) {
      if (running < maxRunning) running += 1
      else if (waiting.length < maxWaiting) await new Promise<void>((go) => waiting.push(go))
      else throw new ApiError('serviceUnavailable', { cause: reason, retryAfterSeconds })
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
