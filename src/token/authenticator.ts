import type { FastifyRequest } from 'fastify'
import { lockName } from '../database/transactions.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import { BoundedMap } from '../kernel/bounded-map.ts'
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
 * The bearer token (RFC 6750 section 2.1; spec 5.3). A signature is verified once: the principal is
 * kept under the whole text of the token, so that no two tokens can share an entry, and its times
 * are looked at again at every use.
 */
export interface BearerDeps {
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'generation'>
  readonly tokens: Tokens
  readonly revocations: Revocations
}

const maxKept = 10_000

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
  const verified = new BoundedMap<string, Verified>(maxKept)
  let generation = keys.generation

  return {
    scheme: 'bearer',
    header: 'bearer',
    missing: 'noTokenProvided',
    invalid: 'invalidToken',
    challenge: 'Bearer realm="API"',
    describes: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },

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
      verified.clear() // by a key that may be gone
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
    // Never kept: what it is good for depends on the route.
    const enrolment =
      request.routeOptions.config.enrols && (await tokens.verifyAccess(token, 'enrolment'))
    if (!enrolment) throw new ApiError('invalidOrExpiredToken')
    return { claims: enrolment, principal: principalOf(enrolment) }
  }
}

/**
 * Ends the bearer token that a request carries, for POST /logout, with the pair that it came with.
 * One that is invalid counts as revoked already.
 * @throws DatabaseUnavailable where the end cannot be stored
 */
export function endBearer(deps: EndTokenDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    const token = bearerToken(request)
    if (token !== null) await endLogin(deps, token)
  }
}

/** The token of `Authorization: Bearer`, in any case; null for another scheme, or none. */
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
    authenticatedAt: claims.auth_time * 1000,
  }
}
