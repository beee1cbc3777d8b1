import type { FastifyRequest } from 'fastify'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import type { Needs } from '../../core/module/services.ts'
import { isWithinLifetime } from './claim-faults.ts'
import { type EndTokenDeps, endLogin } from './end-token.ts'
import { namesOf } from './known-revocations.ts'
import { principalOf, type VerifiedToken } from './verified.ts'

export function bearerAuthenticator({
  clock,
  keys,
  tokens,
  revocations,
  verified,
}: Pick<Needs, 'clock' | 'keys' | 'tokens' | 'revocations' | 'verified'>): Authenticator {
  return {
    scheme: 'bearer',
    header: 'bearer',
    missing: 'noTokenProvided',
    invalid: {
      parameter: 'invalid_token',
      error: 'invalidOrExpiredToken',
      alone: 'invalidToken',
    },
    challenge: 'Bearer realm="API"',
    describes: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token of `POST /login` (modes `token` and `pair`) or `POST /refresh`.',
    },

    authenticate(request) {
      const token = bearerToken(request)
      if (token === null) return null
      const reading = keys.refreshed()
      return reading ? reading.then(() => judged(token, request)) : judged(token, request)
    },
  }

  function judged(token: string, request: FastifyRequest) {
    const recalled = verified.recall(token)
    return recalled ? unlessRevoked(recalled) : verifiedFirst(token, request)
  }

  function verifiedFirst(
    token: string,
    request: FastifyRequest,
  ): Authenticated | Promise<Authenticated> {
    let reason: RefusalReason = { code: 'token_malformed' }
    const tell = (told: RefusalReason) => {
      reason = told
    }
    const orEnrolment = async (found: VerifiedToken | null) =>
      unlessRevoked(found ?? (await enrolment(token, request, () => reason)))
    const found = verified.verify(token, tell)
    if (found instanceof Promise) return found.then(orEnrolment)
    return found ? unlessRevoked(found) : orEnrolment(null)
  }

  function unlessRevoked(token: VerifiedToken): Authenticated | Promise<Authenticated> {
    const refused = revocations.refuses(token.claims)
    return refused instanceof Promise
      ? refused.then((isRevoked) => callerOf(token, isRevoked))
      : callerOf(token, refused)
  }

  function callerOf({ claims, principal }: VerifiedToken, isRevoked: boolean): Authenticated {
    if (isRevoked) {
      throw new ApiError('invalidOrExpiredToken', { reason: revocations.reasonOf(claims) })
    }
    return {
      principal,
      lockNames: () => [lockName.account(claims.sub), ...namesOf(claims).map(lockName.token)],
      async revalidate(db) {
        if (!isWithinLifetime(claims, clock.now())) return null
        // Without a transaction no lock protects the answer: memory suffices, as for a new request.
        const isRevoked = db.isTransaction
          ? revocations.refusesBy(db, claims)
          : revocations.refuses(claims)
        return (await isRevoked) ? null : principal
      },
    }
  }

  /** Never cached: only a route that enrols a factor accepts the token. */
  async function enrolment(
    token: string,
    request: FastifyRequest,
    reason: () => RefusalReason,
  ): Promise<VerifiedToken> {
    const claims =
      request.routeOptions.config.enrols && (await tokens.verifyAccess(token, 'enrolment'))
    if (!claims) throw new ApiError('invalidOrExpiredToken', { reason: reason() })
    return { claims, principal: principalOf(claims) }
  }
}

/**
 * Ends the bearer token of a request and its pair, for POST /logout. An invalid token counts as
 * revoked. @throws DatabaseUnavailable if the end cannot be stored
 */
export function endBearer(deps: EndTokenDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = bearerToken(request)
    if (token !== null) await endLogin(deps, token, { reason: 'logout' })
  }
}

/** Case-insensitive; null for another scheme. */
export function bearerToken({ headers }: FastifyRequest): string | null {
  const { authorization } = headers
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  let start = scheme.length
  while (authorization[start] === ' ') start += 1
  return authorization.slice(start) || null
}

const scheme = 'bearer '
