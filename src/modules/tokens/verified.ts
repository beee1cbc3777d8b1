import type { Clock } from '../../core/lib/clock.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { AccessClaims, Principal } from '../../core/policy/principal.ts'
import type { KeySet } from '../keys/key-set.ts'
import { isWithinLifetime } from './claim-faults.ts'
import type { TellReason } from './jws.ts'
import type { Tokens } from './tokens.ts'

/** A token with a valid signature and claims; revocation is checked at each use. */
export interface VerifiedToken {
  readonly claims: AccessClaims
  readonly principal: Principal
}

/**
 * The access tokens that this process has verified. The key of the cache is the whole token text,
 * so that two tokens cannot share an entry.
 */
export interface Verified {
  /** A cached token within its lifetime. */
  recall(token: string): VerifiedToken | undefined
  /** Verifies a token, and caches it at its second use; null as `Tokens.verifyAccess`. */
  verify(token: string, tell?: TellReason): VerifiedToken | null | Promise<VerifiedToken | null>
}

export interface VerifiedDeps {
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'generation'>
  readonly tokens: Pick<Tokens, 'verifyAccess'>
}

const maxCached = 10_000
/** At most a sixth is set. */
const marks = 65_536

/** A change of the keys empties the cache. */
export function createVerified({ clock, keys, tokens }: VerifiedDeps): Verified {
  const cached = new BoundedMap<string, VerifiedToken>(maxCached)
  const isUsedAgain = createUsedOnce()
  let generation = keys.generation
  return {
    recall(token) {
      if (keys.generation !== generation) {
        cached.clear() // the key of a signature may have ended
        generation = keys.generation
      }
      const known = cached.get(token)
      return known && isWithinLifetime(known.claims, clock.now()) ? known : undefined
    },

    verify(token, tell) {
      const { generation: verifiedWith } = keys
      const keep = (claims: AccessClaims | null) => {
        if (!claims) return null
        const entry = { claims, principal: principalOf(claims) }
        // The key may have been removed during the verification.
        if (isUsedAgain(token) && keys.generation === verifiedWith) cached.set(token, entry)
        return entry
      }
      const claims = tokens.verifyAccess(token, 'access', tell)
      return claims instanceof Promise ? claims.then(keep) : keep(claims)
    },
  }
}

/**
 * Whether a token was used recently. An entry for a token that is never used again would cost more
 * than the verification, because the entry outlives the request: docs/adr/0094. Tokens that share a
 * mark are cached at their first use.
 */
function createUsedOnce(): (token: string) => boolean {
  const isMarked = new Uint8Array(marks)
  let count = 0
  return (token) => {
    const mark = hashOf(token) % marks
    if (isMarked[mark] === 1) return true
    if (count === maxCached) {
      isMarked.fill(0)
      count = 0
    }
    isMarked[mark] = 1
    count += 1
    return false
  }
}

/** A hash of the end of the signature. */
function hashOf(token: string): number {
  let hash = 0
  for (const character of token.slice(-8)) {
    hash = Math.imul(hash, 31) + character.charCodeAt(0)
  }
  return hash >>> 0
}

export function principalOf(claims: AccessClaims): Principal {
  return {
    subject: claims.sub,
    username: claims.username,
    roles: new Set(claims.roles),
    credential: { scheme: 'bearer', claims },
    amr: claims.amr,
    // Only a login issues an enrolment token, so its issue is the login.
    authTime: (claims.type === 'enrolment' ? claims.iat : claims.auth_time) * 1000,
  }
}
