import { join, resolve } from 'node:path'
import type { Config } from '../config/load.ts'
import { databaseFileName } from '../database/sqlite/connect.ts'
import { type Check, type Finding, findingOf } from './check.ts'

/** What is found before anything can be opened. */
export const settingsRefused: Omit<Check<never>, 'find'> = {
  id: 'settings',
  level: 'error',
  good: 'the service starts with these settings',
  why: 'The next start fails with this mistake, also that of a restart at night.',
  mend: { do: 'Correct it: docs/configuration.md.', setting: 'gatehouse config check' },
}

export const databaseMissing: Omit<Check<never>, 'find'> = {
  id: 'database_missing',
  level: 'error',
  good: 'there is a database at DATA_DIR',
  why: 'The service would make an empty one at its next start; or this command has other settings than the service.',
  mend: { do: 'Give this command the settings of the service, or bring the file back.' },
}

export function refusedSettings(mistakes: readonly string[]): Finding[] {
  return mistakes.map((mistake) => findingOf(settingsRefused, { what: `${mistake}.` }))
}

export function missingDatabase({ database }: Pick<Config, 'database'>): Finding {
  const path = join(resolve(database.dataDirectory), databaseFileName)
  const what = `There is no database at ${path}.`
  return findingOf(databaseMissing, { what, mend: { setting: 'DATA_DIR=/var/lib/gatehouse' } })
}
