import type { ModuleSettings } from '../config/module-settings.ts'
import { settings as ours } from '../config/settings-table.ts'
import type { ModuleNames } from './module.ts'
import { createClaims } from './registry.ts'

/**
 * Loads the settings tables of external modules.
 * @throws Error if two tables name one setting
 */
export async function settingsOfModules(
  modules: readonly ModuleNames[],
): Promise<ModuleSettings[]> {
  const claim = createClaims()
  for (const name of Object.keys(ours)) claim('setting', name, 'settings-table.ts')
  const tables: ModuleSettings[] = []
  for (const { name: module, settings } of modules) {
    if (typeof settings !== 'function') continue
    const { settings: table } = await settings()
    for (const name of Object.keys(table)) claim('setting', name, module)
    tables.push({ module, table })
  }
  return tables
}
