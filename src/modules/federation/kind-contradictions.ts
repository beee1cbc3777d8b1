import type { Preset } from './presets/preset.ts'
import { presets } from './presets/presets.ts'
import {
  fieldSettings,
  type ProviderRow,
  type ProviderValues,
  rowsOfPresets,
} from './provider-settings.ts'

export interface OfKind {
  readonly prefix: string
  readonly values: ProviderValues
  readonly isSet: (name: ProviderRow) => boolean
  /** As written. */
  readonly textOf: (name: ProviderRow) => string | undefined
}

type Mistake = readonly [ProviderRow, string]

const fields = Object.keys(fieldSettings) as (keyof typeof fieldSettings)[]
const endpoints = [
  'AUTHORIZATION_ENDPOINT',
  'TOKEN_ENDPOINT',
  'USERINFO_ENDPOINT',
  'JWKS_URI',
] as const
/** What needs ID tokens, or tokens that are JWTs. */
const needIdTokens = [
  'AUDIENCE',
  'JWKS_URI',
  'ROLES_CLAIM',
  'ROLES_ALLOWED',
  'PASSWORD_GRANT',
] as const
const neededWithoutPreset = [
  'ISSUER',
  'CLIENT_ID',
  'AUTHORIZATION_ENDPOINT',
  'TOKEN_ENDPOINT',
  'USERINFO_ENDPOINT',
  'SUBJECT_FIELD',
] as const

/** Settings that contradict `KIND` or `PRESET`, or that these ask for. */
export function kindContradictions(of: OfKind): readonly Mistake[] {
  const { isSet, prefix, values } = of
  const { KIND, PRESET } = values
  const others = (Object.keys(rowsOfPresets) as (keyof typeof rowsOfPresets)[])
    .filter((name) => isSet(name) && rowsOfPresets[name] !== PRESET)
    .map(
      (name): Mistake => [
        name,
        `must not be set: it is for ${prefix}PRESET=${rowsOfPresets[name]} alone`,
      ],
    )
  const preset = PRESET === undefined ? ofNoPreset(of) : ofPreset(of, presets[PRESET])
  return [...others, ...(KIND === 'oauth2' ? ofOauth2(of) : ofOidc(of)), ...preset]
}

function ofPreset({ isSet, prefix, textOf, values }: OfKind, preset: Preset): Mistake[] {
  const { fixed, mistakes, needs } = preset
  const name = `${prefix}PRESET=${values.PRESET}`
  const own = new Set<string>(Object.keys(fixed))
  const changed = (Object.keys(fixed) as ProviderRow[]).filter(
    (row) => isSet(row) && textOf(row) !== fixed[row],
  )
  const fieldsSet = preset.kind === 'oidc' ? [] : fields.filter(isSet) // ofOidc names the others
  const further = [...endpoints.filter((row) => !own.has(row) && isSet(row)), ...fieldsSet]
  return [
    ...changed.map((row): Mistake => [row, `must not be set: with ${name} it is ${fixed[row]}`]),
    ...further.map((row): Mistake => [row, `must not be set with ${name}`]),
    ...needs
      .filter((row) => values[row] === undefined)
      .map((row): Mistake => [row, `must be set with ${name}`]),
    ...(mistakes?.(values) ?? []),
  ]
}

function ofNoPreset({ prefix, values }: OfKind): Mistake[] {
  if (values.KIND !== 'oauth2') return []
  return neededWithoutPreset
    .filter((row) => values[row] === undefined)
    .map((row): Mistake => [row, `must be set with ${prefix}KIND=oauth2`])
}

function ofOidc({ isSet, prefix, values }: OfKind): Mistake[] {
  const foreign = fields
    .filter(isSet)
    .map((row): Mistake => [row, `must not be set: it is for ${prefix}KIND=oauth2 alone`])
  const hasOpenid = values.SCOPE.split(' ').includes('openid')
  return [...foreign, ...(hasOpenid ? [] : [['SCOPE', 'must hold openid'] as const])]
}

function ofOauth2({ isSet, prefix, values }: OfKind): Mistake[] {
  const foreign = needIdTokens
    .filter(isSet)
    .map((row): Mistake => [row, `must not be set: a provider of the kind oauth2 has no ID tokens`])
  const asksForIdToken = isSet('SCOPE') && values.SCOPE.split(' ').includes('openid')
  const scope: Mistake = ['SCOPE', `must not hold openid with ${prefix}KIND=oauth2`]
  return [...foreign, ...(asksForIdToken ? [scope] : [])]
}
