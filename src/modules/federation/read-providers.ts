import { namesOf } from '../../core/config/former-names.ts'
import { readSettings, type Setting, type Values } from '../../core/config/kinds.ts'
import { notRole, unknownRoles } from '../../core/config/roles.ts'
import { nearName } from '../../core/hints/near-name.ts'
import { contractRoles, type Role, type RoleName, rolesAmong } from '../../core/policy/principal.ts'
import {
  defaultName,
  type Named,
  type oidcSettings,
  type ProviderValues,
  prefixed,
  providerSettings,
} from './provider-settings.ts'

interface ProviderConfig {
  readonly name: string
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
}

interface Read {
  readonly name: string
  readonly prefix: string
  readonly values: ProviderValues
  readonly isSet: (name: keyof ProviderValues) => boolean
}

export interface ProvidersReading {
  readonly providers: readonly Read[]
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

export function readProviders(values: Values<typeof oidcSettings>, env: Env): ProvidersReading {
  const unnamed = read('OIDC_', defaultName, valuesOf(values), env)
  const mistakes: string[] = []
  const warnings: string[] = []
  const named = [...new Set(values.OIDC_PROVIDERS)].map((name) => {
    const prefix = `OIDC_${name.toUpperCase()}_`
    const reading = readSettings<Record<string, Setting<unknown>>>(prefixed(prefix), env)
    mistakes.push(...reading.mistakes)
    warnings.push(...reading.warnings)
    return read(prefix, name, valuesOf(reading.values as Values<Named<'OIDC_'>>, prefix), env)
  })
  const isUsed = Object.keys(providerSettings).some((name) =>
    unnamed.isSet(name as keyof ProviderValues),
  )
  const known = new Set(
    ['OIDC_', ...named.map(({ prefix }) => prefix)].flatMap((prefix) =>
      Object.keys(providerSettings).map((name) => `${prefix}${name}`),
    ),
  ).add('OIDC_PROVIDERS')
  const names = ['OIDC_', ...named.map(({ prefix }) => prefix)].flatMap((prefix) =>
    namesOf(prefixed(prefix)),
  )
  names.push('OIDC_PROVIDERS')
  const isMisread = Boolean(env.OIDC_PROVIDERS) && named.length === 0
  for (const name of Object.keys(env)) {
    if (!name.startsWith('OIDC_') || !env[name] || isMisread) continue
    if (!known.has(name) && !known.has(name.replace(/_FILE$/, ''))) {
      const meant = nearName(name, names)
      const hint = meant === undefined ? '' : `: did you mean ${meant}?`
      mistakes.push(`${name} is no setting, unless OIDC_PROVIDERS names its provider${hint}`)
    }
  }
  return { providers: [...(isUsed ? [unnamed] : []), ...named], mistakes, warnings }
}

interface AboutService {
  readonly isProduction: boolean
  readonly ownIssuer: string
  /** Null if `ROLES` has mistakes. */
  readonly ownRoles: readonly RoleName[] | null
}

/** Each begins with a setting. */
export function providerContradictions(
  providers: readonly Read[],
  { isProduction, ownIssuer, ownRoles }: AboutService,
): string[] {
  const seen = new Set([ownIssuer])
  return providers.flatMap(({ prefix, values, isSet }) => {
    const mistakes: string[] = []
    const refuse = (name: keyof ProviderValues, text: string) =>
      mistakes.push(`${prefix}${name} ${text}`)
    const { ISSUER, CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH } = values
    if (ownRoles) {
      for (const role of unknownRoles(values.DEFAULT_ROLES, ownRoles)) {
        refuse('DEFAULT_ROLES', notRole(role))
      }
      for (const role of values.ROLES_ALLOWED.filter((role) => !ownRoles.includes(role))) {
        refuse('ROLES_ALLOWED', `holds ${JSON.stringify(role)}, which is not one of ROLES`)
      }
    }
    if (!CLIENT_ID && isSet('CLIENT_SECRET')) refuse('CLIENT_SECRET', `needs ${prefix}CLIENT_ID`)
    if (!ISSUER) refuse('ISSUER', `must be set: other settings of ${prefix}* are`)
    else if (seen.has(ISSUER)) refuse('ISSUER', 'must be no issuer that is used already')
    else seen.add(ISSUER)
    if (!CLIENT_ID && !values.AUDIENCE) {
      refuse('CLIENT_ID', `must be set, or ${prefix}AUDIENCE, or both`)
    }
    if ((CLIENT_AUTH === 'basic' || CLIENT_AUTH === 'post') && !CLIENT_SECRET) {
      refuse('CLIENT_AUTH', `must be none without ${prefix}CLIENT_SECRET`)
    }
    if (CLIENT_AUTH === 'none' && CLIENT_SECRET) {
      refuse('CLIENT_AUTH', `must not be none with ${prefix}CLIENT_SECRET`)
    }
    if (values.AUTHORIZATION_ENDPOINT && !values.JWKS_URI) {
      refuse('JWKS_URI', `must be set with ${prefix}AUTHORIZATION_ENDPOINT`)
    }
    for (const name of addresses) {
      if (!values[name]?.startsWith('http:')) continue
      if (isProduction) refuse(name, 'must be https in production')
      else if (ISSUER?.startsWith('https:')) refuse(name, 'must be https, as the issuer is')
    }
    if (isProduction && values.PASSWORD_GRANT === 'on') {
      refuse('PASSWORD_GRANT', 'must not be on in production')
    }
    return mistakes
  })
}

export function toProvider(
  { name, values }: Read,
  { baseUrl, roles }: { readonly baseUrl: string; readonly roles: readonly Role[] },
): ProviderConfig {
  const { ISSUER: issuer = '', CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH } = values
  const usesDiscovery = !values.AUTHORIZATION_ENDPOINT && !values.TOKEN_ENDPOINT
  return {
    name,
    issuer,
    rolesClaim: values.ROLES_CLAIM,
    allowedRoles: rolesAmong([...contractRoles, ...values.ROLES_ALLOWED], roles),
    client:
      CLIENT_ID === undefined
        ? null
        : {
            id: CLIENT_ID,
            secret: CLIENT_SECRET,
            auth: CLIENT_AUTH ?? (CLIENT_SECRET ? 'basic' : 'none'),
            scope: values.SCOPE,
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
  }
}

function pathOf(name: string): string {
  return name === defaultName ? '/oauth' : `/oauth/${name}`
}

export function providerWarnings(providers: readonly Read[]): string[] {
  return providers
    .filter(({ values }) => values.PASSWORD_GRANT === 'on')
    .map(({ prefix }) => `${prefix}PASSWORD_GRANT: the password grant is deprecated (RFC 9700)`)
}

// Without REDIRECT_URI, which may be http on loopback like BASE_URL.
const addresses = [
  'ISSUER',
  'AUTHORIZATION_ENDPOINT',
  'TOKEN_ENDPOINT',
  'USERINFO_ENDPOINT',
  'JWKS_URI',
] as const

function read(prefix: string, name: string, values: ProviderValues, env: Env): Read {
  const isSet = (row: keyof ProviderValues) =>
    Boolean(env[`${prefix}${row}`] || env[`${prefix}${row}_FILE`])
  return { name, prefix, values, isSet }
}

/** The inverse of `prefixed`. */
function valuesOf(values: Readonly<Record<string, unknown>>, prefix = 'OIDC_'): ProviderValues {
  const entries = Object.keys(providerSettings).map((name) => [name, values[`${prefix}${name}`]])
  return Object.fromEntries(entries) as ProviderValues
}
