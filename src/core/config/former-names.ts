import { nearName } from '../hints/near-name.ts'
import type { SettingsTable } from './kinds.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface RenamedSettings {
  /** Values of former names moved to the present names. */
  readonly env: Environment
  readonly mistakes: readonly string[]
  /** By present name. */
  readonly warnings: ReadonlyMap<string, string>
}

/** See `Setting.formerly`. */
export function renameFormerSettings(
  given: Environment,
  tables: readonly SettingsTable[],
): RenamedSettings {
  const env = { ...given }
  const mistakes: string[] = []
  const warnings = new Map<string, string>()
  for (const [former, present] of tables.flatMap(formerNamesOf)) {
    const value = given[former]
    delete env[former]
    if (!value) continue
    warnings.set(present, `${former}: the setting is now ${present}; ${former} works until 1.0`)
    if (given[present] && given[present] !== value) {
      mistakes.push(`${present} and ${former}, its former name, are set to different values`)
    }
    env[present] ||= value
  }
  return { env, mistakes, warnings }
}

/** Pairs of former and present name, including `_FILE` names. */
export function formerNamesOf(table: SettingsTable): (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, { formerly, secret }]) => {
    if (formerly === undefined) return []
    const ofFile = [`${formerly}_FILE`, `${name}_FILE`] as const
    return [[formerly, name] as const, ...(secret ? [ofFile] : [])]
  })
}

/** Near a setting, but read by OpenSSL. */
const foreign: ReadonlySet<string> = new Set(['SSL_CERT_FILE'])

/** Includes `_FILE` names. */
export function namesOf(table: SettingsTable): string[] {
  return Object.entries(table).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  )
}

/**
 * Short names such as PORT match only with the same letters (order or case differs), because
 * variables of other programs are similar by chance.
 */
export function misspeltSettings(
  env: Readonly<Record<string, string | undefined>>,
  tables: readonly SettingsTable[],
): string[] {
  const former = new Map(tables.flatMap(formerNamesOf))
  const names = new Set([...tables.flatMap(namesOf), ...former.keys()])
  return Object.keys(env)
    .filter((given) => env[given] && !names.has(given) && !foreign.has(given))
    .flatMap((given) => {
      const meant = nearName(given, names)
      const isChance = meant !== undefined && meant.length < 6 && !hasSameLetters(given, meant)
      return meant === undefined || isChance
        ? []
        : [`${given}: did you mean ${former.get(meant) ?? meant}?`]
    })
}

function hasSameLetters(one: string, other: string): boolean {
  const sorted = (text: string) => [...text.toLowerCase()].toSorted().join('')
  return sorted(one) === sorted(other)
}
