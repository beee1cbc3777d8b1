import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { inContextOf } from '../../events/context.ts'
import type { Measurements } from '../../measurements/measurements.ts'
import type { Measured } from '../../measurements/requests.ts'
import { createTurns } from '../../queues/turns.ts'
import { endLater, forgetSentAnswers, serveNoMore } from './connections.ts'
import { type TogetherDeps, together } from './together.ts'

/** How many requests wait on one connection; real clients pipeline far fewer. */
export const maxWaitingRequests = 100
/** How many wait on all connections together: each holds some kilobytes of memory. */
export const maxWaitingOfAll = 5000
// How many waiting requests start in one turn of the event loop, so that others are served between.
const maxPerTurn = 16

export interface OneRequestOptions extends TogetherDeps {
  readonly measurements: Pick<Measurements, 'requests'>
}

/** Whether a request of a connection is under way, and the requests that wait for it. */
interface Connection {
  isBusy: boolean
  /** Whether nothing of it is served any more. */
  isDropped: boolean
  readonly waiting: (() => void)[]
  /** Pauses the connection again; attached while requests wait on it. */
  readonly hold: () => void
}

/**
 * Serves the requests of a connection one after another: a pipelined request starts when the answer
 * to the one before it has been written to the kernel. Otherwise a client that sends and does not
 * read would have as many answers in memory as it has sent requests. RFC 9112 section 9.3.2.
 *
 * While requests wait, the connection is not read; but Node parses all requests of a chunk at once.
 * A connection with more than `maxWaitingRequests` is ended, because nothing else frees their
 * memory. While `maxWaitingOfAll` wait, a connection with a further request is served no more, and
 * ended later, because a hostile client would connect again at once. Requests of a connection that
 * has closed are dropped.
 *
 * Requests without a body that arrive in one turn of the event loop are served together, after all
 * of them have been read: what the database tells all of them alike is then read once.
 */
export const oneRequestAtATime = plugin<OneRequestOptions>(async (app, { feed, measurements }) => {
  const { requests } = measurements
  const serveTogether = together({ feed })
  const connections = new WeakMap<Socket, Connection>()
  const inTurn = createTurns(maxPerTurn)
  let waitingOfAll = 0

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const connection = connections.get(socket) ?? newConnection(socket)
    // Otherwise a waiting request would run in the context of the last.
    const serve = () => inContextOf(request, done)
    if (!connection.isBusy) {
      start(connection, request, reply)
      if (!canWait(request)) return serve()
      return serveTogether(() => {
        if (socket.writable && !connection.isDropped) serve() // else no answer can reach its client
      })
    }
    if (socket.destroyed) return // no answer can reach its client
    connection.waiting.push(() => {
      start(connection, request, reply)
      serve()
    })
    waitingOfAll += 1
    if (connection.waiting.length > maxWaitingRequests) {
      drop(connection)
      serveNoMore(socket) // the rest of the chunk may hold thousands of requests
      socket.destroy()
    } else if (waitingOfAll > maxWaitingOfAll) {
      connection.isDropped = true
      drop(connection)
      endLater(socket)
    } else if (connection.waiting.length === 1) {
      socket.pause()
      socket.on('resume', connection.hold) // Node resumes the socket after each parsed request
    }
  })

  function start(connection: Connection, request: FastifyRequest, { raw }: FastifyReply): void {
    connection.isBusy = true
    const response: ServerResponse & Measured = raw
    requests.begin(response, request.routeOptions.url, request.method)
    raw.on('close', onClose)
  }

  // One listener for all answers: it takes less than a function of its own for each.
  function onClose(this: ServerResponse & Measured): void {
    requests.end(this)
    const { socket } = this.req
    const connection = connections.get(socket)
    if (connection) startNext(socket, connection)
  }

  function startNext(socket: Socket, connection: Connection): void {
    const { waiting } = connection
    forgetSentAnswers(socket)
    if (!socket.writable) drop(connection) // it is closed, or its last answer said "connection: close"
    if (waiting.length === 0) {
      connection.isBusy = false
      return
    }
    inTurn(() => {
      if (!socket.writable) drop(connection)
      const next = waiting.shift()
      if (!next) return
      waitingOfAll -= 1
      if (waiting.length === 0) {
        socket.off('resume', connection.hold)
        socket.resume()
      }
      next()
    })
  }

  function drop({ waiting }: Connection): void {
    waitingOfAll -= waiting.length
    waiting.length = 0
  }

  function newConnection(socket: Socket): Connection {
    const connection = {
      isBusy: false,
      isDropped: false,
      waiting: [],
      hold: () => void socket.pause(),
    }
    connections.set(socket, connection)
    return connection
  }
})

/**
 * Whether a request can wait until others have arrived. A body could be lost if its client closed
 * the connection meanwhile, and a request of `inject` belongs to the context of its caller.
 */
function canWait({ headers, raw: { socket } }: FastifyRequest): boolean {
  const hasBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !hasBody && socket instanceof Socket
}
