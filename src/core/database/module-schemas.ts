import { sql } from 'kysely'
import { gatehouse } from '../hints/command-line.ts'
import type { Clock } from '../lib/clock.ts'
import { type DatabaseOrTransaction, execute } from './database.ts'
import { type Migration, statementsFor } from './migrations/statement.ts'
import { isPostgres } from './transactions.ts'

export interface ModuleSchema {
  readonly name: string
  readonly migrations?: readonly Migration[]
  readonly tables?: readonly {
    readonly name: string
    readonly person?: { readonly column: string; readonly onDelete: OnDelete }
  }[]
}

/** What happens to a row when its user is deleted; the foreign key must implement it. */
type OnDelete = 'delete' | 'set-null' | { readonly kept: string }

/** Modules without a schema are absent. */
export async function moduleVersions(db: DatabaseOrTransaction): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('room_schemas')
    .select(['room', sql<number>`max(version)`.as('version')])
    .groupBy('room')
    .orderBy('room')
    .execute()
  return new Map(rows.map(({ room, version }) => [room, version]))
}

/**
 * Rejects a database with unknown modules: their tables would be missing from backups and keep data
 * of deleted users.
 * @throws Error for an unknown module, or a newer schema unless it `mayBeNewer`
 */
export function assertKnownModules(
  versions: ReadonlyMap<string, number>,
  modules: readonly ModuleSchema[],
  { mayBeNewer = false } = {},
): void {
  for (const [name, version] of versions) {
    const module = modules.find((one) => one.name === name)
    const known = module?.migrations?.length ?? 0
    if (Number.isInteger(version) && version >= 0 && version <= known) continue
    if (module && mayBeNewer) continue
    throw new Error(
      module === undefined
        ? `the database has the module ${name}, this program does not: start one that has it, or drop the module and its tables: \`${gatehouse} migrate --abandon ${name},TABLE\``
        : `the database has schema ${version} of the module ${name}, this program knows ${known}: start a newer one`,
    )
  }
}

export function newerSchema(
  versions: ReadonlyMap<string, number>,
  modules: readonly ModuleSchema[],
): string | null {
  for (const { name, migrations = [] } of modules) {
    const version = versions.get(name) ?? 0
    if (version > migrations.length) {
      return `schema ${version} of the module ${name}, this program knows ${migrations.length}`
    }
  }
  return null
}

export function dueModules(
  versions: ReadonlyMap<string, number>,
  modules: readonly ModuleSchema[],
): Map<string, number> {
  return new Map(
    modules
      .map(
        ({ name, migrations = [] }) =>
          [name, migrations.length - (versions.get(name) ?? 0)] as const,
      )
      .filter(([, due]) => due > 0),
  )
}

/**
 * Migrates external modules to the latest or `wanted` versions, in the transaction of the other
 * migrations; returns the number of migrations.
 * @throws Error like `assertErases`
 */
export async function migrateModules(
  trx: DatabaseOrTransaction,
  clock: Clock,
  modules: readonly ModuleSchema[],
  wanted?: ReadonlyMap<string, number>,
): Promise<number> {
  const database = isPostgres(trx) ? 'postgres' : 'sqlite'
  const versions = await moduleVersions(trx)
  let ran = 0
  for (const module of modules) {
    const { name, migrations = [] } = module
    const version = versions.get(name) ?? 0
    const due = migrations.slice(version, wanted ? (wanted.get(name) ?? 0) : undefined)
    for (const [index, migration] of due.entries()) {
      for (const statement of statementsFor(database, migration)) await execute(trx, statement)
      await trx
        .insertInto('room_schemas')
        .values({ room: name, version: version + index + 1, applied_at: clock.now() })
        .execute()
    }
    if (due.length > 0 && version + due.length === migrations.length)
      await assertErases(trx, module)
    ran += due.length
  }
  return ran
}

/** @throws Error if a foreign key does not match the `onDelete` of the manifest */
export async function assertErases(
  db: DatabaseOrTransaction,
  { name: module, tables = [] }: ModuleSchema,
): Promise<void> {
  for (const { name, person } of tables) {
    if (!person || typeof person.onDelete === 'object') continue
    const wanted = person.onDelete === 'delete' ? 'CASCADE' : 'SET NULL'
    const found = await onUserDeleted(db, name, person.column)
    if (found === wanted) continue
    throw new Error(
      `the table ${name} of the module ${module} must refer to users by ${person.column} with "on delete ${wanted.toLowerCase()}"`,
    )
  }
}

/** Returns `CASCADE`, `SET NULL`, or '' for none. */
async function onUserDeleted(
  db: DatabaseOrTransaction,
  table: string,
  column: string,
): Promise<string> {
  // The key may refer to `accounts`: these rows are deleted with their `users` rows.
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
