import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Unsent responses in order, and the last response. Others are removed to free memory. */
const answers = new WeakMap<Duplex, ServerResponse[]>()
/** Connections that close after a pending response. */
const over = new WeakSet<Duplex>()

// How long a client may send after the last response.
const lingerMs = 2_000
// Minimum delay before closing; spread, because clients may reconnect at once.
const minHeldMs = 4_000
const maxHeldMs = 8_000
const heldStepMs = 50

/**
 * Node removes its own `error` listener after the first error; a second error would end the
 * process.
 */
export function prepareConnections(server: Server): Connections {
  const sockets = new Set<Socket>()
  const prepare = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', ignore)
    // Cached by Node; after a reset the address is lost.
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
      // The TLS socket replaces the TCP socket.
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

export function speaksTls(server: Server): boolean {
  return 'setSecureContext' in server
}

/** Open TCP sockets below TLS, by the addresses of both ends. */
const transports = new Map<string, Socket>()

function rememberTransport(socket: Socket): void {
  const ends = endsOf(socket)
  transports.set(ends, socket)
  socket.once('close', () => {
    if (transports.get(ends) === socket) transports.delete(ends)
  })
}

/** The TCP socket below a TLS socket; undefined for TCP. */
export function transportOf(socket: Socket): Socket | undefined {
  return transports.get(endsOf(socket))
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
}

export interface Connections {
  /** Responses without a sent header close their connections. */
  closeAfterAnswers(): void
  /** Closes connections without an unsent response, including incomplete headers. */
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

/** Call when a response is sent. Keeps the last response. */
export function forgetSentAnswers(socket: Duplex): void {
  const waiting = answers.get(socket) ?? []
  while (waiting.length > 1 && waiting[0]?.writableFinished) waiting.shift()
}

/** Undefined before the first response. */
export function lastAnswerOf(socket: Duplex): ServerResponse | undefined {
  return answers.get(socket)?.at(-1)
}

/** The response to send before this response; undefined if none. */
export function answerAheadOf(response: ServerResponse): ServerResponse | undefined {
  const waiting = answers.get(response.req.socket) ?? []
  const ahead = waiting[waiting.indexOf(response) - 1]
  return ahead?.writableFinished === false ? ahead : undefined
}

/** Closes the connection after the current response; later requests are dropped. */
export function serveNoMore(socket: Duplex): void {
  over.add(socket)
}

export function isOver(socket: Duplex): boolean {
  return over.has(socket)
}

let nextHeldMs = minHeldMs

/** Serves no further request and closes after some seconds. */
export function endLater(socket: Duplex): void {
  serveNoMore(socket)
  socket.pause()
  destroyLater(socket, nextHeldMs)
  nextHeldMs = nextHeldMs < maxHeldMs ? nextHeldMs + heldStepMs : minHeldMs
}

/** Sends the last bytes and closes within `lingerMs`. */
export function endWith(socket: Duplex, text: string): void {
  serveNoMore(socket)
  socket.end(text)
  destroyLater(socket)
}

/**
 * Replaces Socket.destroySoon, which node:http calls after the last response: closing while the
 * client sends would lose the response. Discards input for up to `lingerMs`. RFC 9112 section 9.6.
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
