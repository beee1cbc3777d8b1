/** The roles of spec 2.2, in the order in which they are shown. */
export const contractRoles = ['USER', 'EDITOR', 'ADMIN'] as const
export type ContractRole = (typeof contractRoles)[number]

declare const isNamed: unique symbol
declare const isConfigured: unique symbol

/** What can be the name of a role, as accounts and tokens hold it: configured now, or once. */
export type RoleName = ContractRole | (string & { readonly [isNamed]: true })

/** A role that this service has now: one of the contract, or of the setting `ROLES`. */
export type Role =
  | ContractRole
  | (string & { readonly [isNamed]: true; readonly [isConfigured]: true })

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
  /** What was shown then, RFC 8176; empty where the token does not say. */
  readonly amr: readonly string[]
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
  /** What its holder showed there, RFC 8176; absent where the provider does not tell. */
  readonly amr?: readonly string[]
  /** The client that the token was issued to; absent where the provider does not tell. */
  readonly client_id?: string
  /** What that client may do; empty where the token names nothing. */
  readonly scopes: readonly string[]
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
  /** How the caller authenticated, RFC 8176 and `fed`; empty where that is not known. */
  readonly amr: readonly string[]
  /** When, in epoch milliseconds. */
  readonly authTime: number
  /** The OAuth client that acts for the caller; absent where the caller acts itself. */
  readonly client?: string
  /** What such a client, or a credential of limited use, may do; absent: all that the caller may. */
  readonly scopes?: ReadonlySet<string>
}

/** The id of the caller's user; null for a caller who is no user of ours. */
export function userIdOf({ subject }: Principal): number | null {
  const id = Number(subject)
  return Number.isSafeInteger(id) && id >= 1 && String(id) === subject ? id : null
}

const roleFormat = /^(?!ROLE_)[A-Z][A-Z0-9_]{0,31}$/

/**
 * The name of a role without the one `ROLE_` that may stand before it (`ROLE_ADMIN` and `ADMIN` are the
 * same, spec 2.2); null for what can be no name of a role.
 */
export function parseRoleName(text: unknown): RoleName | null {
  if (typeof text !== 'string') return null
  const name = withoutPrefix(text)
  return roleFormat.test(name) ? (name as RoleName) : null // it has the format
}

/** The role of `roles` that a text names, as `parseRoleName`; null for anything else. */
export function parseRole(text: unknown, roles: readonly Role[]): Role | null {
  if (typeof text !== 'string') return null
  const name = withoutPrefix(text)
  return roles.find((role) => role === name) ?? null
}

/** Those of `roles` that are named, in the order of `roles`, each once; other names are passed over. */
export function rolesAmong(names: readonly RoleName[], roles: readonly Role[]): Role[] {
  return roles.filter((role) => names.includes(role))
}

/** Names in the order in which they are stored: those of the contract, then by the alphabet; each once. */
export function sortRoles(names: Iterable<RoleName>): RoleName[] {
  const present = new Set(names)
  const known = contractRoles.filter((role) => present.delete(role))
  return [...known, ...[...present].sort()]
}

function withoutPrefix(text: string): string {
  return text.startsWith('ROLE_') ? text.slice('ROLE_'.length) : text
}

const scopeFormat = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text can be a scope, RFC 6749 section 3.3: visible ASCII without `"` and `\`. */
export function isScope(text: unknown): text is string {
  return typeof text === 'string' && scopeFormat.test(text)
}
