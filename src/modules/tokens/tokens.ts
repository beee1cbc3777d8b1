import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import { epochSeconds } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { type AccessClaims, rolesAmong } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { Evidence } from '../authentication/evidence.ts'
import type { SigningKey } from '../keys/signing-key.ts'
import { parseAccessClaims, parseRefreshClaims, type RefreshClaims } from './claims.ts'
import { parseObject, signJws, type TellReason, type VerifiedJws, verifyJws } from './jws.ts'
import { pairIdOf } from './pair.ts'
import { refreshEnd } from './refresh-end.ts'
import type { Successor } from './rotation.ts'

/** Issues and verifies the tokens of this service. Spec 2.4, 2.5, 5.3; RFC 7519. */
export interface Tokens {
  /** The id of an access token that is recorded before it is issued. */
  newJti(): string
  issueAccess(account: Account, options: AccessOptions): Promise<string>
  /** Issues a token for ten minutes that allows only the enrolment of a second factor. */
  issueEnrolment(account: Account, authentication: AuthenticationEvent): Promise<string>
  issuePair(account: Account, options: Omit<AccessOptions, 'type' | 'sid'>): Promise<Pair>
  issueRefresh(account: Account, options: RefreshOptions): Promise<string>
  /**
   * Null if this service did not sign the token, or for a wrong type or lifetime; `tell` receives
   * the reason.
   */
  verifyAccess(
    token: string,
    type?: AccessClaims['type'],
    tell?: TellReason,
  ): AccessClaims | null | Promise<AccessClaims | null>
  /** Null as `verifyAccess`. */
  verifyRefresh(token: string, tell?: TellReason): Promise<RefreshClaims | null>
}

/** How and when the user authenticated; unchanged for the life of a token. */
export interface AuthenticationEvent extends Pick<Evidence, 'authTime'> {
  /** RFC 8176; empty if unknown. */
  readonly amr: readonly string[]
}

export interface AccessOptions extends AuthenticationEvent {
  readonly seconds: number
  readonly type?: AccessClaims['type']
  readonly sid?: string
  readonly jti?: string
}

export interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
}

export interface RefreshOptions extends AuthenticationEvent {
  readonly identity: Successor
}

const idBytes = 16
const enrolmentSeconds = 600

export function createTokens({
  accountClaims,
  config,
  clock,
  random,
  keys,
}: Pick<Needs, 'accountClaims' | 'config' | 'clock' | 'random' | 'keys'>): Tokens {
  const header = ({ algorithm, kid }: SigningKey) => ({ alg: algorithm, typ: 'JWT', kid })
  const newJti = () => randomText(random, idBytes)

  return {
    newJti,

    async issueAccess(account, options) {
      const { seconds, authTime, amr, sid, type = 'access', jti = newJti() } = options
      const key = await keys.signer('signing')
      const now = epochSeconds(clock.now())
      const added = type === 'access' ? await accountClaims.of(account.userId, 'access_token') : {}
      return signJws(key, header(key), {
        ...added, // first: no claim of the service is replaced
        username: account.username,
        roles: rolesAmong(account.roles, config.roles),
        type,
        auth_time: epochSeconds(authTime),
        ...(amr.length > 0 && { amr }),
        ver: account.accessVersion,
        sid,
        // The verified address of the account. The address of the user may change without a proof:
        // docs/adr/0060
        ...(type === 'access' &&
          account.email !== null && { email: account.email, email_verified: true }),
        iss: config.token.issuer,
        sub: String(account.userId),
        aud: config.token.audience,
        exp: now + seconds,
        nbf: now,
        iat: now,
        jti,
      })
    },

    issueEnrolment(account, { amr, authTime }) {
      const options = { seconds: enrolmentSeconds, amr, authTime }
      return this.issueAccess(account, { ...options, type: 'enrolment' })
    },

    async issuePair(account, { amr, authTime, ...options }) {
      const issuedAt = epochSeconds(clock.now())
      const rid = randomText(random, idBytes)
      const times = { authTime: epochSeconds(authTime), issuedAt }
      const identity = { rid, issuedAt, expiresAt: refreshEnd(config.token, times) }
      const sid = pairIdOf({ rid, exp: identity.expiresAt })
      const [accessToken, refreshToken] = await Promise.all([
        this.issueAccess(account, { ...options, amr, authTime, sid }),
        this.issueRefresh(account, { amr, authTime, identity }),
      ])
      return { accessToken, refreshToken }
    },

    async issueRefresh(account, { amr, authTime, identity }) {
      const { rid, issuedAt, expiresAt } = identity
      const key = await keys.signer('refresh')
      // Spec 2.5 allows five claims only: the header holds the claims for revocation.
      const protectedHeader = {
        ...header(key),
        rid,
        ver: account.refreshVersion,
        auth_time: epochSeconds(authTime),
        ...(amr.length > 0 && { amr }),
      }
      return signJws(key, protectedHeader, {
        iss: config.token.issuer,
        sub: String(account.userId),
        type: 'refresh',
        iat: issuedAt,
        exp: expiresAt,
      })
    },

    verifyAccess(token, type, tell) {
      const claimsOf = (verified: VerifiedJws | null) => {
        const raw = verified && parsed(verified, tell)
        if (!raw) return null
        // A digest as id makes a token without `jti` revocable.
        const named = Object.hasOwn(raw, 'jti') ? raw : { ...raw, jti: digest(token) }
        return parseAccessClaims(named, config, clock.now(), type, tell)
      }
      const verified = verifyJws(token, (kid) => keys.find(kid, 'signing'), tell)
      return verified instanceof Promise ? verified.then(claimsOf) : claimsOf(verified)
    },

    async verifyRefresh(token, tell) {
      await keys.refresh()
      const verified = await verifyJws(token, (kid) => keys.find(kid, 'refresh'), tell)
      const raw = verified && parsed(verified, tell)
      return raw ? parseRefreshClaims(raw, verified.header, config, clock.now(), tell) : null
    },
  }
}

function parsed({ payload }: VerifiedJws, tell: TellReason | undefined) {
  const raw = parseObject(payload)
  if (!raw) tell?.({ code: 'token_payload_malformed' })
  return raw
}
