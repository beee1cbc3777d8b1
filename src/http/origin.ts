import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Whether a browser's page of an allowed origin sent this request. */
function isAllowedOrigin(request: FastifyRequest, { http }: Pick<Config, 'http'>): boolean {
  const { origin } = request.headers
  return (
    origin !== undefined && (http.corsOrigins.includes(origin) || http.corsOrigins.includes('*'))
  )
}

/** Sent by a browser for a page of another site that is not allowed. Fetch Metadata, Sec-Fetch-Site. */
export function isCrossSite(request: FastifyRequest, config: Pick<Config, 'http'>): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site' && !isAllowedOrigin(request, config)
}

/**
 * The same for browsers without Fetch Metadata as well: there, an Origin that is neither the
 * service's own nor that of the Host header. Guards the login against login CSRF.
 */
export function isForeignPage(
  request: FastifyRequest,
  config: Pick<Config, 'http' | 'baseUrl'>,
): boolean {
  const { origin, host } = request.headers
  if (request.headers['sec-fetch-site'] !== undefined) return isCrossSite(request, config)
  if (origin === undefined || isAllowedOrigin(request, config)) return false
  if (origin === config.baseUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}
