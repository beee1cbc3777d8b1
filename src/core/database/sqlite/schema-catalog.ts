import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { moduleStatements, schemaStatements } from '../all-migrations.ts'
import type { DatabaseOrTransaction } from '../database.ts'
import type { ModuleSchema } from '../module-schemas.ts'
import type { SchemaObject, SchemaObjects } from '../schema-object.ts'

interface Row {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string
}

// Objects that SQLite creates automatically have no text, or a reserved name.
const query =
  "select type, name, tbl_name, sql from sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\'"

const expected = new WeakMap<readonly ModuleSchema[], SchemaObjects>()

/** Created once by migrating an in-memory database, in milliseconds. */
export function sqliteExpected(modules: readonly ModuleSchema[]): SchemaObjects {
  return expected.getOrInsertComputed(modules, madeInMemory)
}

function madeInMemory(modules: readonly ModuleSchema[]): SchemaObjects {
  const memory = new DatabaseSync(':memory:')
  try {
    const statements = [...schemaStatements('sqlite'), ...moduleStatements('sqlite', modules)]
    for (const statement of statements) memory.exec(statement)
    return objectsOf(memory.prepare(query).all() as unknown as Row[])
  } finally {
    memory.close()
  }
}

export async function sqliteObjects(db: DatabaseOrTransaction): Promise<SchemaObjects> {
  return objectsOf((await db.executeQuery<Row>(CompiledQuery.raw(query))).rows)
}

function objectsOf(rows: readonly Row[]): SchemaObjects {
  return new Map(
    rows.map(({ type, name, tbl_name, sql: text }): [string, SchemaObject] => [
      `${type} ${name}`,
      { definition: text.replaceAll(/\s+/g, ' ').trim(), table: tbl_name },
    ]),
  )
}
