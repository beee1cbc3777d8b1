import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Config } from '../../config/load.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import { ApiError } from '../../errors.ts'
import type { Principal } from '../../policy/principal.ts'
import type { Authenticator } from './declaration.ts'
import { isCrossSite, reasonOfOrigin } from './origin.ts'

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
