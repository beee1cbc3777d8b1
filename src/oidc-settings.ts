import { isLoopback } from './kernel/loopback.ts'
import { parseRole, type Role } from './kernel/principal.ts'
import {
  list,
  oneOf,
  optional,
  readSettings,
  type Setting,
  secret,
  text,
  type Values,
} from './settings.ts'

/** The settings of one identity provider, by what follows `OIDC_` or `OIDC_<NAME>_`. Spec 4.4, 5.4. */
const providerSettings = {
  ISSUER: optional({
    doc: 'The issuer of an identity provider, exactly as its tokens and its discovery document name it: https, or http on a loopback address outside production.',
    parse: parseAddress,
  }),
  CLIENT_ID: optional({
    doc: 'The identifier that the provider has given this service; unset: nobody signs in through it.',
    parse: (value) => value,
  }),
  CLIENT_SECRET: secret({ doc: 'The secret that belongs to it; a public client has none.' }),
  CLIENT_AUTH: oneOf({
    default: 'auto',
    values: ['auto', 'basic', 'post', 'none'],
    shown: '`basic` with a secret, `none` without',
    doc: 'How the client shows its secret to the token endpoint.',
  }),
  SCOPE: text({
    default: 'openid profile email',
    doc: 'What a sign-in asks for, separated by spaces.',
    check: assertScope,
  }),
  REDIRECT_URI: optional({
    shown: '`BASE_URL/oauth/callback`',
    doc: 'Where the provider sends people back to, as registered there; of a named provider `BASE_URL/oauth/<name>/callback`.',
    parse: parseAddress,
  }),
  SIGN_UP: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether the first sign-in makes a user and an account; off: only identities that were linked before.',
  }),
  DEFAULT_ROLES: list<Role>({
    default: ['USER'],
    doc: 'Roles of an account that was made so, where the ID token has no claim of roles.',
    parse: (item) => {
      const role = parseRole(item)
      if (!role) throw new Error(`holds ${JSON.stringify(item)}, which is not a role`)
      return role
    },
  }),
  AUDIENCE: optional({
    doc: 'The `aud` of bearer tokens of the provider that are accepted here; unset: none are.',
    parse: (value) => value,
  }),
  ROLES_CLAIM: text({
    default: 'roles',
    doc: 'The claim that holds roles, a path with dots, for instance `realm_access.roles`. Unknown names in it are ignored.',
    check: (value) => {
      if (!/^[^.]+(\.[^.]+)*$/.test(value)) throw new Error('must be a name, or names with dots')
    },
  }),
  AUTHORIZATION_ENDPOINT: optional({
    doc: 'For a provider without discovery, which is not asked for then; with JWKS_URI.',
    parse: parseAddress,
  }),
  TOKEN_ENDPOINT: optional({
    shown: '`ISSUER/oauth/token` without discovery',
    doc: 'For a provider without discovery, which is not asked for then.',
    parse: parseAddress,
  }),
  USERINFO_ENDPOINT: optional({ doc: 'In place of the discovered one.', parse: parseAddress }),
  JWKS_URI: optional({
    doc: 'The address of its keys, in place of the discovered one; enough to accept its bearer tokens.',
    parse: parseAddress,
  }),
  PASSWORD_GRANT: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether the deprecated password grant may be used, by `gatehouse oidc token`; never in production.',
  }),
} satisfies Record<string, Setting<unknown>>

type ProviderSettings = typeof providerSettings
type ProviderValues = Values<ProviderSettings>

/** A row of the table, as the name of the setting of one provider. */
type Named<Prefix extends string> = {
  [Name in keyof ProviderSettings as `${Prefix}${Name}`]: ProviderSettings[Name]
}

/** The rows of the table of settings: the provider without a name, and the names of more. */
export const oidcSettings = {
  ...prefixed('OIDC_'),
  OIDC_PROVIDERS: list<string>({
    doc: 'Names of more providers, comma-separated: `OIDC_PROVIDERS=acme` reads `OIDC_ACME_ISSUER` and so on, and serves `/oauth/acme/login`.',
    parse: (item) => {
      if (!/^[a-z][a-z0-9]{0,31}$/.test(item) || item === defaultName) {
        throw new Error(`holds ${JSON.stringify(item)}: a name is lower-case letters and digits`)
      }
      return item
    },
  }),
}

/** How the provider without a name is called where a name is needed. */
export const defaultName = 'default'

/** An identity provider, as configured. */
interface ProviderConfig {
  readonly name: string
  readonly issuer: string
  readonly rolesClaim: string
  /** Null: nobody signs in through it. */
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
  /** Null: none of its bearer tokens are accepted. */
  readonly audience: string | null
  readonly usesDiscovery: boolean
  readonly endpoints: {
    readonly authorization: string | undefined
    readonly token: string | undefined
    readonly userinfo: string | undefined
    readonly jwks: string | undefined
  }
}

