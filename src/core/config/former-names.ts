import type { SettingsTable } from './kinds.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface RenamedSettings {
  /** The environment without former names: their values have the present names. */
  readonly env: Environment
  readonly mistakes: readonly string[]
  /** A warning for each former name that is set, by the present name. */
  readonly warnings: ReadonlyMap<string, string>
}

/** Moves the values of former names (`Setting.formerly`) to the present names. */
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

/** The former names of a table, each with the present name; those of the files of secrets too. */
export function formerNamesOf(table: SettingsTable): (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, { formerly, secret }]) => {
    if (formerly === undefined) return []
    const ofFile = [`${formerly}_FILE`, `${name}_FILE`] as const
    return [[formerly, name] as const, ...(secret ? [ofFile] : [])]
  })
}
