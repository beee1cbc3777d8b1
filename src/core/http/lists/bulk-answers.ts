import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { throttledAddress } from '../../addresses/address.ts'
import {
  type BatchQueue,
  clientGone,
  createBatchQueue,
  tooManyBatches,
} from '../../queues/batch-queue.ts'
import type { SharedLimits, Workers } from '../../workers/workers.ts'
import { clientAddress } from '../limits/client-address.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The queue of the batches of all bulk answers. */
    readonly batchQueue: BatchQueue
  }
}

/** Makes a batch of an answer when its turn comes. */
export type MakeBatch = <T>(work: () => Promise<T>) => Promise<T>

/** Adds the queue to the service; workers share the one of their primary. */
export const bulkAnswers = plugin<{ readonly workers: Pick<Workers, 'limits'> }>(
  async (app, { workers }) => {
    app.decorate('batchQueue', workers.limits ? sharedQueue(workers.limits) : createBatchQueue())
  },
)

/**
 * Answers a function that makes the batches of one answer in turn, and none once the client is
 * gone. If too many batches wait, an answer that may be refused is refused at its first batch.
 * @throws ApiError serviceUnavailable
 */
export function inTurn(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    mayBeRefused,
    queue = request.server.batchQueue,
  }: { readonly mayBeRefused: boolean; readonly queue?: BatchQueue },
): MakeBatch {
  const gone = new AbortController()
  if (reply.raw.destroyed) gone.abort()
  reply.raw.once('close', () => gone.abort())
  const caller = callerName(request)
  let isFirst = true
  return (work) => {
    const options = { caller, mayBeRefused: mayBeRefused && isFirst, signal: gone.signal }
    isFirst = false
    return queue.make(work, options)
  }
}

/** The name by which the queue counts: the authenticated caller, otherwise the client's address. */
function callerName(request: FastifyRequest): string {
  const { principal } = request
  return principal
    ? `account ${principal.subject}`
    : `address ${throttledAddress(clientAddress(request))}`
}

/** The queue of all workers, of which each batch asks its turn. */
function sharedQueue(limits: SharedLimits): BatchQueue {
  return {
    async make(work, options) {
      if (options.signal.aborted) throw clientGone()
      const { answer, leave } = await limits.enterBatch(options)
      try {
        if (answer === 'refused') throw tooManyBatches()
        if (answer === 'gone') throw clientGone()
        return await work()
      } finally {
        leave()
      }
    },
  }
}
