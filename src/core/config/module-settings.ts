import { readSettings, type Setting, type Values } from './kinds.ts'

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>

/** The settings of a module from outside. */
export interface ModuleSettings {
  readonly module: string
  readonly table: SettingsTable
}

/** What was read of such tables: the values under the table itself, which knows their types. */
export interface ModuleValues {
  readonly values: ReadonlyMap<SettingsTable, Readonly<Record<string, unknown>>>
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

export function readModuleSettings(
  tables: readonly ModuleSettings[],
  env: Readonly<Record<string, string | undefined>>,
): ModuleValues {
  const readings = tables.map(({ table }) => [table, readSettings(table, env)] as const)
  return {
    values: new Map(readings.map(([table, { values }]) => [table, Object.freeze(values)])),
    mistakes: readings.flatMap(([, { mistakes }]) => mistakes),
    warnings: readings.flatMap(([, { warnings }]) => warnings),
  }
}

/** The values of a module's own table. @throws Error if the configuration was read without it */
export function settingsOf<const Table extends SettingsTable>(
  { ofModules }: { readonly ofModules: ModuleValues['values'] },
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
