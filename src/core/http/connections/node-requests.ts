import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { http } from '../../lib/node-http.ts'
import type { Measured, RouteMeasurements } from '../../measurements/requests.ts'
import { securityHeaders, securityLinesBeside } from '../headers.ts'
import { isOver, serveNoMore, startAnswer } from './connections.ts'
import { answer } from './parser-errors.ts'

/**
 * A request for another protocol (CONNECT, Upgrade) is served as any request. Otherwise Node would pass
 * the socket to the events `connect` and `upgrade` without the listeners that order answers, notice the
 * end of the connection and handle errors. Node has no option for CONNECT. docs/adr/0086
 */
class NodeRequest extends http.IncomingMessage {
  /** The parser stops after such a request: no later request is served. */
  asksForOtherProtocol = false

  get upgrade(): boolean {
    return false
  }

  set upgrade(isAsked: boolean | null) {
    if (isAsked) this.asksForOtherProtocol = true
  }
}

// Node has no public function that adds header lines without checking each line again. docs/adr/0086
const storeHeader: unknown = Reflect.get(http.ServerResponse.prototype, '_storeHeader')
if (typeof storeHeader !== 'function') throw new Error('node:http has no _storeHeader any more')
const store = storeHeader

/** A response that sends the security headers as one text after its status line. */
class NodeResponse extends http.ServerResponse implements Measured {
  // Fields from the start on, so that all responses keep one shape.
  measured: RouteMeasurements | undefined = undefined
  beganAt = 0

  _storeHeader(statusLine: string, headers: object | null | undefined): void {
    store.call(this, statusLine + securityLinesBeside(headers), headers)
  }
}

/** Sets the headers of every answer that its response does not send by itself. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!(reply.raw instanceof NodeResponse)) reply.headers(securityHeaders) // one of `inject`
  reply.header('x-request-id', request.id)
}

/** The classes of requests and responses, for the options of `createServer`. */
export const requestClasses = {
  IncomingMessage: NodeRequest as typeof IncomingMessage,
  ServerResponse: NodeResponse as typeof ServerResponse,
} as const

/** The methods that a route can have; Node also parses those of RTSP. */
const servedMethods = new Set(http.METHODS.filter((method) => method !== 'CONNECT'))

/** The responses to requests whose client waits for a 100 before sending the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Wraps the one request listener of a server. It also handles the events after which Node would
 * answer a request itself, without the headers and the body of the contract, or close its
 * connection.
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
    if (expected.length > 0) waiting.set(request, response)
    take(request, response)
  }

  server.on('request', take)
  server.on('checkContinue', takeExpecting)
  server.on('checkExpectation', takeExpecting)
}

/**
 * Sends a 100 to a client that waits for it before it sends the body. Called when the body is about
 * to be read; a request that is refused before gets no 100. RFC 9110 section 10.1.1.
 */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}

function expectationsOf({ headers }: IncomingMessage): string[] {
  return (headers.expect ?? '')
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
}
