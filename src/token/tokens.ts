import { type CompactJWSHeaderParameters, CompactSign, SignJWT } from 'jose'
import type { Account } from '../accounts/account.ts'
import type { Config } from '../config.ts'
import { type Clock, epochSeconds } from '../kernel/clock.ts'
import { digest } from '../kernel/digest.ts'
import type { AccessClaims } from '../kernel/principal.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { parseAccessClaims, parseRefreshClaims, type RefreshClaims } from './claims.ts'
import { parseObject, verifyJws } from './jws.ts'

/** Issues and verifies the tokens of this service. Spec 2.4, 2.5, 5.3; RFC 7519. */
export interface Tokens {
  /** An access token that lives `seconds`. */
  issueAccess(account: Account, options: AccessOptions): Promise<string>
  issueRefresh(account: Account, authenticatedAt: number): Promise<string>
  /** Null where the token is not one of ours, not an access token, or out of its time. */
  verifyAccess(token: string): Promise<AccessClaims | null>
  verifyRefresh(token: string): Promise<RefreshClaims | null>
}

export interface AccessOptions {
  readonly seconds: number
  /** When the password was last shown, in epoch milliseconds. */
  readonly authenticatedAt: number
}

export interface TokensDeps {
  readonly config: Pick<Config, 'token'>
  readonly clock: Clock
  readonly random: Random
  readonly keys: KeySet
}

const idBytes = 16

export function createTokens({ config, clock, random, keys }: TokensDeps): Tokens {
  const find = (kid: string | undefined) => keys.find(kid)
  const header = () => ({ alg: keys.current.algorithm, typ: 'JWT', kid: keys.current.kid })

  return {
    async issueAccess(account, { seconds, authenticatedAt }) {
      const now = epochSeconds(clock.now())
      return new SignJWT({
        username: account.username,
        roles: [...account.roles],
        type: 'access',
        auth_time: epochSeconds(authenticatedAt),
        ver: account.accessVersion,
      })
        .setProtectedHeader(header())
        .setIssuer(config.token.issuer)
        .setSubject(String(account.userId))
        .setAudience(config.token.audience)
        .setExpirationTime(now + seconds)
        .setNotBefore(now)
        .setIssuedAt(now)
        .setJti(randomText(random, idBytes))
        .sign(keys.current.signWith)
    },

    async issueRefresh(account, authenticatedAt) {
      const now = epochSeconds(clock.now())
      // Spec 2.5 gives the token five claims and no more; what revokes it is signed in the header.
      const protectedHeader: CompactJWSHeaderParameters = {
        ...header(),
        rid: randomText(random, idBytes),
        ver: account.refreshVersion,
        auth_time: epochSeconds(authenticatedAt),
      }
      const payload = JSON.stringify({
        iss: config.token.issuer,
        sub: String(account.userId),
        type: 'refresh',
        iat: now,
        exp: now + config.token.refreshSeconds,
      })
      return new CompactSign(Buffer.from(payload))
        .setProtectedHeader(protectedHeader)
        .sign(keys.current.signWith)
    },

    async verifyAccess(token) {
      const verified = await verifyJws(token, find)
      const raw = verified && parseObject(verified.payload)
      // Without an id of its own a token is known by its digest, so that it can be revoked.
      return raw ? parseAccessClaims({ jti: digest(token), ...raw }, config, clock.now()) : null
    },

    async verifyRefresh(token) {
      const verified = await verifyJws(token, find)
      const raw = verified && parseObject(verified.payload)
      return raw ? parseRefreshClaims(raw, verified.header, config, clock.now()) : null
    },
  }
}
