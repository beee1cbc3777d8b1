import { ApiError } from '../errors.ts'

export interface BatchQueueOptions {
  /** Concurrent batches: in total, and per caller. */
  readonly maxRunning?: number
  readonly maxRunningPerCaller?: number
  /** Waiting batches before rejection: in total, and per caller. */
  readonly maxWaiting?: number
  readonly maxWaitingPerCaller?: number
  readonly refusal?: () => ApiError
}

export interface BatchOptions {
  /** Concurrency is limited per caller, by default to one. */
  readonly caller: string
  /** False: always waits. */
  readonly mayBeRefused: boolean
  /** Aborting removes the batch. */
  readonly signal: AbortSignal
}

/** For bulk responses: see `createBatchQueue`. */
export interface BatchQueue {
  /**
   * @throws ApiError serviceUnavailable if too many wait, badRequest if the client has disconnected
   */
  make<T>(work: () => Promise<T>, options: BatchOptions): Promise<T>
}

interface Waiter {
  readonly caller: string
  readonly start: () => void
}

const retrySeconds = 1

export function tooManyBatches(): ApiError {
  return new ApiError('serviceUnavailable', {
    cause: 'too many large answers wait',
    reason: { code: 'large_answers_wait' },
    retryAfterSeconds: retrySeconds,
  })
}

export function clientGone(): ApiError {
  return new ApiError('badRequest', { reason: { code: 'client_gone' } })
}

/**
 * Limits concurrent batches, by default to one per caller, so that long responses leave the event
 * loop and database to others. First come, first served, but callers at their limit are skipped.
 * The next batch starts one event loop turn later.
 */
export function createBatchQueue({
  maxRunning = 2,
  maxRunningPerCaller = 1,
  maxWaiting = 256,
  maxWaitingPerCaller = 64,
  refusal = tooManyBatches,
}: BatchQueueOptions = {}): BatchQueue {
  /** Per caller. */
  const running = new Map<string, number>()
  let allRunning = 0
  const waiters: Waiter[] = []

  const canStart = (caller: string) =>
    allRunning < maxRunning && (running.get(caller) ?? 0) < maxRunningPerCaller

  function count(caller: string, change: 1 | -1): void {
    allRunning += change
    const ofCaller = (running.get(caller) ?? 0) + change
    if (ofCaller === 0) running.delete(caller)
    else running.set(caller, ofCaller)
  }

  function startWaiters(): void {
    for (;;) {
      const index = waiters.findIndex(({ caller }) => canStart(caller))
      if (index < 0) return
      const [waiter] = waiters.splice(index, 1)
      if (!waiter) return
      count(waiter.caller, 1)
      waiter.start()
    }
  }

  function assertCanWait(caller: string): void {
    const own = waiters.filter((waiter) => waiter.caller === caller).length
    if (waiters.length < maxWaiting && own < maxWaitingPerCaller) return
    throw refusal()
  }

  function wait(caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiters.splice(waiters.indexOf(waiter), 1)
        reject(clientGone())
      }
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const waiter = { caller, start }
      waiters.push(waiter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    async make(work, { caller, mayBeRefused, signal }) {
      if (signal.aborted) throw clientGone()
      if (canStart(caller)) {
        count(caller, 1)
      } else {
        if (mayBeRefused) assertCanWait(caller)
        await wait(caller, signal)
      }
      try {
        return await work()
      } finally {
        setImmediate(() => {
          count(caller, -1)
          startWaiters()
        })
      }
    },
  }
}
