import type { Setting, Values } from './kinds.ts'
import type { Config, Configured, Reading } from './load.ts'

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

/** The settings of a module, and what checks the settings and makes its part of `Config`. */
export interface ModuleSettings {
  readonly module: string
  readonly table: SettingsTable
  readonly configure?: (reading: Reading) => Configured
}

/** The values of a module's own table. @throws Error if the configuration was read without it */
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
  return values as Values<Table> // stored under its own table
}
