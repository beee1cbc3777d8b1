import { nearName } from '../hints/near-name.ts'
import { formerNamesOf } from './former-names.ts'
import type { SettingsTable } from './kinds.ts'

/** Variables of other programs that are near a setting: OpenSSL reads this one. */
const foreign: ReadonlySet<string> = new Set(['SSL_CERT_FILE'])

/** The names that a table reads: its settings, and the files of its secrets. */
export function namesOf(table: SettingsTable): string[] {
  return Object.entries(table).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  )
}

/**
 * Lists the variables that are no setting, but are probably meant to be one, each with the near name. A name
 * as short as PORT counts as near only with the same letters, in another order or case, because
 * variables of other programs resemble short names by chance.
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
