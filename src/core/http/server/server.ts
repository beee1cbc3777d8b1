import type { IncomingMessage, ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { randomText } from '../../crypto/random.ts'
import type { Deps } from '../../runtime/deps.ts'
import { bodies, dropIgnoredBody } from '../bodies/bodies.ts'
import { createCompilers } from '../bodies/compilers.ts'
import { ajvOptions } from '../bodies/validation.ts'
import type { Certificate } from '../connections/certificate.ts'
import { prepareConnections } from '../connections/connections.ts'
import { closeConnectionsWhileDraining } from '../connections/draining.ts'
import { endFailedHandshakes } from '../connections/handshakes.ts'
import { requestClasses, setHeaders, takeRequests } from '../connections/node-requests.ts'
import { answer, countUnrouted, onClientError } from '../connections/parser-errors.ts'
import { oneRequestAtATime } from '../connections/pipelining.ts'
import { logAtEnd } from '../connections/request-log.ts'
import { assertShape } from '../connections/request-shape.ts'
import { slowReaders } from '../connections/slow-readers.ts'
import {
  checkIntervalMs,
  handshakeTimeoutMs,
  headersTimeoutMs,
  requestTimeoutMs,
} from '../connections/time-limits.ts'
import { requestContext } from '../context/request-context.ts'
import { requestSpans } from '../context/request-spans.ts'
import { forgedProxyWarning } from '../limits/forged-proxies.ts'
import { rateLimit } from '../limits/rate-limit.ts'
import { bulkAnswers } from '../lists/bulk-answers.ts'
import { cors } from './cors.ts'
import { errorHandler } from './error-handler.ts'

const keepAliveTimeoutMs = 72_000
// As long as a request line can be, so that an over-long parameter is a resource that is not found.
const maxParamLength = 16_384

export interface ServerOptions {
  /** The request headers of the modules: a page of an allowed origin may send them. */
  readonly requestHeaders?: readonly string[]
  /** With one, the server speaks HTTPS. */
  readonly certificate?: Certificate | null
}

/** Creates the HTTP server with the hooks of every request, without any route. */
export async function createServer(
  deps: Deps,
  { requestHeaders = [], certificate = null }: ServerOptions = {},
): Promise<FastifyInstance> {
  const { config, log, random } = deps
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
    logController: new LogController({ disableRequestLogging: true }),
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
  countUnrouted(app.server, deps.measurements.requests.unrouted)
  if (certificate) endFailedHandshakes(app.server)

  // Fastify's own messages below a warning are dropped: start.ts logs that the service listens.
  app.log = log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level })
  app.decorate('compileSchemas', compilers.compileAll)
  await app.register(requestContext)
  if (deps.traces) await app.register(requestSpans, { ...config, traces: deps.traces })
  await app.register(oneRequestAtATime, deps) // before any other work on a request
  const watchReader = slowReaders(app, { clock: deps.clock, stillMs: requestTimeoutMs })
  const noteProxy = forgedProxyWarning(app, config)
  // One hook for all: a hook costs more than most of this work.
  app.addHook('onRequest', (request, reply, done) => {
    // Set here, because a server that has a logger listens for the end of every answer.
    request.log = log
    if (log.isLevelEnabled('debug')) logAtEnd(request, reply)
    reply.log = log
    watchReader(request)
    setHeaders(request, reply)
    assertShape(request)
    noteProxy(request)
    dropIgnoredBody(request)
    done()
  })
  await app.register(bulkAnswers, deps)
  await app.register(errorHandler, deps)
  await app.register(cors, { ...config, requestHeaders })
  await app.register(rateLimit, deps)
  await app.register(fastifyCookie, { hook: false }) // cookies are parsed only where they are used
  await app.register(bodies, deps)
  closeConnectionsWhileDraining(app, connections)
  return app
}
