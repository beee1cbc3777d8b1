import type { Setting } from '../src/core/config/kinds.ts'
import { type KeptFiles, loadConfig as load, type SettingValues } from '../src/core/config/load.ts'
import { settingsOfModules } from '../src/core/module/settings.ts'
import { modules } from '../src/modules.ts'

export const tables = await settingsOfModules(modules)

/** The settings of all modules. */
export const settings: { readonly [Name in keyof SettingValues]: Setting<SettingValues[Name]> } =
  Object.assign({}, ...tables.map(({ table }) => table))

/** `loadConfig` with the settings of all modules. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, kept?: KeptFiles) {
  return load(env, tables, kept)
}
