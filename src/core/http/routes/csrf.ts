import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Config } from '../../config/load.ts'
import { equalInConstantTime } from '../../crypto/digest.ts'
import { ApiError } from '../../errors.ts'
import type { Principal } from '../../policy/principal.ts'
import type { Authenticator } from './declaration.ts'
import { isCrossSite, reasonOfOrigin } from './origin.ts'

/**
 * Protects a change from cross-site request forgery if browsers send its credential by themselves;
 * the authenticator declares how. Spec 5.2 rule 2.
 * @throws ApiError csrfTokenInvalid if X-CSRF-Token is absent, empty, repeated or not that of the
 * credential; accessDenied for a page of another site
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

/** Asserts the same of a form of our own pages, whose field `csrf_token` stands for the header. */
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
