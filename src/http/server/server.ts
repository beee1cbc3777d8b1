import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { isWithin, parseAddressRange } from '../../addresses/address-ranges.ts'
import type { Config } from '../../config/load.ts'
import { randomText } from '../../kernel/random.ts'
import type { Deps } from '../../runtime/deps.ts'
import { bodies } from '../bodies/bodies.ts'
import { createCompilers } from '../bodies/compilers.ts'
import { ajvOptions } from '../bodies/validation.ts'
import type { Certificate } from '../connections/certificate.ts'
import { prepareConnections } from '../connections/connections.ts'
import { closeConnectionsWhileDraining } from '../connections/draining.ts'
import { endFailedHandshakes } from '../connections/handshakes.ts'
import { requestClasses, takeRequests } from '../connections/node-requests.ts'
import { answer, onClientError } from '../connections/parser-errors.ts'
import { oneRequestAtATime } from '../connections/pipelining.ts'
import { requestShape } from '../connections/request-shape.ts'
import { slowReaders } from '../connections/slow-readers.ts'
import {
  checkIntervalMs,
  handshakeTimeoutMs,
  headersTimeoutMs,
  requestTimeoutMs,
} from '../connections/time-limits.ts'
import { headers } from '../headers.ts'
import { clientAddress } from '../limits/client-address.ts'
import { rateLimit } from '../limits/rate-limit.ts'
import { bulkAnswers } from '../lists/bulk-answers.ts'
import { cors } from './cors.ts'
import { errorHandler } from './error-handler.ts'
import { requestContext } from './request-context.ts'

const keepAliveTimeoutMs = 72_000
// As long as a request line can be, so that an over-long parameter is a resource that is not found.
const maxParamLength = 16_384

export interface ServerOptions {
  /** The request headers of the rooms: a page of an allowed origin may send them. */
  readonly requestHeaders?: readonly string[]
  /** With one, the server speaks HTTPS. */
  readonly certificate?: Certificate | null
}

/** Creates the HTTP server with the hooks of every request, without any route. */
export async function createServer(
  deps: Deps,
  { requestHeaders = [], certificate = null }: ServerOptions = {},
): Promise<FastifyInstance> {
  const { config, random } = deps
  // Fastify's own messages below a warning are dropped: start.ts logs that the service listens.
  const level = deps.log.isLevelEnabled('warn') ? 'warn' : deps.log.level
  const logger: FastifyBaseLogger = deps.log.child({}, { level })
  const instanceId = randomText(random, 6)
  let requests = 0
  const compilers = createCompilers()
  const limits = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    ...requestClasses,
    requireHostHeader: false, // Node's answer would be empty: request-shape.ts refuses instead
  }
  const options: FastifyHttpOptions<RawServerDefault> = {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child logger per request costs more than some requests do. Log lines
    // name their request themselves.
    childLoggerFactory: () => deps.log,
    genReqId: () => `${instanceId}-${(requests++).toString(36)}`,
    trustProxy: config.http.trustedProxies.length > 0 ? [...config.http.trustedProxies] : false,
    bodyLimit: config.http.bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // accepted requests are served during a shutdown
    routerOptions: { maxParamLength },
    http: limits,
    clientErrorHandler: onClientError,
    frameworkErrors: (_error, _request, reply) => {
      answer(reply.raw as ServerResponse<IncomingMessage>, 'badRequest') // HTTP/1 is all there is
    },
    ajv: ajvOptions,
    schemaController: { compilersFactory: compilers.factory },
  }
  const https = certificate && {
    ...limits,
    ...certificate.options(),
    handshakeTimeout: handshakeTimeoutMs,
  }
  // Fastify's types tell the two classes of servers apart; what is used here, both have.
  const app = fastify(https ? ({ ...options, https } as typeof options) : options)
  const connections = prepareConnections(app.server)
  takeRequests(app.server)
  if (certificate) endFailedHandshakes(app.server)

  app.decorate('compileSchemas', compilers.compileAll)
  warnOfForgedProxies(app, config)
  await app.register(requestContext)
  await app.register(oneRequestAtATime) // before any other work on a request
  await app.register(slowReaders, { clock: deps.clock, stillMs: requestTimeoutMs })
  await app.register(bulkAnswers, deps)
  await app.register(headers)
  await app.register(requestShape)
  await app.register(errorHandler, deps)
  await app.register(cors, { ...config, requestHeaders })
  await app.register(rateLimit, deps)
  await app.register(fastifyCookie, { hook: false }) // cookies are parsed only where they are used
  await app.register(bodies, deps)
  if (deps.log.isLevelEnabled('debug')) logRequests(app)
  closeConnectionsWhileDraining(app, connections)
  return app
}

/**
 * Warns once about an X-Forwarded-For from an untrusted address. It is a forgery, or TRUST_PROXY
 * lacks a proxy, behind which all clients then have the same address.
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

/** Fastify's `ips` holds the peer and the hops behind trusted proxies. */
function isFromProxy({ ips }: FastifyRequest): boolean {
  return ips !== undefined && ips.length > 1
}

/** Logs a line per request at `debug`: the path without its query, never a header or a body. */
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
