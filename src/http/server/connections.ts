import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * The answers of a connection that are not sent yet, the next one first; and the last one, also when it
 * is sent. An answer that is sent must not be kept by those behind it: with it goes what it was made of.
 */
const answers = new WeakMap<Duplex, ServerResponse[]>()
/** Connections that end with an answer already under way or queued. */
const over = new WeakSet<Duplex>()

// How long a client may go on sending after the answer that closes its connection.
const lingerMs = 2_000

/**
 * Prepares every connection of a server. Node takes its own `error` listener away after the first
 * error, and with it the last guard between a reset and the end of the process: this one stays.
 */
export function prepareConnections(server: Server): Connections {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', ignore)
    // Read once while there is a peer: Node remembers it, also for a connection that was reset.
    void socket.remoteAddress
    socket.destroySoon = closeWhenRead
  })
  return {
    endUnanswered() {
      for (const socket of sockets) if (!isAnswering(socket)) socket.destroy()
    },
  }
}

/** The open connections of a server. */
export interface Connections {
  /** Ends those on which no request is being answered, one whose header is not whole among them. */
  endUnanswered(): void
}

function isAnswering(socket: Socket): boolean {
  return lastAnswerOf(socket)?.writableFinished === false
}

function ignore(): void {}

export function startAnswer(response: ServerResponse): void {
  const { socket } = response.req
  const waiting = answers.get(socket)
  if (waiting) waiting.push(response)
  else answers.set(socket, [response])
  forgetSentAnswers(socket)
}

/** To be called when an answer is sent. */
export function forgetSentAnswers(socket: Duplex): void {
  const waiting = answers.get(socket) ?? []
  while (waiting.length > 1 && waiting[0]?.writableFinished) waiting.shift()
}

export function lastAnswerOf(socket: Duplex): ServerResponse | undefined {
  return answers.get(socket)?.at(-1)
}

/** The answer that this one waits for; undefined where it is the next to be sent. */
export function answerAheadOf(response: ServerResponse): ServerResponse | undefined {
  const waiting = answers.get(response.req.socket) ?? []
  const ahead = waiting[waiting.indexOf(response) - 1]
  return ahead?.writableFinished === false ? ahead : undefined
}

/** The connection closes with the answer to the present request: nothing behind it is served. */
export function serveNoMore(socket: Duplex): void {
  over.add(socket)
}

export function isOver(socket: Duplex): boolean {
  return over.has(socket)
}

/** Sends the last bytes of a connection, and closes it whatever the client does. */
export function endWith(socket: Duplex, text: string): void {
  serveNoMore(socket)
  socket.end(text)
  destroyLater(socket)
}

/**
 * In place of Socket.destroySoon, which http calls behind the last answer. Where the client is
 * still sending, closing at once would reset the connection, and the client would lose the answer
 * before it has read it: the rest is read and discarded for a while. RFC 9112 section 9.6.
 */
function closeWhenRead(this: Socket): void {
  const request = lastAnswerOf(this)?.req
  if (!request || request.complete || request.destroyed) {
    Socket.prototype.destroySoon.call(this)
    return
  }
  this.end()
  request.once('end', () => this.destroy())
  request.resume()
  destroyLater(this)
}

function destroyLater(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
