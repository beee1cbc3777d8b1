import type { RawBuilder } from 'kysely'
import type { RoomSchema } from '../../core/database/room-schemas.ts'
import type { RoomNames, RoomTable } from '../../core/module/room.ts'

/** A table that a copy includes. */
export interface CopiedTable extends RoomTable {
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
  /** All rooms; external ones number their own migrations. */
  readonly rooms: readonly RoomSchema[]
}

export async function tablesOf(rooms: readonly RoomNames[]): Promise<Tables> {
  const tables = rooms.flatMap((room) => room.tables ?? [])
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
    rooms,
  }
}

/** Sorts tables by their rooms, and each table after the one that it refers to. */
function inOrder(tables: readonly RoomTable[]): RoomTable[] {
  const behind = Map.groupBy(tables, ({ refersTo }) => refersTo)
  const withThoseBehind = (table: RoomTable): RoomTable[] => [
    table,
    ...(behind.get(table.name) ?? []).flatMap(withThoseBehind),
  ]
  return (behind.get(undefined) ?? []).flatMap(withThoseBehind)
}
