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
    readonly batchQueue: BatchQueue
  }
}

/** Produces a batch in turn. */
export type MakeBatch = <T>(work: () => Promise<T>) => Promise<T>

/** Workers share the queue of their primary. */
export const bulkAnswers = plugin<{ readonly workers: Pick<Workers, 'limits'> }>(
  async (app, { workers }) => {
    app.decorate('batchQueue', workers.limits ? sharedQueue(workers.limits) : createBatchQueue())
  },
)

/**
 * Stops when the client disconnects. If the queue is full, a rejectable response fails at its first
 * batch.
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

/** The caller, or the client's address. */
function callerName(request: FastifyRequest): string {
  const { principal } = request
  return principal
    ? `account ${principal.subject}`
    : `address ${throttledAddress(clientAddress(request))}`
}

/** Shared by all workers. */
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
