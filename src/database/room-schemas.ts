import { sql } from 'kysely'
import type { Clock } from '../kernel/clock.ts'
import { type DatabaseOrTransaction, execute } from './database.ts'
import { type Migration, statementsFor } from './migrations/statement.ts'
import { isPostgres } from './transactions.ts'

/** What a room from outside adds to the schema. */
export interface RoomSchema {
  readonly name: string
  readonly migrations?: readonly Migration[]
  readonly tables?: readonly {
    readonly name: string
    readonly person?: { readonly column: string; readonly gone: Gone }
  }[]
}

/** What the end of a user does to a row: the foreign key of the column must do the same. */
type Gone = 'removed' | 'cleared' | { readonly kept: string }

/** The versions of the rooms' schemas, by the name of the room; those that have none are absent. */
export async function roomVersions(db: DatabaseOrTransaction): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('room_schemas')
    .select(['room', sql<number>`max(version)`.as('version')])
    .groupBy('room')
    .orderBy('room')
    .execute()
  return new Map(rows.map(({ room, version }) => [room, version]))
}

/**
 * Refuses what this program does not know: its tables would be in no backup, and nothing would erase
 * a user from them.
 * @throws Error for a room that is not in the list, or one with a newer schema
 */
export function assertKnownRooms(
  versions: ReadonlyMap<string, number>,
  rooms: readonly RoomSchema[],
): void {
  for (const [name, version] of versions) {
    const known = rooms.find((room) => room.name === name)?.migrations?.length ?? 0
    if (Number.isInteger(version) && version >= 0 && version <= known) continue
    throw new Error(
      known === 0
        ? `the database has the room ${name}, this program does not: start one that has it`
        : `the database has schema ${version} of the room ${name}, this program knows ${known}: start a newer one`,
    )
  }
}

/** How many migrations of each room are due; rooms that are up to date are absent. */
export function dueRooms(
  versions: ReadonlyMap<string, number>,
  rooms: readonly RoomSchema[],
): Map<string, number> {
  return new Map(
    rooms
      .map(
        ({ name, migrations = [] }) =>
          [name, migrations.length - (versions.get(name) ?? 0)] as const,
      )
      .filter(([, due]) => due > 0),
  )
}

/**
 * Brings the tables of rooms from outside up to date, or to the versions `wanted`; inside the
 * transaction of the other migrations and behind them. Answers how many ran.
 * @throws Error as `assertKnownRooms`, and if a table keeps a user whom its manifest says it removes
 */
export async function migrateRooms(
  trx: DatabaseOrTransaction,
  clock: Clock,
  rooms: readonly RoomSchema[],
  wanted?: ReadonlyMap<string, number>,
): Promise<number> {
  const database = isPostgres(trx) ? 'postgres' : 'sqlite'
  const versions = await roomVersions(trx)
  assertKnownRooms(versions, rooms)
  let ran = 0
  for (const room of rooms) {
    const { name, migrations = [] } = room
    const version = versions.get(name) ?? 0
    const due = migrations.slice(version, wanted ? (wanted.get(name) ?? 0) : undefined)
    for (const [index, migration] of due.entries()) {
      for (const statement of statementsFor(database, migration)) await execute(trx, statement)
      await trx
        .insertInto('room_schemas')
        .values({ room: name, version: version + index + 1, applied_at: clock.now() })
        .execute()
    }
    if (due.length > 0 && version + due.length === migrations.length) await assertErases(trx, room)
    ran += due.length
  }
  return ran
}

/** @throws Error for a table whose rows would not do what its manifest says when a user goes */
export async function assertErases(
  db: DatabaseOrTransaction,
  { name: room, tables = [] }: RoomSchema,
): Promise<void> {
  for (const { name, person } of tables) {
    if (!person || typeof person.gone === 'object') continue
    const wanted = person.gone === 'removed' ? 'CASCADE' : 'SET NULL'
    const found = await onUserDeleted(db, name, person.column)
    if (found === wanted) continue
    throw new Error(
      `the table ${name} of the room ${room} must refer to users by ${person.column} with "on delete ${wanted.toLowerCase()}"`,
    )
  }
}

/** What a foreign key does with the rows of a user who is deleted: `CASCADE`, `SET NULL`; '' for none. */
async function onUserDeleted(
  db: DatabaseOrTransaction,
  table: string,
  column: string,
): Promise<string> {
  // An account, and what hangs on it, goes with its user.
  const query = isPostgres(db)
    ? sql<{ action: string }>`
        select case confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL' else '' end as action
        from pg_constraint
        join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and conrelid = to_regclass(${table}) and attname = ${column}`
    : sql<{ action: string }>`
        select on_delete as action from pragma_foreign_key_list(${table}) where "from" = ${column}`
  const { rows } = await query.execute(db)
  return rows[0]?.action ?? ''
}