/** What the environment says of one provider. */
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

/** Reads what the table of settings has no rows for: the providers that have a name. */
export function readProviders(values: Values<typeof oidcSettings>, env: Env): ProvidersReading {
  const unnamed = read('OIDC_', defaultName, valuesOf(values), env)
  const mistakes: string[] = []
  const warnings: string[] = []
  const named = [...new Set(values.OIDC_PROVIDERS)].map((name) => {
    const prefix = `OIDC_${name.toUpperCase()}_`
    const reading = readSettings<Record<string, Setting<unknown>>>(prefixed(prefix), env)
    mistakes.push(...reading.mistakes)
    warnings.push(...reading.warnings)
    // Read by the same rows under their full names.
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
  const isMisread = Boolean(env.OIDC_PROVIDERS) && named.length === 0
  for (const name of Object.keys(env)) {
    if (!name.startsWith('OIDC_') || !env[name] || isMisread) continue
    if (!known.has(name) && !known.has(name.replace(/_FILE$/, ''))) {
      mistakes.push(`${name} is no setting, unless OIDC_PROVIDERS names its provider`)
    }
  }
  return { providers: [...(isUsed ? [unnamed] : []), ...named], mistakes, warnings }
}

/** What single settings cannot tell; each line begins with the name of a setting. */
export function providerContradictions(
  providers: readonly Read[],
  { isProduction, ownIssuer }: { isProduction: boolean; ownIssuer: string },
): string[] {
  const seen = new Set([ownIssuer])
  return providers.flatMap(({ prefix, values, isSet }) => {
    const mistakes: string[] = []
    const refuse = (name: keyof ProviderValues, text: string) =>
      mistakes.push(`${prefix}${name} ${text}`)
    const { ISSUER, CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH } = values
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

export function toProvider({ name, values }: Read, baseUrl: string): ProviderConfig {
  const { ISSUER: issuer = '', CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH } = values
  const usesDiscovery = !values.AUTHORIZATION_ENDPOINT && !values.TOKEN_ENDPOINT
  return {
    name,
    issuer,
    rolesClaim: values.ROLES_CLAIM,
    client:
      CLIENT_ID === undefined
        ? null
        : {
            id: CLIENT_ID,
            secret: CLIENT_SECRET,
            auth: CLIENT_AUTH === 'auto' ? (CLIENT_SECRET ? 'basic' : 'none') : CLIENT_AUTH,
            scope: values.SCOPE,
            redirectUri: values.REDIRECT_URI ?? `${baseUrl}${pathOf(name)}/callback`,
            signsUp: values.SIGN_UP === 'on',
            defaultRoles: values.DEFAULT_ROLES,
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

/** Below which path a provider's sign-in lies. */
export function pathOf(name: string): string {
  return name === defaultName ? '/oauth' : `/oauth/${name}`
}

/** What the operator should know at every start. */
export function providerWarnings(providers: readonly Read[]): string[] {
  return providers
    .filter(({ values }) => values.PASSWORD_GRANT === 'on')
    .map(({ prefix }) => `${prefix}PASSWORD_GRANT: the password grant is deprecated (RFC 9700)`)
}

// A redirect to http on loopback is as good as BASE_URL there.
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

function prefixed<const Prefix extends string>(prefix: Prefix): Named<Prefix> {
  const rows = Object.entries(providerSettings).map(([name, row]) => [`${prefix}${name}`, row])
  return Object.fromEntries(rows) as Named<Prefix> // the same rows, by their full names
}

/** The opposite of `prefixed`, for what was read. */
function valuesOf(values: Readonly<Record<string, unknown>>, prefix = 'OIDC_'): ProviderValues {
  const entries = Object.keys(providerSettings).map((name) => [name, values[`${prefix}${name}`]])
  return Object.fromEntries(entries) as ProviderValues // as `readSettings` read these rows
}

/** An issuer or an endpoint: neither a query nor credentials can be meant. OIDC Discovery section 3. */
function parseAddress(value: string): string {
  const { protocol, hostname, username, password } = URL.canParse(value)
    ? new URL(value)
    : new URL('none:')
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!safe || username || password || /[?#\s\\]/.test(value)) {
    throw new Error('must be an https address (or http on loopback) without credentials or a query')
  }
  return value // as it is: issuers are compared as text
}

function assertScope(value: string): void {
  const names = value.split(' ')
  // RFC 6749 section 3.3; without `openid` there is no ID token that says who it is.
  if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))) {
    throw new Error('must be scopes with one space between them')
  }
  if (!names.includes('openid')) throw new Error('must hold openid')
}
