import type { FastifyInstance, FastifyRequest } from 'fastify'
import { throttledAddress } from '../../addresses/address.ts'
import { ApiError } from '../../errors.ts'
import { inContextOf } from '../../events/context.ts'
import { type BatchQueue, createBatchQueue } from '../../queues/batch-queue.ts'
import { clientAddress } from './client-address.ts'

interface PageQueues {
  readonly pages: BatchQueue
  readonly forms: BatchQueue
}

const waiting = { maxWaiting: 256, maxWaitingPerCaller: 64 }
// A page takes less than a millisecond of the event loop; a form may wait for the hash of a password,
// whose queue has limits of its own.
const runningPages = { maxRunning: 16, maxRunningPerCaller: 8 }
const runningForms = { maxRunning: 64, maxRunningPerCaller: 32 }
const retrySeconds = 1
// Without a reason, each abort would create an error with its stack.
const hasGone = 'gone'

/** One set of queues for each process, because each process has one event loop. Its modules share them. */
const queues = new WeakMap<FastifyInstance['server'], PageQueues>()

/**
 * Limits how many requests of these routes are worked on at the same time, of all clients and of one
 * address, and how many wait; one more is 503. The request of a client that has gone is dropped. The
 * work begins behind the body and ends with the text of the answer, so that a client that sends or
 * reads slowly takes no place.
 */
export function limitPageRequests(
  app: FastifyInstance,
  isForPage: (request: FastifyRequest) => boolean = () => true,
): void {
  const ends = new WeakMap<FastifyRequest, () => void>()
  const { pages, forms } = queues.get(app.server) ?? {
    pages: createBatchQueue({ ...runningPages, ...waiting, refusal }),
    forms: createBatchQueue({ ...runningForms, ...waiting, refusal }),
  }
  queues.set(app.server, { pages, forms })

  app.addHook('preHandler', (request, reply, done) => {
    if (!isForPage(request)) return done()
    const queue = request.method === 'POST' ? forms : pages
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const gone = new AbortController()
    const work = () => {
      inContextOf(request, done)
      return ended
    }
    ends.set(request, end)
    reply.raw.once('close', () => {
      end()
      gone.abort(hasGone)
    })
    const caller = throttledAddress(clientAddress(request))
    queue
      .make(work, { caller, mayBeRefused: true, signal: gone.signal })
      .catch((error: ApiError) => {
        if (!gone.signal.aborted) inContextOf(request, () => done(error))
      })
  })

  app.addHook('onSend', (request, _reply, _payload, done) => {
    ends.get(request)?.()
    done()
  })
}

function refusal(): ApiError {
  const queue = 'pages'
  return new ApiError('serviceUnavailable', {
    cause: 'too many requests for pages wait',
    reason: { code: 'queue_full', facts: { queue } },
    retryAfterSeconds: retrySeconds,
  })
}
