import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { RefusalReason } from '../../errors.ts'

function isAllowedOrigin(request: FastifyRequest, { http }: Pick<Config, 'http'>): boolean {
  const { origin } = request.headers
  return (
    origin !== undefined && (http.corsOrigins.includes(origin) || http.corsOrigins.includes('*'))
  )
}

/** Fetch Metadata; allowed origins excluded. */
export function isCrossSite(request: FastifyRequest, config: Pick<Config, 'http'>): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site' && !isAllowedOrigin(request, config)
}

/**
 * Against login CSRF. `Sec-Fetch-Site` decides if present; other hosts of the same site are
 * foreign. Otherwise a sent Origin must be allowed, the service's own, or match Host.
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

/** As reported by the browser. */
export function reasonOfOrigin(
  code: 'cross_site_request' | 'foreign_page',
  { headers }: FastifyRequest,
): RefusalReason {
  const shown = (value: string | string[] | undefined) =>
    typeof value === 'string' ? value.slice(0, maxShown) : null
  const fetch_site = shown(headers['sec-fetch-site'])
  return { code, facts: { origin: shown(headers.origin), fetch_site } }
}
