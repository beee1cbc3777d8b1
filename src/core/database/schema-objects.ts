import type { DatabaseOrTransaction } from './database.ts'
import type { ModuleSchema } from './module-schemas.ts'
import { postgresObjects } from './postgres/schema-catalog.ts'
import { postgresExpected } from './postgres/schema-expected.ts'
import { sqliteExpected, sqliteObjects } from './sqlite/schema-catalog.ts'
import { isPostgres } from './transactions.ts'

/** Names include the kind. */
export interface SchemaDifferences {
  readonly missing: readonly { readonly name: string; readonly definition: string }[]
  readonly changed: readonly { readonly name: string; readonly definition: string }[]
  /** Only on tables of the service. */
  readonly additional: readonly { readonly name: string; readonly table: string }[]
}

/**
 * Compares with the migrations' result: on SQLite in memory, on PostgreSQL with the generated
 * schema-expected.ts.
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
    // Omits objects of a missing table.
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
