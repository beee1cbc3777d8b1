import type { FastifyRequest } from 'fastify'
import { equalInConstantTime } from '../../kernel/digest.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'

/**
 * A caller known by its session cookie must show the session's token as well. Spec 5.2 rule 2.
 * @throws ApiError csrfTokenInvalid where X-CSRF-Token is absent, empty, doubled or another's
 */
export function assertCsrf(request: FastifyRequest, { credential }: Principal): void {
  if (credential.scheme !== 'session') return
  const sent = request.headers['x-csrf-token']
  if (typeof sent !== 'string' || !equalInConstantTime(sent, credential.csrfToken)) {
    throw new ApiError('csrfTokenInvalid')
  }
}
