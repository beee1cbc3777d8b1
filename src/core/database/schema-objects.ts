import type { DatabaseOrTransaction } from './database.ts'
import type { ModuleSchema } from './module-schemas.ts'
import { postgresObjects } from './postgres/schema-catalog.ts'
import { postgresExpected } from './postgres/schema-expected.ts'
import { sqliteExpected, sqliteObjects } from './sqlite/schema-catalog.ts'
import { isPostgres } from './transactions.ts'

/** How a schema differs from the schema of this version. Names include the kind. */
export interface SchemaDifferences {
  /** With the expected definition. */
  readonly missing: readonly { readonly name: string; readonly definition: string }[]
  readonly changed: readonly { readonly name: string; readonly definition: string }[]
  /** Unknown objects on tables of the service. Tables of other programs are ignored. */
  readonly additional: readonly { readonly name: string; readonly table: string }[]
}

/**
 * Compares the schema with the result of the shared migrations and of the modules' own, object by object: on
 * SQLite with an empty database in memory, on PostgreSQL with the generated schema-expected.ts.
 */
export async function schemaDifferences(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
): Promise<SchemaDifferences> {
  const isOnPostgres = isPostgres(db)
  const found = isOnPostgres ? await postgresObjects(db) : await sqliteObjects(db)
  const expected = isOnPostgres
    ? postgresExpected(new Set(modules.map(({ name }) => name)))
    : sqliteExpected(modules)
  const ours = new Set([...expected.values()].map(({ table }) => table))
  const isLost = (table: string) =>
    table !== '' && !found.has(`table ${table}`) && !found.has(`view ${table}`)
  const named = [...expected].map(([name, { definition, table }]) => ({ name, definition, table }))
  return {
    // The objects of a missing table are not listed again.
    missing: named.filter(
      ({ name, table }) => !found.has(name) && (name.startsWith('table ') || !isLost(table)),
    ),
    changed: named.filter(({ name, definition }) => {
      const object = found.get(name)
      return object !== undefined && object.definition !== definition
    }),
    additional: [...found].flatMap(([name, { table }]) =>
      !expected.has(name) && table !== '' && ours.has(table) ? [{ name, table }] : [],
    ),
  }
}
