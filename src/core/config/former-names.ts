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
