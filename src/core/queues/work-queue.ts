import { ApiError } from '../errors.ts'

/** Runs a limited number of tasks at a time; a limited number waits, in the order of arrival. */
export interface WorkQueue {
  /** Runs the work in its turn. @throws ApiError serviceUnavailable if the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>
  /** How many tasks run and wait now. */
  state(): { readonly running: number; readonly waiting: number }
}

export interface WorkQueueOptions {
  readonly running: number
  readonly waiting: number
  /** The Retry-After of a caller that the full queue refuses. */
  readonly retryAfterSeconds: number
  /** Why such a caller is refused, for the log. */
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

  const full = () =>
    new ApiError('serviceUnavailable', {
      cause: reason,
      retryAfterSeconds,
      reason: { code: 'queue_full', facts: { queue: reason } },
    })

  return {
    state: () => ({ running, waiting: waiting.length }),
    async run(work) {
      if (running < maxRunning) running += 1
      else if (waiting.length < maxWaiting) await new Promise<void>((go) => waiting.push(go))
      else throw full()
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next)
          next() // the next task takes over without a change of the count
        else running -= 1
      }
    },
  }
}
