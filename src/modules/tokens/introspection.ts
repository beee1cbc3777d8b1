import type { Needs } from '../../core/module/services.ts'
import type { AccessClaims, Role } from '../../core/policy/principal.ts'
import { parseObject } from './jws.ts'

/** The members for an active token. RFC 7662 section 2.2; times in whole seconds. */
export interface ActiveToken {
  readonly active: true
  readonly token_type: 'Bearer' | 'DPoP'
  readonly iss: string
  readonly sub: string
  readonly aud: string | string[]
  readonly exp: number
  readonly iat: number
  readonly nbf?: number
  readonly jti?: string
  readonly username?: string
  readonly scope?: string
  readonly client_id?: string
  /** The key that the token is bound to. RFC 9449 section 6.2 */
  readonly cnf?: { readonly jkt: string }
  /** Members of this service, which RFC 7662 allows. */
  readonly roles?: Role[]
  readonly auth_time?: number
  readonly amr?: string[]
  readonly sid?: string
  /** OpenID Connect Core section 5.1. */
  readonly email?: string
  readonly email_verified?: boolean
}

/**
 * The claims of a token that a bearer request would accept now and that is for one of the
 * audiences; null for any other text. Tokens of other audiences take the same work as forged
 * tokens. RFC 7662.
 * @throws DatabaseUnavailable as `Revocations.refuses`
 */
export async function introspect(
  {
    keys,
    revocations,
    tokens,
    verified,
  }: Pick<Needs, 'keys' | 'revocations' | 'tokens' | 'verified'>,
  token: string,
  audiences: ReadonlySet<string>,
): Promise<ActiveToken | null> {
  const payload = payloadOf(token)
  if (!payload) return null
  if (!isFor(payload, audiences)) {
    await tokens.verifyAccess(token)
    return null
  }
  await keys.refresh()
  // From here on `payload` is verified: it comes from the same text.
  const { claims } = verified.recall(token) ?? (await verified.verify(token)) ?? {}
  if (!claims || (await revocations.refuses(claims))) return null
  return membersOf(payload, claims)
}

/** The payload of a JWS, not verified. Null if the text is no JWS of JSON. */
export function payloadOf(token: string): Readonly<Record<string, unknown>> | null {
  const segments = token.split('.')
  return segments.length === 3 ? parseObject(Buffer.from(segments[1] ?? '', 'base64url')) : null
}

/** RFC 7519 section 4.1.3. */
export function isFor(
  { aud }: Readonly<Record<string, unknown>>,
  audiences: ReadonlySet<unknown>,
): boolean {
  return [aud].flat().some((name) => audiences.has(name))
}

/** From the payload: `claims` have defaults for missing claims. */
function membersOf(payload: Readonly<Record<string, unknown>>, claims: AccessClaims): ActiveToken {
  const { aud, amr, auth_time, client_id, email_verified, jti, nbf, roles, scope } = payload
  const { username } = payload
  const { iss, sub, exp, iat } = claims
  return {
    active: true,
    token_type: 'Bearer',
    iss,
    sub,
    aud: Array.isArray(aud) ? aud.filter(isText) : claims.aud,
    exp: Math.floor(exp),
    iat: Math.floor(iat),
    ...(nbf !== undefined && { nbf: Math.floor(claims.nbf) }),
    ...(jti !== undefined && { jti: claims.jti }),
    ...(username !== undefined && { username: claims.username }),
    ...(isText(scope) && { scope }),
    ...(isText(client_id) && { client_id }),
    ...(roles !== undefined && { roles: [...claims.roles] }),
    ...(auth_time !== undefined && { auth_time: Math.floor(claims.auth_time) }),
    ...(amr !== undefined && { amr: [...claims.amr] }),
    ...(claims.sid !== undefined && { sid: claims.sid }),
    ...(claims.email !== undefined && { email: claims.email }),
    ...(typeof email_verified === 'boolean' && { email_verified }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
