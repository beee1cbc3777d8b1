import type { ModuleSettings } from '../config/load.ts'
import type { ModuleNames } from './module.ts'
import { createClaims } from './registry.ts'

/** @throws Error for a duplicate setting */
export async function settingsOfModules(
  modules: readonly ModuleNames[],
): Promise<ModuleSettings[]> {
  const claim = createClaims()
  const loaded = await Promise.all(modules.map(async ({ settings }) => settings?.()))
  return modules.flatMap(({ name: module }, index) => {
    const file = loaded[index]
    if (!file) return []
    const { configure, settings: table } = file
    for (const [name, { formerly }] of Object.entries(table)) {
      for (const each of [name, ...(formerly ? [formerly] : [])]) claim('setting', each, module)
    }
    return [{ module, table, ...(configure && { configure }) }]
  })
}
