import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'

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
 * Whether a page that is neither ours nor allowed sent this request: guards the login against login
 * CSRF. `Sec-Fetch-Site` decides where a browser sends it; a page of another host of the same site
 * is as foreign as any. Without it, an Origin that is neither the service's own nor that of the
 * Host header.
 */
export function isForeignPage(
  request: FastifyRequest,
  config: Pick<Config, 'http' | 'baseUrl'>,
): boolean {
  if (isAllowedOrigin(request, config)) return false
  const { origin, host, 'sec-fetch-site': site } = request.headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  if (origin === undefined || origin === config.baseUrl) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}
