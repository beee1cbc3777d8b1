import type { Secret } from '../../core/crypto/secret.ts'
import { contractRoles, type Role, rolesAmong } from '../../core/policy/principal.ts'
import { presets } from './presets/presets.ts'
import type { PresetName } from './presets/values.ts'
import { defaultName, fieldSettings, type ProviderValues } from './provider-settings.ts'
import type { Read } from './read-providers.ts'

interface ProviderConfig {
  readonly name: string
  readonly kind: 'oidc' | 'oauth2'
  readonly preset: PresetName | null
  /** On buttons. */
  readonly label: string
  readonly issuer: string
  readonly rolesClaim: string
  readonly allowedRoles: readonly Role[]
  /** Null: no sign-in. */
  readonly client: {
    readonly id: string
    readonly secret: ProviderValues['CLIENT_SECRET']
    readonly auth: 'basic' | 'post' | 'none'
    readonly scope: string
    readonly redirectUri: string
    readonly signsUp: boolean
    readonly defaultRoles: readonly Role[]
    readonly allowsPasswordGrant: boolean
  } | null
  /** Null: no bearer tokens. */
  readonly audience: string | null
  readonly usesDiscovery: boolean
  readonly endpoints: {
    readonly authorization: string | undefined
    readonly token: string | undefined
    readonly userinfo: string | undefined
    readonly jwks: string | undefined
  }
  /** Paths in the answer about a person, for a provider without ID tokens. */
  readonly fields: Readonly<Record<keyof typeof fieldSettings, string | undefined>> | null
  /** Directories of Microsoft, or `any`; null: the issuer is that of one. */
  readonly tenants: readonly string[] | null
  readonly apple: {
    readonly teamId: string
    readonly keyId: string
    readonly privateKey: Secret
  } | null
}

export function toProvider(
  { name, values, isSet }: Read,
  { baseUrl, roles }: { readonly baseUrl: string; readonly roles: readonly Role[] },
  label: string,
): ProviderConfig {
  const { ISSUER: issuer = '', CLIENT_ID, CLIENT_SECRET, KIND, PRESET } = values
  const usesDiscovery = !values.AUTHORIZATION_ENDPOINT && !values.TOKEN_ENDPOINT
  return {
    name,
    kind: KIND,
    preset: PRESET ?? null,
    label,
    issuer,
    rolesClaim: values.ROLES_CLAIM,
    allowedRoles: rolesAmong([...contractRoles, ...values.ROLES_ALLOWED], roles),
    client:
      CLIENT_ID === undefined
        ? null
        : {
            id: CLIENT_ID,
            secret: CLIENT_SECRET,
            auth: values.CLIENT_AUTH ?? usualAuth(values),
            // OAuth 2.0 has no scope of all providers.
            scope: KIND === 'oidc' || PRESET || isSet('SCOPE') ? values.SCOPE : '',
            redirectUri: values.REDIRECT_URI ?? `${baseUrl}${pathOf(name)}/callback`,
            signsUp: values.SIGN_UP === 'on',
            defaultRoles: values.DEFAULT_ROLES as readonly Role[],
            allowsPasswordGrant: values.PASSWORD_GRANT === 'on',
          },
    audience: values.AUDIENCE ?? null,
    usesDiscovery,
    endpoints: {
      authorization: values.AUTHORIZATION_ENDPOINT,
      token:
        values.TOKEN_ENDPOINT ??
        (usesDiscovery ? undefined : `${issuer.replace(/\/$/, '')}/oauth/token`),
      userinfo: values.USERINFO_ENDPOINT,
      jwks: values.JWKS_URI,
    },
    fields: KIND === 'oauth2' && !PRESET ? fieldsOf(values) : null,
    tenants: values.TENANTS.length > 0 ? values.TENANTS : null,
    apple: appleOf(values),
  }
}

/** Several providers percent-encode nothing in a secret of Basic (RFC 6749 section 2.3.1). */
function usualAuth({ CLIENT_SECRET, PRESET }: ProviderValues): 'basic' | 'post' | 'none' {
  if (PRESET === 'apple') return 'post'
  if (!CLIENT_SECRET) return 'none'
  return PRESET === undefined ? 'basic' : 'post'
}

function fieldsOf(values: ProviderValues): ProviderConfig['fields'] {
  const rows = Object.keys(fieldSettings) as (keyof typeof fieldSettings)[]
  return Object.fromEntries(rows.map((row) => [row, values[row]])) as ProviderConfig['fields']
}

function appleOf({ TEAM_ID, KEY_ID, PRIVATE_KEY }: ProviderValues): ProviderConfig['apple'] {
  if (!TEAM_ID || !KEY_ID || !PRIVATE_KEY) return null
  return { teamId: TEAM_ID, keyId: KEY_ID, privateKey: PRIVATE_KEY }
}

/** The name of the preset if it is the only one, otherwise the name of the settings. */
export function labelOf({ name, values }: Read, all: readonly Read[]): string {
  const { ISSUER, PRESET } = values
  const isSole = all.filter((each) => each.values.PRESET === PRESET).length === 1
  if (PRESET !== undefined && isSole) return presets[PRESET].label
  // The unnamed provider has no readable name.
  return name === defaultName ? (URL.parse(ISSUER ?? '')?.host ?? name) : name
}

function pathOf(name: string): string {
  return name === defaultName ? '/oauth' : `/oauth/${name}`
}
