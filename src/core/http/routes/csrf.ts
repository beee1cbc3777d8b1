import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Config } from '../../config/load.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import type { RefusalReason } from '../../errors.ts'
import { ApiError } from '../../errors.ts'
import type { Principal } from '../../policy/principal.ts'
import type { Authenticator } from './declaration.ts'

/**
 * For credentials that browsers send automatically. Spec 5.2 rule 2.
 * @throws ApiError csrfTokenInvalid if X-CSRF-Token is absent, empty, repeated or wrong;
 * accessDenied for cross-site pages
 */
export function assertNotForged(
  request: FastifyRequest,
  { credential }: Principal,
  { csrf }: Pick<Authenticator, 'csrf'>,
  config: Pick<Config, 'http'>,
): void {
  if (csrf === 'sameSite' && isCrossSite(request, config)) {
    throw new ApiError('accessDenied', { reason: reasonOfOrigin('cross_site_request', request) })
  }
  if (csrf !== 'token' || request.routeOptions.config.csrf === 'field') return
  assertToken(request.headers['x-csrf-token'], credential)
}

/** The same for our own forms, with the field `csrf_token`. */
export const assertFieldNotForged: preValidationHookHandler = (
  { body, principal },
  _reply,
  done,
) => {
  const { csrf_token } = (body ?? {}) as { csrf_token?: unknown } // parsed by Fastify
  if (principal) assertToken(csrf_token, principal.credential)
  done()
}

function assertToken(sent: unknown, credential: Principal['credential']): void {
  const expected = 'csrfToken' in credential ? credential.csrfToken : undefined
  if (typeof sent !== 'string' || !expected || !equalInConstantTime(sent, expected)) {
    throw new ApiError('csrfTokenInvalid', {
      reason: { code: sent ? 'csrf_token_other' : 'csrf_token_absent' },
    })
  }
}

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
