/** The roles of spec 2.2, in the order in which they are shown. */
export const roleNames = ['USER', 'EDITOR', 'ADMIN'] as const
export type Role = (typeof roleNames)[number]

/** How the caller proved who it is. */
export type Credential =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'session'
      /** The digest under which the session is stored, never the cookie's value. */
      readonly sessionId: string
      readonly csrfToken: string
      /** When the session ends if nothing more is asked, in epoch milliseconds. */
      readonly expiresAt: number
    }
  | { readonly scheme: 'bearer'; readonly claims: AccessClaims }
  | { readonly scheme: 'external'; readonly claims: ExternalClaims }
  | { readonly scheme: OutsideScheme }

/** Of a room from outside; its name begins with `x-`, so that it is none of ours. */
export type OutsideScheme = `x-${string}`

/** What a route may ask for. A token of another issuer comes where one of ours may. */
export type Scheme = Exclude<Credential['scheme'], 'external'>

/** The claims of an access token of ours. Spec 2.4; RFC 7519 section 4. */
export interface AccessClaims {
  readonly iss: string
  readonly sub: string
  readonly aud: string
  /** Seconds since the epoch, as nbf, iat and auth_time are. */
  readonly exp: number
  readonly nbf: number
  readonly iat: number
  readonly jti: string
  readonly username: string
  readonly roles: readonly Role[]
  /** `enrolment`: good for the enrolment of a second factor alone. */
  readonly type: 'access' | 'enrolment'
  /** When the password was last shown. OpenID Connect Core section 2. */
  readonly auth_time: number
  /** The account's access version when the token was made. */
  readonly ver: number
  /** The id of the pair that it came with, or was refreshed from; absent without a pair. */
  readonly sid?: string
  /** Shown by /api/me where a token has them. */
  readonly email?: string
  readonly name?: string
}

/** The claims of an access token of an identity provider. RFC 9068 section 2.2; spec 2.4, 5.4. */
export interface ExternalClaims {
  readonly iss: string
  readonly sub: string
  readonly exp: number
  readonly nbf: number
  readonly iat: number
  /** Names the token for revocation: its digest, since a `jti` is unique per issuer alone. */
  readonly jti: string
  readonly roles: readonly Role[]
  /** When its holder last logged in there; absent where the provider does not tell. */
  readonly auth_time?: number
  readonly username?: string
  readonly email?: string
  readonly name?: string
}

/** The authenticated caller. Everything behind `http/access.ts` sees this and no header. */
export interface Principal {
  /**
   * The user's id as text: `sub` of the token, `user_id` of the session. Of an external caller
   * without an account `issuer#sub`, which is no number and so nobody's id.
   */
  readonly subject: string
  readonly username: string
  readonly roles: ReadonlySet<Role>
  readonly credential: Credential
  /** When the password was last shown, in epoch milliseconds. */
  readonly authenticatedAt: number
}

/** The id of the caller's user; null for a caller who is no user of ours. */
export function userIdOf({ subject }: Principal): number | null {
  const id = Number(subject)
  return Number.isSafeInteger(id) && id >= 1 && String(id) === subject ? id : null
}

/** `ROLE_ADMIN` and `ADMIN` name the same role; null for anything else. Spec 2.2. */
export function parseRole(text: unknown): Role | null {
  if (typeof text !== 'string') return null
  const name = text.startsWith('ROLE_') ? text.slice('ROLE_'.length) : text
  return roleNames.find((role) => role === name) ?? null
}

/** Roles in the order of `roleNames`, each once. */
export function sortRoles(roles: Iterable<Role>): Role[] {
  const present = new Set(roles)
  return roleNames.filter((role) => present.has(role))
}
