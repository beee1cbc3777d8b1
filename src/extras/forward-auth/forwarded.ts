import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { canonicalAddress } from '../../core/addresses/address.ts'
import type { Config } from '../../core/config/load.ts'
import { ApiError } from '../../core/errors.ts'
import { clientAddress, createTrustedPeers } from '../../core/http/limits/client-address.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import { namedPathsOf } from './named-paths.ts'
import { isValidMethod, isValidUri, pathOf } from './request-line.ts'
import { parseSite, type Site } from './site.ts'
import type { ForwardInput } from './verdict.ts'

/**
 * X-Forwarded-Host, -Proto, -Uri and -Method: only from peers in TRUST_PROXY, each exactly once.
 */
export interface Forwarded {
  /** @throws ApiError badRequest from another peer, or without valid headers */
  siteOf(request: FastifyRequest): Site
  /** @throws ApiError badRequest as `siteOf` */
  askedOf(request: FastifyRequest): ForwardedRequest
}

export interface ForwardedRequest extends ForwardInput {
  readonly site: Site
}

type HeaderName = `x-${string}`

const maxKept = 1000
/** Each is judged with each path variant. */
const maxOverrides = 8
/** Traefik names a WebSocket's scheme after its protocol. */
const schemes = new Map<string, Site['scheme']>([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])
const overrides = ['x-http-method-override', 'x-method-override', 'x-http-method'] as const

export function createForwarded({ http }: Pick<Config, 'http'>): Forwarded {
  const isProxy = createTrustedPeers(http.trustedProxies)
  const sites = {
    http: new BoundedMap<string, Site>(maxKept),
    https: new BoundedMap<string, Site>(maxKept),
  }
  return { siteOf, askedOf }

  function siteOf(request: FastifyRequest): Site {
    const { headers } = request
    assertFromProxy(request)
    const scheme = schemes.get(textOf(headers, 'x-forwarded-proto'))
    if (!scheme) throw invalid('x-forwarded-proto')
    const text = textOf(headers, 'x-forwarded-host')
    const known = sites[scheme].get(text)
    if (known) return known
    const site = parseSite(scheme, text)
    if (!site) throw invalid('x-forwarded-host')
    sites[scheme].set(text, site)
    return site
  }

  function askedOf(request: FastifyRequest): ForwardedRequest {
    const site = siteOf(request)
    const { headers } = request
    const uri = textOf(headers, 'x-forwarded-uri')
    if (!isValidUri(uri)) throw invalid('x-forwarded-uri')
    const method = textOf(headers, 'x-forwarded-method')
    if (!isValidMethod(method)) throw invalid('x-forwarded-method')
    const { host, scheme } = site
    const sent = hyphenated(headers)
    const methods = methodsOf(sent, method, uri)
    const address = () => visitorAddress(request)
    return { site, host, scheme, uri, methods, address, named: namedPathsOf(sent, uri) }
  }

  /** The connection's peer, not X-Forwarded-For. */
  function assertFromProxy({ raw }: FastifyRequest): void {
    const { remoteAddress = '' } = raw.socket
    if (!isProxy(remoteAddress)) {
      throw new ApiError('badRequest', { reason: { code: 'forward_untrusted_peer' } })
    }
  }
}

/** Null if the proxy names no visitor: the address of the connection is that of the proxy. */
function visitorAddress(request: FastifyRequest): string | null {
  const { ip, ips = [] } = request
  return ips.length > 1 && canonicalAddress(ip) !== null ? clientAddress(request) : null
}

function textOf(headers: FastifyRequest['headers'], name: HeaderName): string {
  const value = headers[name]
  if (typeof value === 'string') return value
  if (value !== undefined) throw invalid(name)
  throw new ApiError('badRequest', {
    reason: { code: 'forward_header_absent', facts: { header: name } },
  })
}

/** CGI, WSGI and PHP read `_` as `-`. The proxy's own headers are read unchanged. */
function hyphenated(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  let read: IncomingHttpHeaders | undefined
  for (const name in headers) {
    if (!name.includes('_')) continue
    read ??= { ...headers }
    const plain = name.replaceAll('_', '-')
    read[plain] = [read[plain] ?? [], headers[name] ?? []].flat().join(', ')
  }
  return read ?? headers
}

function methodsOf(
  headers: FastifyRequest['headers'],
  method: string,
  uri: string,
): readonly string[] {
  let named: string[] | undefined
  for (const name of overrides) {
    const value = headers[name]
    if (value !== undefined) named = [...(named ?? []), ...String(value).split(',')]
  }
  const query = uri.length - pathOf(uri).length
  if (query > 0 && /_method|%/i.test(uri)) {
    const fields = new URLSearchParams(uri.slice(-query))
    for (const [name, value] of fields) {
      if (name.toLowerCase() === '_method') named = [...(named ?? []), value]
    }
  }
  if (!named) return [method]
  const others = new Set(named.map((name) => name.trim().toUpperCase()))
  others.delete('')
  if (others.size > maxOverrides || ![...others].every(isValidMethod)) {
    throw new ApiError('badRequest', { reason: { code: 'forward_method_override' } })
  }
  return [...new Set([method, ...others])]
}

function invalid(header: HeaderName): ApiError {
  return new ApiError('badRequest', {
    reason: { code: 'forward_header_invalid', facts: { header } },
  })
}
