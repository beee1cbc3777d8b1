import { nearName } from '../hints/near-name.ts'
import { formerNamesOf } from './former-names.ts'
import type { SettingsTable } from './kinds.ts'

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
