import type { Config } from '../../core/config/load.ts'
import type { RefusalReason } from '../../core/errors.ts'
import {
  type AccessClaims,
  parseRoleName,
  type Role,
  rolesAmong,
} from '../../core/policy/principal.ts'
import { faultOfTimes, malformedClaim, shownClaim } from './claim-faults.ts'
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
  const { roles: known, token } = config
  const refuse = refusing(tell)
  const { sub, aud, exp, iat, nbf = iat, jti, username = '', auth_time = iat, ver = 1 } = raw
  const kindFault = faultOfKind(raw, token.issuer, type)
  if (kindFault) return refuse(kindFault)
  if (!isSubject(sub)) return refuse({ code: 'claim_sub' })
  if (!isTime(exp)) return refuse(malformedClaim('exp'))
  if (!isTime(iat)) return refuse(malformedClaim('iat'))
  if (!isTime(nbf)) return refuse(malformedClaim('nbf'))
  if (!isTime(auth_time)) return refuse(malformedClaim('auth_time'))
  const timeFault = faultOfTimes({ sub, exp, iat, nbf }, now)
  if (timeFault) return refuse(timeFault)
  if (!hasAudience(aud, token.audience)) {
    return refuse({
      code: 'claim_aud',
      facts: { aud: shownClaim(aud), expected: token.audience },
    })
  }
  const roles = parseRoles(raw.roles ?? [], known)
  if (!roles) return refuse(malformedClaim('roles'))
  if (!isName(jti)) return refuse(malformedClaim('jti'))
  if (typeof username !== 'string') return refuse(malformedClaim('username'))
  if (typeof ver !== 'number') return refuse(malformedClaim('ver'))
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
  const refuse = refusing(tell)
  const { sub, exp, iat } = raw
  const { rid, ver, auth_time = iat } = header
  const kindFault = faultOfKind(raw, config.token.issuer, 'refresh')
  if (kindFault) return refuse(kindFault)
  if (!isSubject(sub)) return refuse({ code: 'claim_sub' })
  if (!isTime(exp)) return refuse(malformedClaim('exp'))
  if (!isTime(iat)) return refuse(malformedClaim('iat'))
  if (!isTime(auth_time)) return refuse(malformedClaim('auth_time'))
  const timeFault = faultOfTimes({ sub, exp, iat, nbf: iat }, now)
  if (timeFault) return refuse(timeFault)
  if (typeof rid !== 'string') return refuse(malformedClaim('rid'))
  if (typeof ver !== 'number') return refuse(malformedClaim('ver'))
  return { sub, exp, rid, ver, authTime: auth_time, amr: parseAmr(header.amr) }
}

function refusing(tell: TellReason | undefined) {
  return (reason: RefusalReason): null => {
    tell?.(reason)
    return null
  }
}

function faultOfKind({ type, iss }: Raw, issuer: string, expected: string): RefusalReason | null {
  if (type !== expected) return { code: 'claim_type', facts: { type: shownClaim(type), expected } }
  if (iss === issuer) return null
  return { code: 'claim_iss', facts: { iss: shownClaim(iss), expected: issuer } }
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
