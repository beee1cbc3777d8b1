import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import type { Span } from '../../events/trace-context.ts'
import type { Traces } from '../../runtime/tracing.ts'

export interface RequestSpansOptions extends Pick<Config, 'baseUrl'> {
  readonly traces: Pick<Traces, 'beginRequest'>
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])

/** Spans contain only the method and trace flags of caller input: a path can contain a username. */
export const requestSpans = plugin<RequestSpansOptions>(async (app, { baseUrl, traces }) => {
  const { hostname, port, protocol } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  const fixed = {
    'url.scheme': scheme,
    'server.address': hostname,
    'server.port': Number(port) || (scheme === 'https' ? 443 : 80),
  }
  const spans = new WeakMap<ServerResponse, { request: FastifyRequest; span: Span }>()
  app.decorateRequest('span', null)

  app.addHook('onRequest', (request, reply, done) => {
    // Frequent probes are not traced.
    if (request.routeOptions.url?.startsWith('/health/')) return done()
    const method = knownMethods.has(request.method) ? request.method : '_OTHER'
    const span = traces.beginRequest(request.headers, {
      'http.request.method': method,
      ...fixed,
      'network.protocol.version': request.raw.httpVersion,
    })
    if (span) {
      request.span = span
      spans.set(reply.raw, { request, span })
      reply.raw.once('close', onClose)
    }
    done()
  })

  function onClose(this: ServerResponse): void {
    const found = spans.get(this)
    if (found) endSpan(found.request, found.span, this)
  }
})

function endSpan(request: FastifyRequest, span: Span, response: ServerResponse): void {
  const { is404, method, routeOptions } = request
  const route = is404 ? undefined : routeOptions.url
  const shownMethod = knownMethods.has(method) ? method : 'HTTP'
  span.rename(route === undefined ? shownMethod : `${shownMethod} ${route}`)
  if (route !== undefined) {
    span.set('http.route', route)
    span.set('url.path', route.replace(/:\w+|\*/g, 'REDACTED'))
  }
  span.set('gatehouse.request_id', request.id)
  if (response.headersSent) span.set('http.response.status_code', response.statusCode)
  if (!response.writableEnded)
    span.fail('aborted') // connection closed
  else if (response.statusCode >= 500) span.fail(String(response.statusCode))
  span.end()
}
