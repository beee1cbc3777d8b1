/** What kind of program an application is (RFC 6749 section 2.1, RFC 8252, RFC 8628). */
export const applicationTypes = ['web', 'spa', 'native', 'device', 'machine'] as const

/** How an application authenticates at the token endpoint (OpenID Connect Core section 9). */
export const clientAuthMethods = ['basic', 'post', 'private_key_jwt', 'none'] as const

/** Scopes that are about a person; all others are of the API. */
export const scopesOfPeople = [
  ...(['openid', 'profile', 'email', 'groups', 'roles', 'offline_access'] as const),
]

/** When a person is asked whether the application may have what it asks for. */
export const consents = ['none', 'once', 'always'] as const

/** What identifies a person at an application (OpenID Connect Core section 8). */
export const subjects = ['public', 'pairwise'] as const

/** The part of a client that signs people in through this service. */
export interface Application {
  readonly name: string
  readonly type: (typeof applicationTypes)[number]
  /** Who runs it, for people; null: not stated. */
  readonly operator: string | null
  readonly homeUri: string | null
  /** Compared exactly; type native: any port of a loopback address (RFC 8252 section 7.3). */
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly consent: (typeof consents)[number]
  /** One of these roles is needed; null: every account that can sign in. */
  readonly allow: readonly string[] | null
  readonly needsTwoFactors: boolean
  /** The API of this service, if its access tokens may be for it, by scopes (RFC 8707). */
  readonly resource: string | null
  readonly backchannelLogoutUri: string | null
  /** For CORS; empty: the origins of the redirect URIs. */
  readonly origins: readonly string[]
  /** The claims of each place; null: all that the scopes give. */
  readonly claims: {
    readonly idToken: readonly string[] | null
    readonly userinfo: readonly string[] | null
  }
  /** pairwise: people have another `sub` than at applications of other hosts. */
  readonly subject: (typeof subjects)[number]
  readonly clientAuth: (typeof clientAuthMethods)[number]
  /** The public keys of private_key_jwt (RFC 7517); null without. */
  readonly jwks: { readonly keys: readonly object[] } | null
  /** optional: a confidential web client may send no challenge (RFC 9700 section 2.1.1). */
  readonly pkce: 'required' | 'optional'
  readonly isDisabled: boolean
}

type Type = Application['type']

/** The host of all addresses, whose applications know a person by one pairwise subject; else null. */
export function sectorOf({ redirectUris }: Pick<Application, 'redirectUris'>): string | null {
  const [first, ...others] = new Set(redirectUris.map((uri) => URL.parse(uri)?.host ?? ''))
  return first && others.length === 0 ? first : null
}

/** Whether a browser is sent back to the application with a code. */
export function isRedirected(type: Type): boolean {
  return type === 'web' || type === 'spa' || type === 'native'
}

/** Whether the application can keep a secret from people (RFC 6749 section 2.1). */
export function isConfidential(type: Type): boolean {
  return type === 'web' || type === 'machine'
}
