import type { RawBuilder } from 'kysely'
import type { RoomSchema } from '../database/room-schemas.ts'
import type { RoomNames, RoomTable } from '../room/room.ts'

/** A table that a copy takes along. */
export interface CopiedTable extends RoomTable {
  /** The condition of the rows that go along; the others belong to an import under way. */
  readonly unlessStaged?: RawBuilder<boolean> | undefined
}

/** What a copy does with each table, by the manifests. */
export interface Tables {
  /** In an order in which every row comes after those it refers to. */
  readonly copied: readonly CopiedTable[]
  /** Names, and the reasons why these stay. */
  readonly leftOut: ReadonlyMap<string, string>
  /** Rooms from outside count their own migrations. */
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
    rooms,
  }
}

/** The order of the rooms, with each table behind the one that it refers to. */
function inOrder(tables: readonly RoomTable[]): RoomTable[] {
  const behind = Map.groupBy(tables, ({ refersTo }) => refersTo)
  const withThoseBehind = (table: RoomTable): RoomTable[] => [
    table,
    ...(behind.get(table.name) ?? []).flatMap(withThoseBehind),
  ]
  return (behind.get(undefined) ?? []).flatMap(withThoseBehind)
}
