import type { Config } from '../../core/config/load.ts'
import type { RefusalReason } from '../../core/errors.ts'
import {
  type AccessClaims,
  parseRoleName,
  type Role,
  rolesAmong,
} from '../../core/policy/principal.ts'
import { faultOfTimes, malformedClaim, shownClaim, toleranceSeconds } from './claim-faults.ts'
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
  return accepted(readAccess(raw, config, now, type), tell)
}

/** Claims or the reason of the first claim that is wrong. */
function readAccess(
  raw: Raw,
  { roles: known, token }: Pick<Config, 'roles' | 'token'>,
  now: number,
  type: AccessClaims['type'],
): AccessClaims | RefusalReason {
  const { sub, aud, exp, iat, nbf = iat, jti, username = '', auth_time = iat, ver = 1 } = raw
  const kindFault = faultOfKind(raw, token.issuer, type)
  if (kindFault) return kindFault
  if (!isSubject(sub)) return { code: 'claim_sub' }
  if (!isTime(exp)) return malformedClaim('exp')
  if (!isTime(iat)) return malformedClaim('iat')
  if (!isTime(nbf)) return malformedClaim('nbf')
  if (!isTime(auth_time)) return malformedClaim('auth_time')
  const timeFault = faultOfTimes({ sub, exp, iat, nbf }, now)
  if (timeFault) return timeFault
  if (!hasAudience(aud, token.audience)) {
    return { code: 'claim_aud', facts: { aud: shownClaim(aud), expected: token.audience } }
  }
  const roles = parseRoles(raw.roles ?? [], known)
  if (!roles) return malformedClaim('roles')
  if (!isName(jti)) return malformedClaim('jti')
  if (typeof username !== 'string') return malformedClaim('username')
  if (typeof ver !== 'number') return malformedClaim('ver')
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
  return accepted(readRefresh(raw, header, config, now), tell)
}

function readRefresh(
  raw: Raw,
  header: Raw,
  { token }: Pick<Config, 'token'>,
  now: number,
): RefreshClaims | RefusalReason {
  const { sub, exp, iat } = raw
  const { rid, ver, auth_time = iat } = header
  const kindFault = faultOfKind(raw, token.issuer, 'refresh')
  if (kindFault) return kindFault
  if (!isSubject(sub)) return { code: 'claim_sub' }
  if (!isTime(exp)) return malformedClaim('exp')
  if (!isTime(iat)) return malformedClaim('iat')
  if (!isTime(auth_time)) return malformedClaim('auth_time')
  const timeFault = faultOfTimes({ sub, exp, iat, nbf: iat }, now)
  if (timeFault) return timeFault
  if (typeof rid !== 'string') return malformedClaim('rid')
  if (typeof ver !== 'number') return malformedClaim('ver')
  return { sub, exp, rid, ver, authTime: auth_time, amr: parseAmr(header.amr) }
}

function accepted<Claims extends object>(
  read: Claims | RefusalReason,
  tell: TellReason | undefined,
): Claims | null {
  if (!('code' in read)) return read
  tell?.(read)
  return null
}

function faultOfKind({ type, iss }: Raw, issuer: string, expected: string): RefusalReason | null {
  if (type !== expected) return { code: 'claim_type', facts: { type: shownClaim(type), expected } }
  if (iss === issuer) return null
  return { code: 'claim_iss', facts: { iss: shownClaim(iss), expected: issuer } }
}

export function isWithinLifetime(
  { exp, nbf, iat }: Pick<AccessClaims, 'exp' | 'nbf' | 'iat'>,
  now: number,
): boolean {
  const latest = now + toleranceSeconds * 1000
  return now < exp * 1000 && nbf * 1000 <= latest && iat * 1000 <= latest
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value) && Number(value) >= 0
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
