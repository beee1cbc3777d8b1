import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { RefusalReason } from '../../errors.ts'

/** Whether a browser's page of an allowed origin sent this request. */
function isAllowedOrigin(request: FastifyRequest, { http }: Pick<Config, 'http'>): boolean {
  const { origin } = request.headers
  return (
    origin !== undefined && (http.corsOrigins.includes(origin) || http.corsOrigins.includes('*'))
  )
}

/** Whether a page of another site, not an allowed origin, sent this request. Fetch Metadata. */
export function isCrossSite(request: FastifyRequest, config: Pick<Config, 'http'>): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site' && !isAllowedOrigin(request, config)
}

/**
 * Whether a page of another, not allowed origin sent this request; protects the login from login
 * CSRF. `Sec-Fetch-Site` decides if the browser sends it; another host of the same site is foreign.
 * Otherwise an Origin is foreign that is neither the service's own nor that of the Host header.
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

const maxShown = 256

/** Which page sent a refused request, as the browser says. */
export function reasonOfOrigin(
  code: 'cross_site_request' | 'foreign_page',
  { headers }: FastifyRequest,
): RefusalReason {
  const shown = (value: string | string[] | undefined) =>
    typeof value === 'string' ? value.slice(0, maxShown) : null
  const fetch_site = shown(headers['sec-fetch-site'])
  return { code, facts: { origin: shown(headers.origin), fetch_site } }
}
