/** The roles of spec 2.2, in the order in which they are shown. */
export const contractRoles = ['USER', 'EDITOR', 'ADMIN'] as const
export type ContractRole = (typeof contractRoles)[number]

declare const isNamed: unique symbol
declare const isConfigured: unique symbol

/** A valid name of a role, as accounts and tokens store it; the role need not be configured now. */
export type RoleName = ContractRole | (string & { readonly [isNamed]: true })

/** A configured role: one of the contract, or one of the setting `ROLES`. */
export type Role =
  | ContractRole
  | (string & { readonly [isNamed]: true; readonly [isConfigured]: true })

/** The credential by which the caller authenticated. */
export type Credential =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'session'
      /** The digest under which the session is stored, never the cookie's value. */
      readonly sessionId: string
      readonly csrfToken: string
      /** When the session ends without further requests, in epoch milliseconds. */
      readonly expiresAt: number
    }
  | { readonly scheme: 'bearer'; readonly claims: AccessClaims }
  | { readonly scheme: 'external'; readonly claims: ExternalClaims }
  /** An OAuth client for itself; a caller for whom a client acts has the credential of a user. */
  | { readonly scheme: 'client'; readonly audiences: ReadonlySet<string> }
  /** A key of a program, limited by its scopes; an app password, which Basic carries. */
  | { readonly scheme: 'key'; readonly keyId: string; readonly kind: 'key' | 'app_password' }
  | { readonly scheme: OutsideScheme }

/** The scheme of an external module; the prefix `x-` distinguishes it from the service's own. */
export type OutsideScheme = `x-${string}`

/**
 * A scheme that a route can accept. `bearer` includes the tokens of identity providers, and keys;
 * `basic` includes app passwords.
 */
export type Scheme = Exclude<Credential['scheme'], 'external' | 'key'>

/** What CLIENTS_FILE can allow a client; each is asked for by a route. */
export const clientPermissions = ['introspect', 'revoke', 'metrics'] as const
export type ClientPermission = (typeof clientPermissions)[number]

/** The claims of an access token that this service issued. Spec 2.4; RFC 7519 section 4. */
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
  /** An `enrolment` token is accepted only for the enrolment of a second factor. */
  readonly type: 'access' | 'enrolment'
  /** When the user last authenticated. OpenID Connect Core section 2. */
  readonly auth_time: number
  /** The authentication methods, RFC 8176; empty if the token has no such claim. */
  readonly amr: readonly string[]
  /** The account's access version when the token was issued. */
  readonly ver: number
  /** The id of the token family; absent for a token without a refresh token. */
  readonly sid?: string
  /** `email` and `name` are shown by /api/me if the token has them. */
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
  /** The digest of the token, for revocation: a provider's own `jti` is unique per issuer only. */
  readonly jti: string
  readonly roles: readonly Role[]
  /** When the user last logged in at the provider; absent without the claim. */
  readonly auth_time?: number
  /** The authentication methods at the provider, RFC 8176; absent without the claim. */
  readonly amr?: readonly string[]
  /** The client that the token was issued to; absent without the claim. */
  readonly client_id?: string
  /** The scopes of that client; empty without the claim. */
  readonly scopes: readonly string[]
  readonly username?: string
  readonly email?: string
  readonly name?: string
}

/** The authenticated caller. After `http/routes/access.ts` code uses this instead of headers. */
export interface Principal {
  /**
   * The user's id as text: `sub` of the token, `user_id` of the session. For an external caller
   * without an account it is `issuer#sub`, and for a client `client:id`: neither is a number, so
   * neither is a user's id.
   */
  readonly subject: string
  readonly username: string
  readonly roles: ReadonlySet<Role>
  readonly credential: Credential
  /** The authentication methods, RFC 8176 and `fed`; empty if they are not known. */
  readonly amr: readonly string[]
  /** When the caller last authenticated, in epoch milliseconds. */
  readonly authTime: number
  /** The OAuth client that acts for the caller; absent if no client does. */
  readonly client?: string
  /** The scopes of the client or of a limited credential; if absent, scopes limit nothing. */
  readonly scopes?: ReadonlySet<string>
}

/** Answers the id of the caller's user; null for a caller without a user here. */
export function userIdOf({ subject }: Principal): number | null {
  const id = Number(subject)
  return Number.isSafeInteger(id) && id >= 1 && String(id) === subject ? id : null
}

const roleFormat = /^(?!ROLE_)[A-Z][A-Z0-9_]{0,31}$/

/**
 * Parses the name of a role and removes one prefix `ROLE_` (`ROLE_ADMIN` and `ADMIN` are the same,
 * spec 2.2); null if the value is no valid name.
 */
export function parseRoleName(text: unknown): RoleName | null {
  if (typeof text !== 'string') return null
  const name = withoutPrefix(text)
  return roleFormat.test(name) ? (name as RoleName) : null // it has the format
}

/** Parses the name of one of `roles`, with or without the prefix; null for any other value. */
export function parseRole(text: unknown, roles: readonly Role[]): Role | null {
  if (typeof text !== 'string') return null
  const name = withoutPrefix(text)
  return roles.find((role) => role === name) ?? null
}

/** Filters `roles` by names and keeps their order; ignores other names. */
export function rolesAmong(names: readonly RoleName[], roles: readonly Role[]): Role[] {
  return roles.filter((role) => names.includes(role))
}

/** Sorts names for storage, each once: the names of the contract, then the others by alphabet. */
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
