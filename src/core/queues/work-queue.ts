import { ApiError } from '../errors.ts'

/** Limits running and waiting tasks; first come, first served. */
export interface WorkQueue {
  /** @throws ApiError serviceUnavailable if full */
  run<T>(work: () => Promise<T>): Promise<T>
  state(): { readonly running: number; readonly waiting: number }
}

export interface WorkQueueOptions {
  readonly running: number
  readonly waiting: number
  /** For rejected callers. */
  readonly retryAfterSeconds: number
  /** Logged for rejected callers. */
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
          next() // the next task keeps the count
        else running -= 1
      }
    },
  }
}
