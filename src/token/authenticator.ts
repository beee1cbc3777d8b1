import type { FastifyRequest } from 'fastify'
import { lockName } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Authenticated } from '../http/changes/still-allowed.ts'
import { tokenReuse } from '../http/events.ts'
import { toldOfRefusal } from '../http/refusals/told.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { isWithinLifetime } from './claims.ts'
import { type EndTokenDeps, endLogin } from './end-token.ts'
import { namesOf } from './known-revocations.ts'
import type { Revocations } from './revocations.ts'
import type { Tokens } from './tokens.ts'
import { principalOf, type Verified, type VerifiedToken } from './verified.ts'

/**
 * Authenticates by the bearer token (RFC 6750 section 2.1; spec 5.3). Lifetime and revocation are
 * checked at every use.
 */
export interface BearerDeps {
  readonly clock: Clock
  readonly events: Pick<Events, 'tell'>
  readonly tokens: Tokens
  readonly revocations: Revocations
  readonly verified: Verified
}

/** Makes the authenticator of the scheme `bearer`. */
export function bearerAuthenticator({
  clock,
  events,
  tokens,
  revocations,
  verified,
}: BearerDeps): Authenticator {
  return {
    scheme: 'bearer',
    header: 'bearer',
    missing: 'noTokenProvided',
    invalid: 'invalidToken',
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
      const known = verified.recall(token) ?? verified.verify(token)
      return known && !(known instanceof Promise)
        ? unlessRevoked(known, request)
        : verifiedFirst(known, token, request)
    },
  }

  async function verifiedFirst(
    verifying: Promise<VerifiedToken | null> | null,
    token: string,
    request: FastifyRequest,
  ): Promise<Authenticated> {
    return unlessRevoked((await verifying) ?? (await enrolment(token, request)), request)
  }

  function unlessRevoked(
    token: VerifiedToken,
    request: FastifyRequest,
  ): Authenticated | Promise<Authenticated> {
    const refused = revocations.refuses(token.claims)
    return refused instanceof Promise
      ? refused.then((isRevoked) => callerOf(token, isRevoked, request))
      : callerOf(token, refused, request)
  }

  function callerOf(
    { claims, principal }: VerifiedToken,
    isRevoked: boolean,
    request: FastifyRequest,
  ): Authenticated {
    if (isRevoked) {
      toldOfRefusal(request)
      events.tell(tokenReuse, { user_id: Number(claims.sub), kind: 'access' })
      throw new ApiError('invalidOrExpiredToken')
    }
    return {
      principal,
      shared: () => [lockName.account(claims.sub), ...namesOf(claims).map(lockName.token)],
      async again(db) {
        if (!isWithinLifetime(claims, clock.now())) return null
        return (await revocations.refusesBy(db, claims)) ? null : principal
      },
    }
  }

  /** Never cached: only a route that enrols a factor accepts it. */
  async function enrolment(token: string, request: FastifyRequest): Promise<VerifiedToken> {
    const claims =
      request.routeOptions.config.enrols && (await tokens.verifyAccess(token, 'enrolment'))
    if (!claims) throw new ApiError('invalidOrExpiredToken')
    return { claims, principal: principalOf(claims) }
  }
}

/**
 * Ends the bearer token of a request and its pair, for POST /logout. An invalid token counts as
 * revoked.
 * @throws DatabaseUnavailable if the end cannot be stored
 */
export function endBearer(deps: EndTokenDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = bearerToken(request)
    if (token !== null) await endLogin(deps, token, { reason: 'logout' })
  }
}

/**
 * The token of `Authorization: Bearer`, case-insensitively; null for another scheme or no header.
 */
export function bearerToken({ headers }: FastifyRequest): string | null {
  const { authorization } = headers
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  let start = scheme.length
  while (authorization[start] === ' ') start += 1
  return authorization.slice(start) || null
}

const scheme = 'bearer '
