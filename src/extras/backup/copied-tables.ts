import type { ModuleSchema } from '../../core/database/module-schemas.ts'
import type { ModuleNames, ModuleTable } from '../../core/module/module.ts'

/** The tables that a copy includes or omits, from the manifests; plain values. */
export interface Tables {
  /** Referenced tables first. */
  readonly copied: readonly ModuleTable[]
  /** Reasons by table. */
  readonly leftOut: ReadonlyMap<string, string>
  /** Also omitted by a copy without keys. */
  readonly needingKeys: readonly string[]
  /** External modules number their own migrations. */
  readonly modules: readonly ModuleSchema[]
}

export function tablesOf(modules: readonly ModuleNames[]): Tables {
  const tables = modules.flatMap((module) => module.tables ?? [])
  return {
    copied: inOrder(tables.filter(({ leftOut }) => leftOut === undefined)),
    leftOut: new Map(
      tables.flatMap(({ name, leftOut }) =>
        leftOut === undefined ? [] : [[name, leftOut] as const],
      ),
    ),
    needingKeys: tables.flatMap(({ name, needsKeys }) => (needsKeys ? [name] : [])),
    modules: modules.map(({ name, migrations = [], tables: owned = [] }) => ({
      ...{ name, migrations, tables: owned },
    })),
  }
}

/** By module, referenced tables first. */
function inOrder(tables: readonly ModuleTable[]): ModuleTable[] {
  const behind = Map.groupBy(tables, ({ refersTo }) => refersTo)
  const withThoseBehind = (table: ModuleTable): ModuleTable[] => [
    table,
    ...(behind.get(table.name) ?? []).flatMap(withThoseBehind),
  ]
  return (behind.get(undefined) ?? []).flatMap(withThoseBehind)
}
