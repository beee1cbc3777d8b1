import { ApiError } from '../../kernel/errors.ts'

export interface BatchQueueOptions {
  /** Batches that are made at once, of all callers together. */
  readonly maxAtOnce?: number
  /** Batches that may wait when one more is to be refused: of all callers, and of one. */
  readonly maxWaiting?: number
  readonly maxWaitingPerCaller?: number
}

export interface BatchOptions {
  /** Who asks: one batch of each is made at once. */
  readonly caller: string
  /** Whether it is refused where too many wait: the first batch of an answer that may be. */
  readonly mayBeRefused: boolean
  /** Gives the place in the queue up. */
  readonly signal: AbortSignal
}

/** Places for the batches of bulk answers: see `createBatchQueue`. */
export interface BatchQueue {
  /**
   * Makes a batch once it has a place, and frees the place with it.
   * @throws ApiError serviceUnavailable where too many wait, badRequest when the client is gone
   */
  make<T>(work: () => Promise<T>, options: BatchOptions): Promise<T>
}

interface Waiter {
  readonly caller: string
  readonly start: () => void
}

const retrySeconds = 1

/**
 * Lets few batches be made at once, and one per caller, so that long answers leave the event loop
 * and the database to others. The rest wait in the order in which they came; a waiter whose caller
 * has a batch under way lets those behind it pass. A place is free again a turn of the event loop
 * later.
 */
export function createBatchQueue({
  maxAtOnce = 2,
  maxWaiting = 256,
  maxWaitingPerCaller = 64,
}: BatchQueueOptions = {}): BatchQueue {
  /** Callers with a batch under way. */
  const atWork = new Set<string>()
  const waiters: Waiter[] = []

  const hasPlace = (caller: string) => atWork.size < maxAtOnce && !atWork.has(caller)

  function startWaiters(): void {
    for (;;) {
      const index = waiters.findIndex(({ caller }) => hasPlace(caller))
      if (index < 0) return
      const [waiter] = waiters.splice(index, 1)
      if (!waiter) return
      atWork.add(waiter.caller)
      waiter.start()
    }
  }

  function assertRoom(caller: string): void {
    const own = waiters.filter((waiter) => waiter.caller === caller).length
    if (waiters.length < maxWaiting && own < maxWaitingPerCaller) return
    throw new ApiError('serviceUnavailable', {
      cause: 'too many large answers wait',
      retryAfterSeconds: retrySeconds,
    })
  }

  function wait(caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiters.splice(waiters.indexOf(waiter), 1)
        reject(new ApiError('badRequest')) // the client is gone: no one reads this answer
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
      if (signal.aborted) throw new ApiError('badRequest')
      if (hasPlace(caller)) {
        atWork.add(caller)
      } else {
        if (mayBeRefused) assertRoom(caller)
        await wait(caller, signal)
      }
      try {
        return await work()
      } finally {
        setImmediate(() => {
          atWork.delete(caller)
          startWaiters()
        })
      }
    },
  }
}
