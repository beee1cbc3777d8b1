import { ApiError } from '../kernel/errors.ts'

export interface BatchQueueOptions {
  /** How many batches are made at the same time, of all callers together. */
  readonly maxRunning?: number
  /** How many batches wait before one more is refused: of all callers, and of one. */
  readonly maxWaiting?: number
  readonly maxWaitingPerCaller?: number
}

export interface BatchOptions {
  /** One batch of each caller is made at a time. */
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
 * Limits how many batches are made at the same time, to one per caller, so that long answers leave
 * the event loop and the database to other requests. The others wait in the order of arrival; a
 * waiter whose caller has a batch under way is passed over. The next batch starts one turn of the
 * event loop after a batch has ended.
 */
export function createBatchQueue({
  maxRunning = 2,
  maxWaiting = 256,
  maxWaitingPerCaller = 64,
}: BatchQueueOptions = {}): BatchQueue {
  /** Callers with a batch under way. */
  const running = new Set<string>()
  const waiters: Waiter[] = []

  const canStart = (caller: string) => running.size < maxRunning && !running.has(caller)

  function startWaiters(): void {
    for (;;) {
      const index = waiters.findIndex(({ caller }) => canStart(caller))
      if (index < 0) return
      const [waiter] = waiters.splice(index, 1)
      if (!waiter) return
      running.add(waiter.caller)
      waiter.start()
    }
  }

  function assertCanWait(caller: string): void {
    const own = waiters.filter((waiter) => waiter.caller === caller).length
    if (waiters.length < maxWaiting && own < maxWaitingPerCaller) return
    throw tooManyBatches()
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
        running.add(caller)
      } else {
        if (mayBeRefused) assertCanWait(caller)
        await wait(caller, signal)
      }
      try {
        return await work()
      } finally {
        setImmediate(() => {
          running.delete(caller)
          startWaiters()
        })
      }
    },
  }
}
