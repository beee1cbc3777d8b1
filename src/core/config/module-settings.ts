import type { SettingsTable, Values } from './kinds.ts'
import type { Config } from './load.ts'

/** @throws Error if the configuration was read without the table */
export function settingsOf<const Table extends SettingsTable>(
  { ofModules }: Pick<Config, 'ofModules'>,
  table: Table,
): Values<Table> {
  const values = ofModules.get(table)
  if (!values) {
    const names = Object.keys(table).join(', ')
    throw new Error(
      `${names} was not read: loadConfig takes what settingsOfModules(modules) answers`,
    )
  }
  return values as Values<Table>
}
