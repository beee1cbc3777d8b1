import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * The unsent answers of a connection, the next one first, and its last answer even if it is sent.
 * Other sent answers are removed, so that the memory they refer to is freed.
 */
const answers = new WeakMap<Duplex, ServerResponse[]>()
/** Connections that close after an answer that is under way or queued. */
const over = new WeakSet<Duplex>()

// How long a client may go on sending after the answer that closes its connection.
const lingerMs = 2_000
// How long a connection that is served no more stays open: not all until the same moment, because
// their clients may connect again at once.
const minHeldMs = 4_000
const maxHeldMs = 8_000
const heldStepMs = 50

/**
 * Prepares every connection of a server. Node removes its own `error` listener after the first
 * error, and a later error without a listener would end the process: the listener added here stays.
 */
export function prepareConnections(server: Server): Connections {
  const sockets = new Set<Socket>()
  const prepare = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', ignore)
    // Node caches the address at the first read; after a reset it could not be read any more.
    void socket.remoteAddress
  }
  const serve = (socket: Socket) => {
    prepare(socket)
    socket.destroySoon = closeWhenRead
  }
  if (speaksTls(server)) {
    server.on('connection', (socket: Socket) => {
      prepare(socket)
      rememberTransport(socket)
    })
    server.on('secureConnection', (socket: Socket) => {
      const transport = transportOf(socket)
      // The TLS socket stands for the connection from here on.
      if (transport) sockets.delete(transport)
      serve(socket)
    })
  } else {
    server.on('connection', serve)
  }
  return {
    closeAfterAnswers() {
      for (const socket of sockets) {
        for (const answer of answers.get(socket) ?? []) {
          if (!answer.headersSent) answer.setHeader('connection', 'close')
        }
      }
    },
    endUnanswered() {
      for (const socket of sockets) if (!isAnswering(socket)) socket.destroy()
    },
  }
}

/** Whether the connections of a server begin with a TLS handshake. */
export function speaksTls(server: Server): boolean {
  return 'setSecureContext' in server
}

/** The open TCP sockets below TLS, by the addresses of both ends. */
const transports = new Map<string, Socket>()

function rememberTransport(socket: Socket): void {
  const ends = endsOf(socket)
  transports.set(ends, socket)
  socket.once('close', () => {
    if (transports.get(ends) === socket) transports.delete(ends)
  })
}

/** Returns the TCP socket below a TLS socket, which has the same addresses; undefined for a TCP socket. */
export function transportOf(socket: Socket): Socket | undefined {
  return transports.get(endsOf(socket))
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
}

/** The open connections of a server. */
export interface Connections {
  /** Lets the answers whose header is not sent yet close their connections. */
  closeAfterAnswers(): void
  /** Closes those without an unsent answer, including those with an incomplete header. */
  endUnanswered(): void
}

function isAnswering(socket: Socket): boolean {
  return lastAnswerOf(socket)?.writableFinished === false
}

function ignore(): void {}

/** Notes an answer as the last one of its connection. */
export function startAnswer(response: ServerResponse): void {
  const { socket } = response.req
  const waiting = answers.get(socket)
  if (waiting) waiting.push(response)
  else answers.set(socket, [response])
  forgetSentAnswers(socket)
}

/** Removes the sent answers of a connection, except the last. Call it when an answer is sent. */
export function forgetSentAnswers(socket: Duplex): void {
  const waiting = answers.get(socket) ?? []
  while (waiting.length > 1 && waiting[0]?.writableFinished) waiting.shift()
}

/** Answers the last answer of a connection; undefined before the first. */
export function lastAnswerOf(socket: Duplex): ServerResponse | undefined {
  return answers.get(socket)?.at(-1)
}

/** The answer that this one waits for; undefined if it is the next to be sent. */
export function answerAheadOf(response: ServerResponse): ServerResponse | undefined {
  const waiting = answers.get(response.req.socket) ?? []
  const ahead = waiting[waiting.indexOf(response) - 1]
  return ahead?.writableFinished === false ? ahead : undefined
}

/**
 * Marks a connection to be closed after the answer to the present request; no later one is served.
 */
export function serveNoMore(socket: Duplex): void {
  over.add(socket)
}

/** Whether `serveNoMore` was called for a connection. */
export function isOver(socket: Duplex): boolean {
  return over.has(socket)
}

let nextHeldMs = minHeldMs

/** Serves no further request of a connection, and ends the connection after some seconds. */
export function endLater(socket: Duplex): void {
  serveNoMore(socket)
  socket.pause()
  destroyLater(socket, nextHeldMs)
  nextHeldMs = nextHeldMs < maxHeldMs ? nextHeldMs + heldStepMs : minHeldMs
}

/** Sends the last bytes of a connection and closes it, at the latest after `lingerMs`. */
export function endWith(socket: Duplex, text: string): void {
  serveNoMore(socket)
  socket.end(text)
  destroyLater(socket)
}

/**
 * Replaces Socket.destroySoon, which node:http calls after the last answer. If the client is still
 * sending, closing at once would reset the connection, and the client could lose the answer before
 * it has read it: the rest is read and discarded for up to `lingerMs`. RFC 9112 section 9.6.
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

function destroyLater(socket: Duplex, afterMs = lingerMs): void {
  const timer = setTimeout(() => socket.destroy(), afterMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
