import type { FastifyRequest } from 'fastify'
import { BoundedMap } from '../bounded/bounded-map.ts'
import { lockName } from '../database/transactions.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import type { AccessClaims, Principal } from '../kernel/principal.ts'
import type { KeySet } from '../keys/key-set.ts'
import { isWithinLifetime } from './claims.ts'
import { type EndTokenDeps, endLogin } from './end-token.ts'
import { namesOf } from './known-revocations.ts'
import type { Revocations } from './revocations.ts'
import type { Tokens } from './tokens.ts'

/**
 * Authenticates by the bearer token (RFC 6750 section 2.1; spec 5.3). Each signature is verified
 * once: the principal is cached under the whole text of the token, so that two tokens cannot share
 * an entry. Lifetime and revocation are checked at every use.
 */
export interface BearerDeps {
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'generation'>
  readonly tokens: Tokens
  readonly revocations: Revocations
}

const maxCached = 10_000

interface Verified {
  readonly claims: AccessClaims
  readonly principal: Principal
}

export function bearerAuthenticator({
  clock,
  keys,
  tokens,
  revocations,
}: BearerDeps): Authenticator {
  const verified = new BoundedMap<string, Verified>(maxCached)
  let generation = keys.generation

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

    async authenticate(request) {
      const token = bearerToken(request)
      if (token === null) return null
      const { claims, principal } = recall(token) ?? (await verify(token, request))
      if (await revocations.refuses(claims)) throw new ApiError('invalidOrExpiredToken')
      return {
        principal,
        shared: () => [lockName.account(claims.sub), ...namesOf(claims).map(lockName.token)],
        async again(db) {
          if (!isWithinLifetime(claims, clock.now())) return null
          return (await revocations.refusesBy(db, claims)) ? null : principal
        },
      }
    },
  }

  function recall(token: string): Verified | undefined {
    if (keys.generation !== generation) {
      verified.clear() // the key of a signature may have been removed
      generation = keys.generation
    }
    const known = verified.get(token)
    return known && isWithinLifetime(known.claims, clock.now()) ? known : undefined
  }

  async function verify(token: string, request: FastifyRequest): Promise<Verified> {
    const claims = await tokens.verifyAccess(token)
    if (claims) {
      const entry = { claims, principal: principalOf(claims) }
      verified.set(token, entry)
      return entry
    }
    // Never cached: only a route that enrols a factor accepts it.
    const enrolment =
      request.routeOptions.config.enrols && (await tokens.verifyAccess(token, 'enrolment'))
    if (!enrolment) throw new ApiError('invalidOrExpiredToken')
    return { claims: enrolment, principal: principalOf(enrolment) }
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
    if (token !== null) await endLogin(deps, token)
  }
}

/**
 * The token of `Authorization: Bearer`, case-insensitively; null for another scheme or no header.
 */
export function bearerToken({ headers }: FastifyRequest): string | null {
  const { authorization } = headers
  if (authorization === undefined) return null
  return /^bearer +([^ ].*)$/i.exec(authorization)?.[1] ?? null
}

function principalOf(claims: AccessClaims): Principal {
  return {
    subject: claims.sub,
    username: claims.username,
    roles: new Set(claims.roles),
    credential: { scheme: 'bearer', claims },
    amr: claims.amr,
    authTime: claims.auth_time * 1000,
  }
}
