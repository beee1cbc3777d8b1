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
// Pages take under a millisecond; forms may wait for the password hash queue.
const runningPages = { maxRunning: 16, maxRunningPerCaller: 8 }
const runningForms = { maxRunning: 64, maxRunningPerCaller: 32 }
const retrySeconds = 1
// Without a reason, each abort creates an error with a stack.
const hasGone = 'gone'

/** Per process, because a process has one event loop. */
const queues = new WeakMap<FastifyInstance['server'], PageQueues>()

/**
 * Limits running and waiting requests, in total and per address; 503 beyond. Drops requests of
 * disconnected clients. Slow clients hold no slot: a slot covers only the work between body and
 * response.
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
