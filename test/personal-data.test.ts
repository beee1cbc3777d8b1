import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { modules } from '../src/modules.ts'
import { testApp } from './app.ts'
import { testDatabase } from './database.ts'

/** The columns for text of all tables: `table.column`. The index of SQLite has columns without a type. */
const columns = {
  sqlite: sql<{ name: string }>`
    select tables.name || '.' || columns.name as name
    from pragma_table_list as tables join pragma_table_info(tables.name) as columns
    where tables.schema = 'main' and tables.type in ('table', 'virtual')
      and tables.name not like 'sqlite_%' and columns.type in ('TEXT', 'BLOB', '')`,
  postgres: sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type in ('text', 'bytea')
      and table_name not in ('row_count_slots', 'nodes', 'node_changes')`,
}[testDatabase]

const userColumns = {
  sqlite: sql<{ name: string; column: string }>`
    select tables.name, columns.name as "column"
    from pragma_table_list as tables join pragma_table_info(tables.name) as columns
    where tables.schema = 'main'
      and columns.name in ('user_id', 'account', 'author_id', 'owner_id')`,
  postgres: sql<{ name: string; column: string }>`
    select table_name as name, column_name as "column" from information_schema.columns
    where table_schema = current_schema()
      and column_name in ('user_id', 'account', 'author_id', 'owner_id')`,
}[testDatabase]

test('docs/personal-data.md names every column for text, once', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/personal-data.md'), 'utf8')
  const [, tables = ''] = page.split('## Every column')
  const rows = tables.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((line) => {
    const [table = '', cell = ''] = line.split('|').slice(1)
    const [name = ''] = namesIn(table)
    return namesIn(cell).map((column) => `${name}.${column}`)
  })
  const { rows: found } = await columns.execute((await testApp()).deps.db)
  const ofSqlite = (name: string) => testDatabase === 'sqlite' || !name.endsWith('_search.text')
  assert.deepEqual(named.filter(ofSqlite).toSorted(), found.map(({ name }) => name).toSorted())
})

test('every column that names a user is declared, with what becomes of its row', async () => {
  const { rows } = await userColumns.execute((await testApp()).deps.db)
  const found = new Map(rows.map(({ name, column }) => [name, column]))
  const tables = modules.flatMap((module) => module.tables ?? [])
  assert.ok(tables.length > 20)
  for (const { name, person } of tables) assert.equal(person?.column, found.get(name), name)
})

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([a-z0-9_]+)`/g)].map(([, name = '']) => name)
}
