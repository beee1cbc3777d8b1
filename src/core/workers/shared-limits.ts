import { createBatchQueue } from '../queues/batch-queue.ts'
import { type Counted, RequestCounts } from './request-counts.ts'
import type { BatchAnswer, BatchRequest, CountRequest } from './topics.ts'

/** Limits of the machine, counted by the primary for all workers. */
export interface PrimaryLimits {
  count(asked: CountRequest): Counted
  /** Resolves to `go` when the batch may run. */
  batch(worker: object, asked: BatchRequest): Promise<BatchAnswer>
  endBatch(worker: object, id: number): void
  cancelBatch(worker: object, id: number): void
  /** Releases everything of an ended worker. */
  forget(worker: object): void
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
    // Copy: the count may change before the answer is sent.
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
