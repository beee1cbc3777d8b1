import { isLoopback } from '../../core/addresses/loopback.ts'
import {
  list,
  oneOf,
  optional,
  type Setting,
  secret,
  text,
  type Values,
} from '../../core/config/kinds.ts'
import { parseNamedRole } from '../../core/config/roles.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import type { RoleName } from '../../core/policy/principal.ts'
import {
  assertAppleKey,
  type PresetName,
  parseAppleId,
  parsePreset,
  parseTenant,
  presetNames,
} from './presets/values.ts'

/** Where a provider of the kind `oauth2` states what an ID token would. */
export const fieldSettings = {
  SUBJECT_FIELD: field(
    'The field with the permanent id of the person, a path with dots; never a name or an address, which change hands.',
  ),
  EMAIL_FIELD: field('The field with the mail address.'),
  EMAIL_VERIFIED_FIELD: field(
    'The field that is `true` if the provider has verified the address; unset: no address is verified.',
  ),
  NAME_FIELD: field('The field with the full name.'),
  USERNAME_FIELD: field('The field with the username that a new account gets.'),
} satisfies Record<string, Setting<unknown>>

const presetSettings = {
  TENANTS: list<string>({
    doc: 'For the preset `microsoft` with the issuer of `common` or `organizations`: ids of the directories whose people may sign in, comma-separated, or `any`.',
    parse: parseTenant,
  }),
  TEAM_ID: optional({
    doc: 'For the preset `apple`: the id of the team, 10 characters.',
    parse: parseAppleId,
  }),
  KEY_ID: optional({ doc: 'For the preset `apple`: the id of the key.', parse: parseAppleId }),
  PRIVATE_KEY: secret({
    doc: 'For the preset `apple`: the text of the key (.p8), which signs the client secret.',
    check: assertAppleKey,
  }),
} satisfies Record<string, Setting<unknown>>

/** Rows that one preset alone reads. */
export const rowsOfPresets: Readonly<Record<keyof typeof presetSettings, PresetName>> = {
  TENANTS: 'microsoft',
  TEAM_ID: 'apple',
  KEY_ID: 'apple',
  PRIVATE_KEY: 'apple',
}

/** By names after `OIDC_` or `OIDC_<NAME>_`. Spec 4.4, 5.4. */
export const providerSettings = {
  PRESET: optional({
    doc: `What the service knows of a provider: endpoints, scopes, which field is the permanent id, and what states that an address is verified. One of ${presetNames.map((name) => `\`${name}\``).join(', ')}.`,
    parse: parsePreset,
  }),
  KIND: oneOf({
    default: 'oidc',
    values: ['oidc', 'oauth2'],
    doc: 'Whether a sign-in ends with an ID token; `oauth2`: with an answer of USERINFO_ENDPOINT.',
  }),
  ISSUER: optional({
    doc: 'The issuer of an identity provider, exactly as its tokens and its discovery document name it: https, or http on a loopback address outside production. For a provider of the kind `oauth2` its address: linked identities are stored with it.',
    parse: parseAddress,
  }),
  CLIENT_ID: optional({
    doc: 'The identifier that the provider has given this service; unset: users cannot sign in through it.',
    parse: (value) => value,
  }),
  CLIENT_SECRET: secret({ doc: 'The secret that belongs to it; a public client has none.' }),
  CLIENT_AUTH: optional({
    shown: '`basic` with a secret, `none` without',
    doc: 'How the client authenticates at the token endpoint. One of `basic`, `post`, `none`.',
    parse: parseClientAuth,
  }),
  SCOPE: text({
    default: 'openid profile email',
    doc: 'The scopes that a sign-in requests, separated by spaces.',
    check: assertScope,
  }),
  REDIRECT_URI: optional({
    shown: '`BASE_URL/oauth/callback`',
    doc: 'The address to which the provider redirects users, as registered there; for a named provider `BASE_URL/oauth/<name>/callback`.',
    parse: parseAddress,
  }),
  SIGN_UP: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether the first sign-in creates a user and an account; off: only identities that are linked already can sign in.',
  }),
  DEFAULT_ROLES: list<RoleName>({
    default: ['USER'],
    doc: 'Roles of an account that a sign-in creates, if the ID token has no claim of roles.',
    parse: parseNamedRole,
  }),
  AUDIENCE: optional({
    doc: 'The `aud` of bearer tokens of the provider that are accepted here; unset: none are.',
    parse: (value) => value,
  }),
  ROLES_CLAIM: text({
    default: 'roles',
    doc: 'The claim that holds roles, a path with dots, for instance `realm_access.roles`. Unknown names in it are ignored.',
    check: (value) => void parsePath(value),
  }),
  ROLES_ALLOWED: list<RoleName>({
    doc: 'The names of `ROLES` that its tokens may give, comma-separated; `USER`, `EDITOR` and `ADMIN` they may give always.',
    parse: parseNamedRole,
  }),
  AUTHORIZATION_ENDPOINT: optional({
    doc: 'For a provider without discovery, which is then not requested; together with JWKS_URI.',
    parse: parseAddress,
  }),
  TOKEN_ENDPOINT: optional({
    shown: '`ISSUER/oauth/token` without discovery',
    doc: 'For a provider without discovery, which is then not requested.',
    parse: parseAddress,
  }),
  USERINFO_ENDPOINT: optional({ doc: 'In place of the discovered one.', parse: parseAddress }),
  JWKS_URI: optional({
    doc: 'The address of its keys, in place of the discovered one; enough to accept its bearer tokens.',
    parse: parseAddress,
  }),
  ...fieldSettings,
  ...presetSettings,
  PASSWORD_GRANT: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: `Whether the deprecated password grant may be used, by \`${gatehouse} oidc token\`; never in production.`,
  }),
} satisfies Record<string, Setting<unknown>>

export type ProviderSettings = typeof providerSettings
export type ProviderValues = Values<ProviderSettings>
export type ProviderRow = keyof ProviderSettings

export type Named<Prefix extends string> = {
  [Name in keyof ProviderSettings as `${Prefix}${Name}`]: ProviderSettings[Name]
}

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

export const defaultName = 'default'

export function prefixed<const Prefix extends string>(prefix: Prefix): Named<Prefix> {
  const rows = Object.entries(providerSettings).map(([name, row]) => [`${prefix}${name}`, row])
  return Object.fromEntries(rows) as Named<Prefix>
}

/** Without query and credentials. OIDC Discovery section 3. */
function parseAddress(value: string): string {
  const { protocol, hostname, username, password } = URL.canParse(value)
    ? new URL(value)
    : new URL('none:')
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!safe || username || password || /[?#\s\\]/.test(value)) {
    throw new Error('must be an https address (or http on loopback) without credentials or a query')
  }
  return value // issuers are compared as text
}

function assertScope(value: string): void {
  const names = value.split(' ')
  // RFC 6749 section 3.3
  if (!names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))) {
    throw new Error('must be scopes with one space between them')
  }
}

const clientAuths = ['basic', 'post', 'none'] as const

function parseClientAuth(value: string): (typeof clientAuths)[number] {
  const found = clientAuths.find((name) => name === value)
  if (!found) throw new Error(`must be one of ${clientAuths.join(', ')}`)
  return found
}

function field(doc: string): Setting<string | undefined> {
  return optional({ doc: `For \`KIND=oauth2\` without a preset. ${doc}`, parse: parsePath })
}

function parsePath(value: string): string {
  if (!/^[^.]+(\.[^.]+)*$/.test(value)) throw new Error('must be a name, or names with dots')
  return value
}
