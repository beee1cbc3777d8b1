import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { digest } from '../../crypto/digest.ts'
import type { EventContext, RequestFacts } from '../../events/context.ts'
import { parseTraceContext, type Span, type TraceContext } from '../../events/trace-context.ts'
import { clientAddress } from '../limits/client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Actor and address for events. */
    eventContext(): EventContext
    /** Read when an event or an outgoing request needs the trace. */
    traceContext(): TraceContext | null
    /** Set if exported: request-spans.ts. */
    span?: Span | null
    /** Client address from a trusted caller (http/limits/client-address.ts). */
    namedAddress?: string | null
  }
}

/**
 * pipelining.ts runs each request in its own async context, so that events name the caller.
 * Evaluated only when an event is recorded; Fastify keeps the context while reading a body.
 */
export const requestContext = plugin(async (app) => {
  app.decorateRequest('eventContext', contextOf)
  app.decorateRequest('traceContext', traceOf)
})

function traceOf(this: FastifyRequest): TraceContext | null {
  return this.span ?? parseTraceContext(this.headers)
}

function contextOf(this: FastifyRequest): EventContext {
  return {
    by: this.principal?.subject ?? null,
    address: this.namedAddress ?? clientAddress(this),
    scheme: this.principal?.credential.scheme ?? null,
    requestId: this.id,
    request: factsOf(this),
  }
}

const maxAgentLength = 256 // Latin-1: one character per code point

function factsOf(request: FastifyRequest): RequestFacts {
  const { method, ips, is404, principal, routeOptions } = request
  const agent = request.headers['user-agent']
  const credential = principal?.credential
  const claims = credential && 'claims' in credential ? credential.claims : null
  return {
    method,
    route: is404 ? null : (routeOptions.url ?? null),
    successStatus: successOf(routeOptions),
    userAgent: agent === undefined ? null : agent.slice(0, maxAgentLength),
    proxies: ips?.slice(0, -1) ?? [],
    session: credential?.scheme === 'session' ? credential.sessionId : null,
    token: claims ? digest(claims.jti) : null,
    keyId: credential?.scheme === 'key' ? credential.keyId : null,
    factors: principal?.amr ?? [],
    username: principal?.username ?? null,
  }
}

const successes = new WeakMap<object, number | null>()

/** The only declared success; cached per route. */
function successOf({ schema, config }: FastifyRequest['routeOptions']): number | null {
  const known = successes.get(config)
  if (known !== undefined) return known
  const found = declaredSuccess(schema, config)
  successes.set(config, found)
  return found
}

type RouteOptions = FastifyRequest['routeOptions']

function declaredSuccess(
  schema: RouteOptions['schema'],
  config: RouteOptions['config'],
): number | null {
  const declared = { ...(schema?.response as object | undefined), ...config.answers }
  const statuses = Object.keys(declared)
    .map(Number)
    .filter((status) => status < 400)
  return statuses.length === 1 ? (statuses[0] ?? null) : null
}
