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
import { requestClasses, setHeaders, takeRequests } from '../connections/node-requests.ts'
import {
  checkIntervalMs,
  handshakeTimeoutMs,
  headersTimeoutMs,
  requestTimeoutMs,
} from '../connections/node-server.ts'
import {
  answer,
  countUnrouted,
  endFailedHandshakes,
  onClientError,
} from '../connections/parser-errors.ts'
import { oneRequestAtATime } from '../connections/pipelining.ts'
import { logAtEnd } from '../connections/request-log.ts'
import { assertShape } from '../connections/request-shape.ts'
import { slowReaders } from '../connections/slow-readers.ts'
import { requestContext } from '../context/request-context.ts'
import { requestSpans } from '../context/request-spans.ts'
import { forgedProxyWarning } from '../limits/client-address.ts'
import { rateLimit } from '../limits/rate-limit.ts'
import { bulkAnswers } from '../lists/bulk-answers.ts'
import { cors } from './cors.ts'
import { errorHandler } from './error-handler.ts'

const keepAliveTimeoutMs = 72_000
// Length of a request line: over-long parameters become 404.
const maxParamLength = 16_384

export interface ServerOptions {
  /** Module headers allowed by CORS. */
  readonly requestHeaders?: readonly string[]
  /** Enables HTTPS. */
  readonly certificate?: Certificate | null
}

/** The server with all hooks, without routes. */
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
    requireHostHeader: false, // request-shape.ts rejects with a body
  }
  const options: FastifyHttpOptions<RawServerDefault> = {
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `${instanceId}-${(requests++).toString(36)}`,
    trustProxy: config.http.trustedProxies.length > 0 ? [...config.http.trustedProxies] : false,
    bodyLimit: config.http.bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // accepted requests are served during shutdown
    routerOptions: { maxParamLength },
    http: limits,
    clientErrorHandler: onClientError,
    frameworkErrors: (_error, _request, reply) => {
      answer(reply.raw as ServerResponse<IncomingMessage>, 'badRequest') // HTTP/1 only
    },
    ajv: ajvOptions,
    schemaController: { compilersFactory: compilers.factory },
  }
  const https = certificate && {
    ...limits,
    ...certificate.options(),
    handshakeTimeout: handshakeTimeoutMs,
  }
  // Fastify's types separate two server classes; we use only common members.
  const app = fastify(https ? ({ ...options, https } as typeof options) : options)
  const connections = prepareConnections(app.server)
  takeRequests(app.server)
  countUnrouted(app.server, deps.measurements.requests.unrouted)
  if (certificate) endFailedHandshakes(app.server)

  // Drops Fastify's messages below warning.
  app.log = log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level })
  app.decorate('compileSchemas', compilers.compileAll)
  await app.register(requestContext)
  if (deps.traces) await app.register(requestSpans, { ...config, traces: deps.traces })
  await app.register(oneRequestAtATime, deps) // before other hooks
  const watchReader = slowReaders(app, { clock: deps.clock, stillMs: requestTimeoutMs })
  const noteProxy = forgedProxyWarning(app, config)
  // One hook: hooks cost more than their work.
  app.addHook('onRequest', (request, reply, done) => {
    // Set here: with its own logger Fastify listens for each response's end.
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
  await app.register(fastifyCookie, { hook: false }) // parsed on demand
  await app.register(bodies, deps)
  closeConnectionsWhileDraining(app, connections)
  return app
}
