import type { RawBuilder } from 'kysely'
import type { ModuleSchema } from '../../core/database/module-schemas.ts'
import type { ModuleNames, ModuleTable } from '../../core/module/module.ts'

/** A table that a copy includes. */
export interface CopiedTable extends ModuleTable {
  /** The condition of the rows to copy; the others are staged rows of an import. */
  readonly unlessStaged?: RawBuilder<boolean> | undefined
}

/** The tables that a copy includes or leaves out, as the manifests declare. */
export interface Tables {
  /** In an order in which every row follows the rows that it refers to. */
  readonly copied: readonly CopiedTable[]
  /** The reason by the name of the table. */
  readonly leftOut: ReadonlyMap<string, string>
  /** The names of those that a copy without keys leaves out as well. */
  readonly needingKeys: readonly string[]
  /** All modules; external ones number their own migrations. */
  readonly modules: readonly ModuleSchema[]
}

export async function tablesOf(modules: readonly ModuleNames[]): Promise<Tables> {
  const tables = modules.flatMap((module) => module.tables ?? [])
  const copied = inOrder(tables.filter(({ leftOut }) => leftOut === undefined))
  return {
    copied: await Promise.all(
      copied.map(async ({ present, ...table }) => ({ ...table, unlessStaged: await present?.() })),
    ),
    leftOut: new Map(
      tables.flatMap(({ name, leftOut }) =>
        leftOut === undefined ? [] : [[name, leftOut] as const],
      ),
    ),
    needingKeys: tables.flatMap(({ name, needsKeys }) => (needsKeys ? [name] : [])),
    modules,
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
