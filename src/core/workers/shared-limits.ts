import { createBatchQueue } from '../queues/batch-queue.ts'
import { type Counted, RequestCounts } from './request-counts.ts'
import type { BatchAnswer } from './workers.ts'

/** The limits of the machine, which the primary counts for all workers. */
export interface PrimaryLimits {
  count(asked: CountRequest): Counted
  /** Resolves to `go` when a batch of a worker may be made. */
  batch(worker: object, asked: BatchRequest): Promise<BatchAnswer>
  endBatch(worker: object, id: number): void
  /** The client of a batch that waits is gone. */
  cancelBatch(worker: object, id: number): void
  /** A worker has ended: what it held is free again. */
  forget(worker: object): void
}

export interface CountRequest {
  readonly address: string
  readonly windowMs: number
  readonly now: number
}

export interface BatchRequest {
  readonly id: number
  readonly caller: string
  readonly mayBeRefused: boolean
}

interface Held {
  readonly gone: AbortController
  readonly end: () => void
}

export function createPrimaryLimits(): PrimaryLimits {
  const requests = new RequestCounts()
  const queue = createBatchQueue()
  const held = new Map<object, Map<number, Held>>()

  return {
    // A copy: the answer is sent later, when further requests may have been counted.
    count: ({ address, windowMs, now }) => ({ ...requests.count(address, windowMs, now) }),

    async batch(worker, { id, caller, mayBeRefused }) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const gone = new AbortController()
      const own = held.get(worker) ?? new Map<number, Held>()
      held.set(worker, own.set(id, { gone, end }))
      return new Promise((answer) => {
        const made = queue.make(
          () => {
            answer('go')
            return ended
          },
          { caller, mayBeRefused, signal: gone.signal },
        )
        made.catch(() => {
          answer(gone.signal.aborted ? 'gone' : 'refused')
          own.delete(id)
        })
      })
    },

    endBatch(worker, id) {
      held.get(worker)?.get(id)?.end()
      held.get(worker)?.delete(id)
    },

    cancelBatch: (worker, id) => held.get(worker)?.get(id)?.gone.abort(),

    forget(worker) {
      for (const { gone, end } of held.get(worker)?.values() ?? []) {
        gone.abort()
        end()
      }
      held.delete(worker)
    },
  }
}
