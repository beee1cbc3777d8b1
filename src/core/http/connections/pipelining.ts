import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { ChangeFeed } from '../../database/database.ts'
import { inContextOf } from '../../events/context.ts'
import type { Measurements } from '../../measurements/measurements.ts'
import type { Measured } from '../../measurements/requests.ts'
import { createTurns } from '../../queues/turns.ts'
import { endLater, forgetSentAnswers, serveNoMore } from './connections.ts'

/** Per connection; real clients pipeline far fewer. */
export const maxWaitingRequests = 100
/** Over all connections: each request holds some kilobytes. */
export const maxWaitingOfAll = 5000
// Waiting requests started per turn, so that other connections are served.
const maxPerTurn = 16

export interface OneRequestOptions extends TogetherDeps {
  readonly measurements: Pick<Measurements, 'requests'>
}

interface Connection {
  isBusy: boolean
  /** Nothing is served any more. */
  isDropped: boolean
  readonly waiting: (() => void)[]
  /** Pauses the connection; attached while requests wait. */
  readonly hold: () => void
}

/**
 * Serves the requests of a connection one after another, each after the previous response was
 * written to the kernel. Otherwise a client that never reads would fill memory with responses. RFC
 * 9112 section 9.3.2.
 *
 * The connection is paused while requests wait, but Node parses whole chunks. Above
 * `maxWaitingRequests` the connection closes, to free memory. Above `maxWaitingOfAll` the
 * connection is not served and closes later, because a hostile client would reconnect at once.
 *
 * Requests without a body that arrive in one turn share database reads.
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
    // Otherwise the request runs in the context of the previous request.
    const serve = () => inContextOf(request, done)
    if (!connection.isBusy) {
      start(connection, request, reply)
      if (!canWait(request)) return serve()
      return serveTogether(() => {
        if (socket.writable && !connection.isDropped) serve() // else the client is gone
      })
    }
    if (socket.destroyed) return // the client is gone
    connection.waiting.push(() => {
      start(connection, request, reply)
      serve()
    })
    waitingOfAll += 1
    if (connection.waiting.length > maxWaitingRequests) {
      drop(connection)
      serveNoMore(socket) // the chunk may contain thousands of requests
      socket.destroy()
    } else if (waitingOfAll > maxWaitingOfAll) {
      connection.isDropped = true
      drop(connection)
      endLater(socket)
    } else if (connection.waiting.length === 1) {
      socket.pause()
      socket.on('resume', connection.hold) // Node resumes after each parsed request
    }
  })

  function start(connection: Connection, request: FastifyRequest, { raw }: FastifyReply): void {
    connection.isBusy = true
    const response: ServerResponse & Measured = raw
    requests.begin(response, request.routeOptions.url, request.method)
    raw.on('close', onClose)
  }

  // One shared listener is cheaper than a closure per response.
  function onClose(this: ServerResponse & Measured): void {
    requests.end(this)
    const { socket } = this.req
    const connection = connections.get(socket)
    if (connection) startNext(socket, connection)
  }

  function startNext(socket: Socket, connection: Connection): void {
    const { waiting } = connection
    forgetSentAnswers(socket)
    if (!socket.writable) drop(connection) // closed, or "connection: close" was sent
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
 * A body could be lost if the client closed; `inject` requests belong to their caller's context.
 */
function canWait({ headers, raw: { socket } }: FastifyRequest): boolean {
  const hasBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !hasBody && socket instanceof Socket
}

export interface TogetherDeps {
  readonly feed: Pick<ChangeFeed, 'together'>
}

/**
 * Requests of one turn of the event loop share one read of the database versions, made after all
 * have arrived: earlier versions could be stale.
 */
export function together({ feed }: TogetherDeps): (serve: () => void) => void {
  const arrived: (() => void)[] = []

  function serveArrived(): void {
    try {
      feed.together(() => {
        for (let serve = arrived.shift(); serve; serve = arrived.shift()) serve()
      })
    } finally {
      if (arrived.length > 0) setImmediate(serveArrived) // an error affects no other request
    }
  }

  return (serve) => {
    if (arrived.length === 0) setImmediate(serveArrived)
    arrived.push(serve)
  }
}
