import type { Socket } from 'node:net'
import plugin from 'fastify-plugin'
import { inContextOf } from '../../events/context.ts'
import { forgetSentAnswers } from './connections.ts'

/** Requests that may wait on one connection; clients in use pipeline far fewer. */
export const maxWaitingRequests = 100

/** What is under way on a connection, and what waits behind it. */
interface Connection {
  isBusy: boolean
  readonly waiting: (() => void)[]
  /** Keeps the connection from being read, while anything waits on it. */
  readonly hold: () => void
}

/**
 * Works on the requests of one connection one after another: a pipelined request is not started
 * before the answer of the one before it is handed to the kernel. Else a client that sends and does
 * not read has as many answers in memory as it has sent requests. RFC 9112 section 9.3.2.
 *
 * While requests wait, nothing more is read from the connection; but Node parses at once what has
 * come in one piece. A connection with more than `maxWaitingRequests` is ended: nothing else frees
 * them.
 */
export const oneRequestAtATime = plugin(async (app) => {
  const connections = new WeakMap<Socket, Connection>()

  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const connection = connections.get(socket) ?? newConnection(socket)
    const start = () => {
      connection.isBusy = true
      reply.raw.once('close', () => startNext(socket, connection))
      inContextOf(request, done) // what waits would go on in the context of the request before it
    }
    if (!connection.isBusy) return start()
    if (socket.destroyed) return // no answer can reach its client
    connection.waiting.push(start)
    if (connection.waiting.length > maxWaitingRequests) {
      connection.waiting.length = 0
      endWithRest(socket)
    } else if (connection.waiting.length === 1) {
      socket.pause()
      socket.on('resume', connection.hold) // Node resumes it after each request that it has parsed
    }
  })

  function newConnection(socket: Socket): Connection {
    const connection = { isBusy: false, waiting: [], hold: () => void socket.pause() }
    connections.set(socket, connection)
    return connection
  }
})

function startNext(socket: Socket, connection: Connection): void {
  const { waiting, hold } = connection
  connection.isBusy = false
  forgetSentAnswers(socket)
  if (!socket.writable) waiting.length = 0 // it is closed, or its last answer said that it will be
  const next = waiting.shift()
  if (!next) return
  if (waiting.length === 0) {
    socket.off('resume', hold)
    socket.resume()
  }
  next()
}

/**
 * Ends a connection in the middle of a piece that may hold thousands of requests more: Node's
 * parser goes on to its end, and would make each of them a request of the service, 50 ms without a
 * turn for others. There is no public way to tell it.
 */
function endWithRest(socket: Socket): void {
  socket.destroy()
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null }
  if (parser?.onIncoming) parser.onIncoming = () => 0
}
