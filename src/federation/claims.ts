import {
  type ExternalClaims,
  isScope,
  parseRole,
  type Role,
  rolesAmong,
} from '../kernel/principal.ts'
import { codePointLength, isStorableText } from '../kernel/text.ts'
import { isWithinLifetime, parseAmr } from '../token/claims.ts'

type Raw = Readonly<Record<string, unknown>>

export interface Expected {
  readonly issuer: string
  readonly audience: string
  /** Of ours, whose ID tokens must not pass for access tokens. */
  readonly clientId: string | undefined
  readonly rolesClaim: string
  readonly allowedRoles: readonly Role[]
  /** What the token is known by: of header and payload, since a signature is not unique. */
  readonly digest: string
}

const maxSubjectLength = 255 // OpenID Connect Core section 2
/** RFC 9068 section 2.1; plain JWT is what most providers write. */
const typesOfAccessTokens = new Set(['at+jwt', 'application/at+jwt', 'jwt'])
/** What only ID tokens and logout tokens carry. OpenID Connect Core 2 and 3.1.3.6, Back-Channel Logout 2.4. */
const claimsOfOthers = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** Words by which Keycloak (`typ`) and Cognito (`token_use`) tell other tokens apart. */
const kindsOfOthers = new Set(['id', 'refresh', 'offline', 'logout'])

/**
 * The claims of a provider's access token at `now` (epoch milliseconds), or null where it is another
 * kind of token, for somebody else, out of its time, or bound to a key that a bearer does not show
 * (`cnf`: RFC 8705, RFC 9449). RFC 9068 section 4.
 */
export function parseExternalClaims(
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
    // A login cannot be younger than the token that tells of it.
    ...(isTime(auth_time) && { auth_time: Math.min(auth_time, iat) }),
    ...texts(raw),
  }
}

/** What tokens and UserInfo say of a person, where it is text that can be kept. */
export interface Texts {
  readonly username?: string
  readonly email?: string
  readonly name?: string
}

export function texts({ preferred_username, email, name }: Raw): Texts {
  return {
    ...(isText(preferred_username) && { username: preferred_username }),
    ...(isText(email) && { email }),
    ...(isText(name) && { name }),
  }
}

/**
 * The roles in a claim, by its name or by names with dots between them; null where there is no such
 * claim. A list of exact names of roles that the provider may give: others are passed over, and a text
 * that holds one gives none.
 */
export function rolesAt(
  raw: Raw,
  { rolesClaim: path, allowedRoles }: Pick<Expected, 'rolesClaim' | 'allowedRoles'>,
): Role[] | null {
  const value = member(raw, path) ?? path.split('.').reduce<unknown>(member, raw)
  if (value === undefined || value === null) return null
  const names: readonly unknown[] = Array.isArray(value) ? value : []
  return rolesAmong(
    names.flatMap((name) => parseRole(name, allowedRoles) ?? []),
    allowedRoles,
  )
}

/**
 * What the client may do: `scope`, a text with single spaces (RFC 9068 section 2.2.3, RFC 8693 section
 * 4.2), or else `scp`, which some providers write, as such a text or as a list. What is not all
 * scopes (RFC 6749 section 3.3) counts as none.
 */
function scopesOf({ scope, scp }: Raw): readonly string[] {
  const given =
    scope === undefined && Array.isArray(scp) ? scp : textsOf(scope === undefined ? scp : scope)
  return given.every(isScope) ? [...new Set(given)] : []
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ') : []
}

/** RFC 9068 section 2.2, or else the authorized party of OpenID Connect Core section 2. */
function clientOf({ client_id, azp }: Raw): Pick<ExternalClaims, 'client_id'> {
  const client = client_id ?? azp
  return isText(client) ? { client_id: client } : {}
}

/** Own members alone: `constructor` is no claim. */
function member(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.hasOwn(value, name) ? (value as Raw)[name] : undefined // it has the name
}

function isAccessToken(raw: Raw, { typ }: Raw, { audience, clientId }: Expected): boolean {
  if (typeof typ !== 'string' || !typesOfAccessTokens.has(typ.toLowerCase())) return false
  if (raw.cnf !== undefined || claimsOfOthers.some((name) => raw[name] !== undefined)) return false
  if ([raw.typ, raw.token_use].some((kind) => kindsOfOthers.has(String(kind).toLowerCase())))
    return false
  // An ID token is for its client: for that audience only a token that says what it is passes.
  return audience !== clientId || typ.toLowerCase() !== 'jwt'
}

function audiences(aud: unknown): readonly unknown[] {
  return Array.isArray(aud) ? aud : [aud]
}

/** Whether a claim is a subject that can be kept: of an access token and of an ID token alike. */
export function isSubject(value: unknown): value is string {
  return isText(value) && codePointLength(value) <= maxSubjectLength
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isStorableText(value)
}

/** Seconds whose milliseconds can be counted. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value * 1000 <= Number.MAX_SAFE_INTEGER
}
