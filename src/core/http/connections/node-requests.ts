import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { http } from '../../lib/node-http.ts'
import type { Measured, RouteMeasurements } from '../../measurements/requests.ts'
import { securityHeaders, securityLinesBeside } from '../headers.ts'
import { isOver, serveNoMore, startAnswer } from './connections.ts'
import { answer } from './parser-errors.ts'

/**
 * Serves CONNECT and Upgrade like any request. Node's `connect` and `upgrade` events bypass the
 * listeners for order, close and errors, and Node has no option for CONNECT. docs/adr/0086
 */
class NodeRequest extends http.IncomingMessage {
  /** The parser stops after such a request. */
  asksForOtherProtocol = false

  get upgrade(): boolean {
    return false
  }

  set upgrade(isAsked: boolean | null) {
    if (isAsked) this.asksForOtherProtocol = true
  }
}

// No public Node API adds header lines without validating each line again. docs/adr/0086
const storeHeader: unknown = Reflect.get(http.ServerResponse.prototype, '_storeHeader')
if (typeof storeHeader !== 'function') throw new Error('node:http has no _storeHeader any more')
const store = storeHeader

/** Sends the security headers as one text after the status line. */
class NodeResponse extends http.ServerResponse implements Measured {
  // Always present: all responses keep one shape.
  measured: RouteMeasurements | undefined = undefined
  beganAt = 0

  _storeHeader(statusLine: string, headers: object | null | undefined): void {
    store.call(this, statusLine + securityLinesBeside(headers), headers)
  }
}

/** Headers that the response class does not send. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!(reply.raw instanceof NodeResponse)) reply.headers(securityHeaders) // `inject`
  reply.header('x-request-id', request.id)
}

/** For the options of `createServer`. */
export const requestClasses = {
  IncomingMessage: NodeRequest as typeof IncomingMessage,
  ServerResponse: NodeResponse as typeof ServerResponse,
} as const

/** Methods of routes; Node also parses RTSP methods. */
const servedMethods = new Set(http.METHODS.filter((method) => method !== 'CONNECT'))

/** Responses whose client waits for 100 Continue. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Also handles events for which Node would respond without our headers and body. */
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

/** Only when the body is read: a rejected request gets no 100. RFC 9110 section 10.1.1. */
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
