import type { ProviderRow, ProviderValues } from '../provider-settings.ts'

type Raw = Readonly<Record<string, unknown>>

/** What we know of one provider: its settings, and the traps of its answers. */
export interface Preset {
  /** On buttons. */
  readonly label: string
  readonly kind: 'oidc' | 'oauth2'
  /** Settings that the operator cannot change. */
  readonly fixed: Partial<Record<ProviderRow, string>>
  readonly defaults?: Partial<Record<ProviderRow, string>>
  /** Settings that must be set. */
  readonly needs: readonly ProviderRow[]
  readonly mistakes?: (values: ProviderValues) => readonly (readonly [ProviderRow, string])[]
  /** By the claims that state the address. */
  readonly isEmailVerified?: (claims: Raw) => boolean
  /**
   * Parameters that make the person sign in anew, with an `auth_time` in the answer. Null: the
   * provider cannot state when a person has signed in.
   */
  readonly fresh?: Readonly<Record<string, string>> | null
  /** Default: S256. */
  readonly pkce?: 'none'
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The person of a token, for a provider without ID tokens. */
  readonly person?: ReadPerson
}

/** Answers the JSON value of an API of the provider. @throws ApiError */
export type Ask = (url: string, headers?: Readonly<Record<string, string>>) => Promise<unknown>

export type ReadPerson = (ask: Ask) => Promise<StatedPerson>

export interface StatedPerson {
  /** Permanent: never a name or an address, which change hands. */
  readonly subject: string
  readonly username: string | undefined
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  readonly name: string | undefined
}
