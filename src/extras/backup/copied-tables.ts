import type { ModuleSchema } from '../../core/database/module-schemas.ts'
import type { ModuleNames, ModuleTable } from '../../core/module/module.ts'

/** The tables that a copy includes or leaves out, as the manifests declare: plain values. */
export interface Tables {
  /** In an order in which every row follows the rows that it refers to. */
  readonly copied: readonly ModuleTable[]
  /** The reason by the name of the table. */
  readonly leftOut: ReadonlyMap<string, string>
  /** The names of those that a copy without keys leaves out as well. */
  readonly needingKeys: readonly string[]
  /** All modules; external ones number their own migrations. */
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

/** Sorts tables by their modules, and each table after the table that it refers to. */
function inOrder(tables: readonly ModuleTable[]): ModuleTable[] {
  const behind = Map.groupBy(tables, ({ refersTo }) => refersTo)
  const withThoseBehind = (table: ModuleTable): ModuleTable[] => [
    table,
    ...(behind.get(table.name) ?? []).flatMap(withThoseBehind),
  ]
  return (behind.get(undefined) ?? []).flatMap(withThoseBehind)
}
