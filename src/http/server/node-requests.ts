import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { isOver, serveNoMore, startAnswer } from './connections.ts'
import { answer } from './parser-errors.ts'

// An import by name would load all that node:http exports, a client of its own among it.
const http = process.getBuiltinModule('node:http')

/**
 * A request that asks for another protocol (CONNECT, Upgrade) stays a request. Node would hand its
 * socket to the events `connect` and `upgrade`, without the listeners that order answers, notice
 * the end of the connection and catch its errors.
 */
class NodeRequest extends http.IncomingMessage {
  /** The parser stops there, and Node loses the rest of the piece: nothing behind is served. */
  asksForOtherProtocol = false
  response: ServerResponse | undefined = undefined

  get upgrade(): boolean {
    return false
  }

  set upgrade(isAsked: boolean | null) {
    if (isAsked) this.asksForOtherProtocol = true
  }
}

/** An answer that can be found by its request: the event `dropRequest` does not bring it. */
class NodeResponse extends http.ServerResponse {
  constructor(...given: ConstructorParameters<typeof http.ServerResponse>) {
    super(...given)
    const [request] = given
    if (request instanceof NodeRequest) request.response = this
  }
}

/** For the options of `createServer`. */
export const requestClasses = {
  IncomingMessage: NodeRequest as typeof IncomingMessage,
  ServerResponse: NodeResponse as typeof ServerResponse,
} as const

/** All methods that a route can have. Node parses those of RTSP besides. */
const servedMethods = new Set(http.METHODS.filter((method) => method !== 'CONNECT'))

/** Requests whose client waits for a 100 before it sends the body. */
const waiting = new WeakSet<IncomingMessage>()

/**
 * Puts itself between Node and the one listener of a server's requests, and takes the events by
 * which Node would answer a request itself, without headers or body, or close its connection.
 */
export function takeRequests(server: Server): void {
  const [serve] = server.listeners('request') as RequestListener[]
  if (!serve) throw new Error('the server has no listener for its requests')
  server.removeAllListeners('request')

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (isOver(socket)) return
    startAnswer(response)
    if (!servedMethods.has(request.method ?? '')) return answer(response, 'routeNotFound')
    if (request instanceof NodeRequest && request.asksForOtherProtocol) {
      serveNoMore(socket)
      response.setHeader('connection', 'close')
    }
    serve(request, response)
  }

  const takeExpecting = (request: IncomingMessage, response: ServerResponse) => {
    if (isOver(request.socket)) return
    const expected = expectationsOf(request)
    if (!expected.every((expectation) => expectation === '100-continue')) {
      startAnswer(response)
      return answer(response, 'expectationFailed')
    }
    if (expected.length > 0) waiting.add(request)
    take(request, response)
  }

  server.on('request', take)
  server.on('checkContinue', takeExpecting)
  server.on('checkExpectation', takeExpecting)
  server.on('dropRequest', (request: IncomingMessage) => {
    if (!(request instanceof NodeRequest) || !request.response) return
    const { response } = request
    startAnswer(response)
    answer(response, 'serviceUnavailable', { 'retry-after': 1 })
    // Node answers 503 itself as soon as this returns, without a body.
    response.writeHead = () => response
    response.end = () => response
  })
}

/**
 * Tells a client that waits with its body to send it: once it is sure that the body is read. A
 * refusal before takes the place of the 100. RFC 9110 section 10.1.1.
 */
export function askForBody(request: IncomingMessage): void {
  if (waiting.delete(request) && request instanceof NodeRequest) request.response?.writeContinue()
}

function expectationsOf({ headers }: IncomingMessage): string[] {
  return (headers.expect ?? '')
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
}
