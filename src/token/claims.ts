import type { Config } from '../config/load.ts'
import { type AccessClaims, parseRoleName, type Role, rolesAmong } from '../kernel/principal.ts'

/** The claims of a refresh token and what stands in its signed header. Spec 2.5. */
export interface RefreshClaims {
  readonly sub: string
  readonly exp: number
  /** Names the token, so that it can be revoked; never the token itself. */
  readonly rid: string
  readonly ver: number
  /** Seconds since the epoch. */
  readonly authTime: number
  /** Empty where the token does not say. */
  readonly amr: readonly string[]
}

type Raw = Readonly<Record<string, unknown>>

// Clocks of nodes differ a little. Expiry has no tolerance: it is ours alone to tell.
const toleranceSeconds = 5
const subjectFormat = /^[1-9][0-9]{0,15}$/

/**
 * The claims of an access token of ours (or of an enrolment token) at `now` (epoch milliseconds), or null where one is missing,
 * of another type or out of its time. Spec 2.4, 5.3 rule 2; RFC 7519 section 4.1.
 */
export function parseAccessClaims(
  raw: Raw,
  { roles: known, token }: Pick<Config, 'roles' | 'token'>,
  now: number,
  type: AccessClaims['type'] = 'access',
): AccessClaims | null {
  const { iss, sub, aud, exp, iat, nbf = iat, jti, username = '', auth_time = iat, ver = 1 } = raw
  if (raw.type !== type || iss !== token.issuer || !isSubject(sub)) return null
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || !isTime(auth_time)) return null
  if (!isWithinLifetime({ exp, iat, nbf }, now) || !names(aud, token.audience)) return null
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

/** The same for a refresh token, whose header carries what its five claims have no room for. */
export function parseRefreshClaims(
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

/** Whether a token may be used at `now`; asked again at each use of one that was verified before. */
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

/** Our own subjects are user ids. */
function isSubject(value: unknown): value is string {
  return typeof value === 'string' && subjectFormat.test(value)
}

/** RFC 7519 section 4.1.3: one audience, or a list that holds ours. */
function names(aud: unknown, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.includes(audience))
}

/**
 * A list of role names and nothing else: a text that merely contains a name gives no role. A name
 * that `ROLES` has lost since gives none either, and the token goes on with the others.
 */
function parseRoles(value: unknown, known: readonly Role[]): Role[] | null {
  if (!Array.isArray(value)) return null
  const names = value.map(parseRoleName)
  return names.every((name) => name !== null) ? rolesAmong(names, known) : null
}

/** How the holder authenticated: a list of texts; anything else says nothing. RFC 8176 section 1. */
export function parseAmr(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every(isName) ? value : []
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
