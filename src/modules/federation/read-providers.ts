import { namesOf } from '../../core/config/former-names.ts'
import { readSettings, type Setting, type Values } from '../../core/config/kinds.ts'
import { notRole, unknownRoles } from '../../core/config/roles.ts'
import { nearName } from '../../core/hints/near-name.ts'
import type { RoleName } from '../../core/policy/principal.ts'
import { kindContradictions, type OfKind } from './kind-contradictions.ts'
import type { Preset } from './presets/preset.ts'
import { presets } from './presets/presets.ts'
import type { PresetName } from './presets/values.ts'
import {
  defaultName,
  type oidcSettings,
  type ProviderRow,
  type ProviderValues,
  prefixed,
  providerSettings,
} from './provider-settings.ts'

export interface Read extends OfKind {
  readonly name: string
}

export interface ProvidersReading {
  readonly providers: readonly Read[]
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

export function readProviders(values: Values<typeof oidcSettings>, env: Env): ProvidersReading {
  const unnamed = read('OIDC_', defaultName, valuesWithPreset('OIDC_', values, env), env)
  const mistakes: string[] = []
  const warnings: string[] = []
  const named = [...new Set(values.OIDC_PROVIDERS)].map((name) => {
    const prefix = `OIDC_${name.toUpperCase()}_`
    const reading = readSettings<Record<string, Setting<unknown>>>(prefixed(prefix), env)
    mistakes.push(...reading.mistakes)
    warnings.push(...reading.warnings)
    return read(prefix, name, valuesWithPreset(prefix, reading.values, env), env)
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
  return providers.flatMap((provider) => {
    const { prefix, values, isSet } = provider
    const mistakes: string[] = []
    const refuse = (name: ProviderRow, text: string) => mistakes.push(`${prefix}${name} ${text}`)
    const { ISSUER, CLIENT_ID, CLIENT_SECRET, CLIENT_AUTH } = values
    // A preset of an unknown name says nothing about the other settings.
    if (values.PRESET === undefined && isSet('PRESET')) return []
    const ofKind = kindContradictions(provider)
    const isRefused = (name: ProviderRow) => ofKind.some(([row]) => row === name)
    for (const [name, text] of ofKind) refuse(name, text)
    if (ownRoles) {
      for (const role of unknownRoles(values.DEFAULT_ROLES, ownRoles)) {
        refuse('DEFAULT_ROLES', notRole(role))
      }
      for (const role of values.ROLES_ALLOWED.filter((role) => !ownRoles.includes(role))) {
        refuse('ROLES_ALLOWED', `holds ${JSON.stringify(role)}, which is not one of ROLES`)
      }
    }
    if (!CLIENT_ID && isSet('CLIENT_SECRET')) refuse('CLIENT_SECRET', `needs ${prefix}CLIENT_ID`)
    if (!ISSUER) {
      if (!isRefused('ISSUER')) refuse('ISSUER', `must be set: other settings of ${prefix}* are`)
    } else if (seen.has(ISSUER)) refuse('ISSUER', 'must be no issuer that is used already')
    else seen.add(ISSUER)
    if (!CLIENT_ID && !values.AUDIENCE && !isRefused('CLIENT_ID')) {
      refuse('CLIENT_ID', `must be set, or ${prefix}AUDIENCE, or both`)
    }
    if ((CLIENT_AUTH === 'basic' || CLIENT_AUTH === 'post') && !CLIENT_SECRET) {
      refuse('CLIENT_AUTH', `must be none without ${prefix}CLIENT_SECRET`)
    }
    if (CLIENT_AUTH === 'none' && CLIENT_SECRET) {
      refuse('CLIENT_AUTH', `must not be none with ${prefix}CLIENT_SECRET`)
    }
    if (values.KIND === 'oidc' && values.AUTHORIZATION_ENDPOINT && !values.JWKS_URI) {
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
  const isSet = (row: ProviderRow) => Boolean(env[`${prefix}${row}`] || env[`${prefix}${row}_FILE`])
  return { name, prefix, values, isSet, textOf: (row) => env[`${prefix}${row}`] }
}

/** What the preset fixes and what it defaults to, in place of the general defaults. */
function valuesWithPreset(
  prefix: string,
  given: Readonly<Record<string, unknown>>,
  env: Env,
): ProviderValues {
  const values = valuesOf(given, prefix)
  if (values.PRESET === undefined) return values
  const more = Object.fromEntries(
    Object.entries(textsOfPreset(values.PRESET, prefix, env)).map(([name, text]) => [
      name,
      providerSettings[name as ProviderRow].parse(text),
    ]),
  )
  return { ...values, ...more }
}

function textsOfPreset(preset: PresetName, prefix: string, env: Env) {
  const { defaults = {}, fixed }: Preset = presets[preset]
  const unset = Object.entries(defaults).filter(([name]) => !env[`${prefix}${name}`])
  return { ...Object.fromEntries(unset), ...fixed } as Readonly<Record<string, string>>
}

/** As settings in force. */
export function textsOfPresets(providers: readonly Read[], env: Env): Env {
  return Object.assign(
    {},
    ...providers.map(({ prefix, values: { PRESET } }) =>
      PRESET === undefined
        ? {}
        : Object.fromEntries(
            Object.entries(textsOfPreset(PRESET, prefix, env)).map(([name, text]) => [
              `${prefix}${name}`,
              text,
            ]),
          ),
    ),
  )
}

/** The inverse of `prefixed`. */
function valuesOf(values: Readonly<Record<string, unknown>>, prefix: string): ProviderValues {
  const entries = Object.keys(providerSettings).map((name) => [name, values[`${prefix}${name}`]])
  return Object.fromEntries(entries) as ProviderValues
}
