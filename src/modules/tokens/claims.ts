import type { Config } from '../../core/config/load.ts'
import type { RefusalReason } from '../../core/errors.ts'
import {
  type AccessClaims,
  parseRoleName,
  type Role,
  rolesAmong,
} from '../../core/policy/principal.ts'
import {
  type ClaimsToJudge,
  faultOfTimes,
  malformedClaim,
  shownClaim,
  toleranceSeconds,
} from './claim-faults.ts'
import type { TellReason } from './jws.ts'

/** The claims of a refresh token, from its payload and its signed header. Spec 2.5. */
export interface RefreshClaims {
  readonly sub: string
  readonly exp: number
  /** The id for revocation, not the token. */
  readonly rid: string
  readonly ver: number
  /** Seconds since the epoch. */
  readonly authTime: number
  readonly amr: readonly string[]
}

type Raw = Readonly<Record<string, unknown>>

const subjectFormat = /^[1-9][0-9]{0,15}$/

/**
 * Parses the claims of an access token or enrolment token of this service. `now` is in epoch
 * milliseconds. Null for a wrong claim, issuer, audience, type or lifetime; `tell` receives the
 * reason. Spec 2.4, 5.3 rule 2; RFC 7519 section 4.1.
 */
export function parseAccessClaims(
  raw: Raw,
  config: Pick<Config, 'roles' | 'token'>,
  now: number,
  type: AccessClaims['type'] = 'access',
  tell?: TellReason,
): AccessClaims | null {
  const claims = accessClaims(raw, config, now, type)
  if (!claims) tell?.(faultOfAccess(raw, config, now, type))
  return claims
}

function accessClaims(
  raw: Raw,
  { roles: known, token }: Pick<Config, 'roles' | 'token'>,
  now: number,
  type: AccessClaims['type'],
): AccessClaims | null {
  const { iss, sub, aud, exp, iat, nbf = iat, jti, username = '', auth_time = iat, ver = 1 } = raw
  if (raw.type !== type || iss !== token.issuer || !isSubject(sub)) return null
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || !isTime(auth_time)) return null
  if (!isWithinLifetime({ exp, iat, nbf }, now) || !hasAudience(aud, token.audience)) return null
  const roles = parseRoles(raw.roles ?? [], known)
  if (!roles || typeof jti !== 'string' || jti === '' || typeof username !== 'string') return null
  if (typeof ver !== 'number') return null
  return {
    iss: token.issuer,
    sub,
    aud: token.audience,
    exp,
    nbf,
    iat,
    jti,
    username,
    roles,
    type,
    auth_time,
    amr: parseAmr(raw.amr),
    ver,
    ...(typeof raw.sid === 'string' && { sid: raw.sid }),
    ...(typeof raw.email === 'string' && { email: raw.email }),
    ...(typeof raw.name === 'string' && { name: raw.name }),
  }
}

/** Parses a refresh token; the signed header holds the claims beyond the five of the payload. */
export function parseRefreshClaims(
  raw: Raw,
  header: Raw,
  config: Pick<Config, 'token'>,
  now: number,
  tell?: TellReason,
): RefreshClaims | null {
  const claims = refreshClaims(raw, header, config, now)
  if (!claims) tell?.(faultOfRefresh(raw, header, config, now))
  return claims
}

function refreshClaims(
  raw: Raw,
  header: Raw,
  { token }: Pick<Config, 'token'>,
  now: number,
): RefreshClaims | null {
  const { iss, sub, exp, iat } = raw
  const { rid, ver, auth_time = iat } = header
  if (raw.type !== 'refresh' || iss !== token.issuer || !isSubject(sub)) return null
  if (!isTime(exp) || !isTime(iat) || !isTime(auth_time)) return null
  if (!isWithinLifetime({ exp, iat, nbf: iat }, now)) return null
  if (typeof rid !== 'string' || typeof ver !== 'number') return null
  return { sub, exp, rid, ver, authTime: auth_time, amr: parseAmr(header.amr) }
}

function faultOfAccess(
  raw: Raw,
  { roles: known, token }: Pick<Config, 'roles' | 'token'>,
  now: number,
  expected: AccessClaims['type'],
): RefusalReason {
  const common = faultOfCommon(raw, token.issuer, expected)
  if (common) return common
  const { aud, exp, iat, nbf = iat, jti, username = '', auth_time = iat } = raw
  for (const [claim, time] of Object.entries({ exp, iat, nbf, auth_time })) {
    if (!isTime(time)) return malformedClaim(claim)
  }
  const times = faultOfTimes({ ...raw, exp, iat, nbf } as ClaimsToJudge, now)
  if (times) return times
  if (!hasAudience(aud, token.audience)) {
    return { code: 'claim_aud', facts: { aud: shownClaim(aud), expected: token.audience } }
  }
  if (!parseRoles(raw.roles ?? [], known)) return malformedClaim('roles')
  if (typeof jti !== 'string' || jti === '') return malformedClaim('jti')
  return malformedClaim(typeof username === 'string' ? 'ver' : 'username')
}

function faultOfRefresh(
  raw: Raw,
  { rid, auth_time = raw.iat }: Raw,
  { token }: Pick<Config, 'token'>,
  now: number,
): RefusalReason {
  const common = faultOfCommon(raw, token.issuer, 'refresh')
  if (common) return common
  const { exp, iat } = raw
  for (const [claim, time] of Object.entries({ exp, iat, auth_time })) {
    if (!isTime(time)) return malformedClaim(claim)
  }
  const times = faultOfTimes({ ...raw, exp, iat, nbf: iat } as ClaimsToJudge, now)
  if (times) return times
  return malformedClaim(typeof rid === 'string' ? 'ver' : 'rid')
}

function faultOfCommon(
  { type, iss, sub }: Raw,
  issuer: string,
  expected: string,
): RefusalReason | null {
  if (type !== expected) return { code: 'claim_type', facts: { type: shownClaim(type), expected } }
  if (iss !== issuer) {
    return { code: 'claim_iss', facts: { iss: shownClaim(iss), expected: issuer } }
  }
  return isSubject(sub) ? null : { code: 'claim_sub' }
}

export function isWithinLifetime(
  { exp, nbf, iat }: Pick<AccessClaims, 'exp' | 'nbf' | 'iat'>,
  now: number,
): boolean {
  const latest = now + toleranceSeconds * 1000
  return now < exp * 1000 && nbf * 1000 <= latest && iat * 1000 <= latest
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isSubject(value: unknown): value is string {
  return typeof value === 'string' && subjectFormat.test(value)
}

/** RFC 7519 section 4.1.3. */
function hasAudience(aud: unknown, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.includes(audience))
}

/**
 * Null for anything but a list of names. A name that is no longer in `ROLES` grants nothing; the
 * other roles stay.
 */
function parseRoles(value: unknown, known: readonly Role[]): Role[] | null {
  if (!Array.isArray(value)) return null
  const names = value.map(parseRoleName)
  return names.every((name) => name !== null) ? rolesAmong(names, known) : null
}

/** Empty for anything but a list of texts. RFC 8176 section 1. */
export function parseAmr(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every(isName) ? value : []
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
