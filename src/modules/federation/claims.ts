import type { RefusalReason } from '../../core/errors.ts'
import { codePointLength, isStorableText } from '../../core/lib/text.ts'
import {
  type ExternalClaims,
  isScope,
  parseRole,
  type Role,
  rolesAmong,
} from '../../core/policy/principal.ts'
import {
  faultOfTimes,
  isWithinLifetime,
  malformedClaim,
  shownClaim,
} from '../tokens/claim-faults.ts'
import { parseAmr } from '../tokens/claims.ts'
import type { TellReason } from '../tokens/jws.ts'

type Raw = Readonly<Record<string, unknown>>

export interface Expected {
  readonly issuer: string
  readonly audience: string
  /** Its ID tokens must not be accepted as access tokens. */
  readonly clientId: string | undefined
  readonly rolesClaim: string
  readonly allowedRoles: readonly Role[]
  /** Of header and payload; a signature is not unique. */
  readonly digest: string
}

const maxSubjectLength = 255 // OpenID Connect Core section 2
/** RFC 9068 section 2.1; most providers write `JWT`. */
const typesOfAccessTokens = new Set(['at+jwt', 'application/at+jwt', 'jwt'])
/** Claims of ID and logout tokens only. OpenID Connect Core 2, 3.1.3.6, Back-Channel Logout 2.4. */
const claimsOfOthers = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** Other tokens by `typ` (Keycloak) and `token_use` (Cognito). */
const kindsOfOthers = new Set(['id', 'refresh', 'offline', 'logout'])

/**
 * `now`: epoch milliseconds. RFC 9068 section 4. Null for other kinds of tokens, another audience,
 * an invalid time, and key-bound tokens (`cnf`: RFC 8705, RFC 9449).
 */
export function parseExternalClaims(
  raw: Raw,
  header: Raw,
  expected: Expected,
  now: number,
  tell?: TellReason,
): ExternalClaims | null {
  const claims = externalClaims(raw, header, expected, now)
  if (!claims) tell?.(faultOf(raw, header, expected, now))
  return claims
}

function externalClaims(
  raw: Raw,
  header: Raw,
  expected: Expected,
  now: number,
): ExternalClaims | null {
  const { iss, sub, aud, exp, iat = 0, nbf = iat, auth_time } = raw
  if (iss !== expected.issuer || !isSubject(sub) || !isAccessToken(raw, header, expected)) {
    return null
  }
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || !isWithinLifetime({ exp, iat, nbf }, now))
    return null
  if (!audiences(aud).includes(expected.audience)) return null
  const amr = parseAmr(raw.amr)
  return {
    iss,
    sub,
    exp: Math.floor(exp), // a revocation is stored until then
    nbf,
    iat,
    jti: expected.digest,
    roles: rolesAt(raw, expected) ?? [],
    scopes: scopesOf(raw),
    ...clientOf(raw),
    ...(amr.length > 0 && { amr }),
    // A login cannot be later than its token.
    ...(isTime(auth_time) && { auth_time: Math.min(auth_time, iat) }),
    ...standardClaims(raw),
  }
}

function faultOf(raw: Raw, header: Raw, expected: Expected, now: number): RefusalReason {
  const { iss, sub, aud, exp, iat = 0, nbf = iat } = raw
  if (iss !== expected.issuer) {
    return { code: 'claim_iss', facts: { iss: shownClaim(iss), expected: expected.issuer } }
  }
  if (!isSubject(sub)) return { code: 'claim_sub' }
  if (!isAccessToken(raw, header, expected)) {
    return { code: 'token_of_another_kind', facts: { user_id: null } }
  }
  if (!isTime(exp)) return malformedClaim('exp')
  if (!isTime(iat)) return malformedClaim('iat')
  if (!isTime(nbf)) return malformedClaim('nbf')
  const times = faultOfTimes({ exp, iat, nbf }, now)
  if (times) return times
  return { code: 'claim_aud', facts: { aud: shownClaim(aud), expected: expected.audience } }
}

/** The valid claims of tokens and UserInfo. OpenID Connect Core 5.1. */
export interface StandardClaims {
  readonly username?: string
  readonly email?: string
  readonly name?: string
}

export function standardClaims({ preferred_username, email, name }: Raw): StandardClaims {
  return {
    ...(isText(preferred_username) && { username: preferred_username }),
    ...(isText(email) && { email }),
    ...(isText(name) && { name }),
  }
}

/**
 * By name or dotted path; null without the claim. Ignores roles that the provider may not assign;
 * only lists have roles.
 */
export function rolesAt(
  raw: Raw,
  { rolesClaim: path, allowedRoles }: Pick<Expected, 'rolesClaim' | 'allowedRoles'>,
): Role[] | null {
  const value = memberAt(raw, path)
  if (value === undefined || value === null) return null
  const names: readonly unknown[] = Array.isArray(value) ? value : []
  return rolesAmong(
    names.flatMap((name) => parseRole(name, allowedRoles) ?? []),
    allowedRoles,
  )
}

/**
 * `scope`, separated by spaces (RFC 9068 section 2.2.3, RFC 8693 section 4.2), or `scp`: text or a
 * list. Empty if any element is invalid (RFC 6749 section 3.3).
 */
function scopesOf({ scope, scp }: Raw): readonly string[] {
  const given =
    scope === undefined && Array.isArray(scp) ? scp : textsOf(scope === undefined ? scp : scope)
  return given.every(isScope) ? [...new Set(given)] : []
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ') : []
}

/** RFC 9068 section 2.2, or the authorized party of OpenID Connect Core 2. */
function clientOf({ client_id, azp }: Raw): Pick<ExternalClaims, 'client_id'> {
  const client = client_id ?? azp
  return isText(client) ? { client_id: client } : {}
}

/** By name or dotted path. */
export function memberAt(raw: Raw, path: string): unknown {
  return member(raw, path) ?? path.split('.').reduce<unknown>(member, raw)
}

/** `constructor` is no claim. */
function member(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? (value as Raw)[name] : undefined
}

function isAccessToken(raw: Raw, { typ }: Raw, { audience, clientId }: Expected): boolean {
  if (typeof typ !== 'string' || !typesOfAccessTokens.has(typ.toLowerCase())) return false
  if (raw.cnf !== undefined || claimsOfOthers.some((name) => raw[name] !== undefined)) return false
  if ([raw.typ, raw.token_use].some((kind) => kindsOfOthers.has(String(kind).toLowerCase())))
    return false
  // An ID token's audience is its client: then require the access token type.
  return audience !== clientId || typ.toLowerCase() !== 'jwt'
}

function audiences(aud: unknown): readonly unknown[] {
  return Array.isArray(aud) ? aud : [aud]
}

export function isSubject(value: unknown): value is string {
  return isText(value) && codePointLength(value) <= maxSubjectLength
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isStorableText(value)
}

/** In seconds, convertible to milliseconds. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value * 1000 <= Number.MAX_SAFE_INTEGER
}
