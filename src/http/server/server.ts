import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Config } from '../../config/load.ts'
import { isWithin, parseAddressRange } from '../../kernel/address-ranges.ts'
import { randomText } from '../../kernel/random.ts'
import type { Deps } from '../../runtime/deps.ts'
import { bodies } from './bodies.ts'
import { bulkAnswers } from './bulk-answers.ts'
import { clientAddress } from './client-address.ts'
import { compilersFactory } from './compilers.ts'
import { prepareConnections } from './connections.ts'
import { cors } from './cors.ts'
import { closeConnectionsWhileDraining } from './draining.ts'
import { errorHandler } from './error-handler.ts'
import { headers } from './headers.ts'
import { requestClasses, takeRequests } from './node-requests.ts'
import { answer, onClientError } from './parser-errors.ts'
import { oneRequestAtATime } from './pipelining.ts'
import { rateLimit } from './rate-limit.ts'
import { requestContext } from './request-context.ts'
import { requestShape } from './request-shape.ts'
import { slowReaders } from './slow-readers.ts'
import { ajvOptions } from './validation.ts'

// How long a client may take to send its header and its whole request, and how often that is
// looked at; none of Node's or Fastify's own defaults closes a slow connection soon.
const headersTimeoutMs = 10_000
const requestTimeoutMs = 15_000
const checkIntervalMs = 1_000
const keepAliveTimeoutMs = 72_000
// A path parameter may be as long as a request line can be: too long is "not found", not "no route".
const maxParamLength = 16_384

export interface ServerOptions {
  /** Of the rooms: a page of an allowed origin may send them. */
  readonly requestHeaders?: readonly string[]
}

/** The HTTP server with what wraps every request; it knows no room and has no route. */
export async function createServer(
  deps: Deps,
  { requestHeaders = [] }: ServerOptions = {},
): Promise<FastifyInstance> {
  const { config, random } = deps
  const log: FastifyBaseLogger = deps.log
  // Fastify itself has nothing to tell below a warning: start.ts says that the service listens.
  const level = deps.log.isLevelEnabled('warn') ? 'warn' : deps.log.level
  const logger: FastifyBaseLogger = deps.log.child({}, { level })
  const instanceId = randomText(random, 6)
  let requests = 0
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request would cost more than some requests do: what is logged names its request.
    childLoggerFactory: () => log,
    genReqId: () => `${instanceId}-${(requests++).toString(36)}`,
    trustProxy: config.http.trustedProxies.length > 0 ? [...config.http.trustedProxies] : false,
    bodyLimit: config.http.bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what was accepted is served; the contract's headers stay
    routerOptions: { maxParamLength },
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      ...requestClasses,
      requireHostHeader: false, // Node's answer would be empty: request-shape.ts refuses instead
    },
    clientErrorHandler: onClientError,
    frameworkErrors: (_error, _request, reply) => {
      answer(reply.raw as ServerResponse<IncomingMessage>, 'badRequest') // HTTP/1 is all there is
    },
    ajv: ajvOptions,
    schemaController: { compilersFactory },
  })
  const connections = prepareConnections(app.server)
  takeRequests(app.server)

  warnOfForgedProxies(app, config)
  await app.register(requestContext)
  await app.register(oneRequestAtATime) // before anything is done for a request
  await app.register(slowReaders, { clock: deps.clock, stillMs: requestTimeoutMs })
  await app.register(bulkAnswers)
  await app.register(headers)
  await app.register(requestShape)
  await app.register(errorHandler, deps)
  await app.register(cors, { ...config, requestHeaders })
  await app.register(rateLimit, deps)
  await app.register(fastifyCookie, { hook: false }) // read where a cookie is asked for
  await app.register(bodies, config)
  if (deps.log.isLevelEnabled('debug')) logRequests(app)
  closeConnectionsWhileDraining(app, connections)
  return app
}

/**
 * X-Forwarded-For of somebody who is no trusted proxy: either a forgery, or a proxy that TRUST_PROXY
 * forgot, behind which all clients look like one. Told once, for the log's sake.
 */
function warnOfForgedProxies(app: FastifyInstance, { login }: Pick<Config, 'login'>): void {
  const callers = login.trustedCallers.map(parseAddressRange)
  const isExpected = (request: FastifyRequest) =>
    isFromProxy(request) || isWithin(clientAddress(request), callers)
  let told = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!told && request.headers['x-forwarded-for'] !== undefined && !isExpected(request)) {
      told = true
      const { remoteAddress: peer } = request.socket
      app.log.warn({ peer }, 'X-Forwarded-For from an address that TRUST_PROXY does not name')
    }
    done()
  })
}

/** Fastify lists the hops that it believes; the peer alone, where it believes none. */
function isFromProxy({ ips }: FastifyRequest): boolean {
  return ips !== undefined && ips.length > 1
}

/** One line per request, at `debug`: the path without its query, never a header or a body. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.debug(
      {
        request_id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        route: request.routeOptions.url,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
}
