import { ApiError } from '../errors.ts'

export interface BatchQueueOptions {
  /** How many batches run at the same time: of all callers, and of each caller. */
  readonly maxRunning?: number
  readonly maxRunningPerCaller?: number
  /** How many batches wait before one more is refused: of all callers, and of one. */
  readonly maxWaiting?: number
  readonly maxWaitingPerCaller?: number
  /** The refusal of a batch while too many wait. */
  readonly refusal?: () => ApiError
}

export interface BatchOptions {
  /** Few batches of a caller are made at a time, by default one. */
  readonly caller: string
  /** Whether the batch is refused if too many wait. */
  readonly mayBeRefused: boolean
  /** Removes the batch from the queue when aborted. */
  readonly signal: AbortSignal
}

/** The queue of the batches of bulk answers: see `createBatchQueue`. */
export interface BatchQueue {
  /**
   * Makes a batch when its turn comes.
   * @throws ApiError serviceUnavailable if too many wait, badRequest if the client is gone
   */
  make<T>(work: () => Promise<T>, options: BatchOptions): Promise<T>
}

interface Waiter {
  readonly caller: string
  readonly start: () => void
}

const retrySeconds = 1

/** The refusal of a batch while too many wait. */
export function tooManyBatches(): ApiError {
  return new ApiError('serviceUnavailable', {
    cause: 'too many large answers wait',
    reason: { code: 'large_answers_wait' },
    retryAfterSeconds: retrySeconds,
  })
}

/** The end of a batch whose client is gone, and does not read this answer. */
export function clientGone(): ApiError {
  return new ApiError('badRequest', { reason: { code: 'client_gone' } })
}

/**
 * Limits how many batches are made at the same time, by default to one per caller, so that long
 * answers leave the event loop and the database to other requests. The other batches wait in the order
 * of arrival; a batch is passed over while its caller is at its limit. The next batch starts one turn of the
 * event loop after a batch has ended.
 */
export function createBatchQueue({
  maxRunning = 2,
  maxRunningPerCaller = 1,
  maxWaiting = 256,
  maxWaitingPerCaller = 64,
  refusal = tooManyBatches,
}: BatchQueueOptions = {}): BatchQueue {
  /** How many batches of each caller are under way. */
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
