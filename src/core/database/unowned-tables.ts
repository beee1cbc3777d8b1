import { sql } from 'kysely'
import { gatehouse } from '../hints/command-line.ts'
import { schemaStatements } from './all-migrations.ts'
import { type DatabaseOrTransaction, execute } from './database.ts'
import { type ModuleSchema, moduleVersions } from './module-schemas.ts'
import { type RowsOfTables, rowsInWords } from './rows-of-tables.ts'
import { isPostgres } from './transactions.ts'

export async function existingTables(db: DatabaseOrTransaction): Promise<ReadonlySet<string>> {
  const query = isPostgres(db)
    ? sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = current_schema()`
    : sql<{ name: string }>`
        select name from pragma_table_list
        where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%'`
  const { rows } = await query.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/**
 * Finds non-empty tables without a module, among tables of the shared migrations: a PostgreSQL
 * schema may contain foreign tables. Referencing tables come after referenced ones.
 */
export async function unownedTables(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
): Promise<RowsOfTables> {
  const others = await tablesWithoutOwner(db, modules)
  const made = others.size > 0 ? tablesMade('sqlite') : []
  return filledOf(
    db,
    made.filter((name) => others.has(name)),
  )
}

/**
 * Like `moduleVersions`, without missing modules whose tables are empty. As their table names are
 * unknown, all readable tables outside modules and shared migrations count.
 */
export async function versionsInUse(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
): Promise<Map<string, number>> {
  const versions = await moduleVersions(db)
  const gone = goneModules(versions, modules)
  if (gone.size === 0) return versions
  const others = (await tablesWithoutOwner(db, modules)).difference(
    new Set(tablesMade('sqlite', 'postgres')),
  )
  const filled = await filledOf(db, await readable(db, [...others]))
  return filled.size > 0 ? versions : new Map([...versions].filter(([name]) => !gone.has(name)))
}

function goneModules(
  versions: ReadonlyMap<string, number>,
  modules: readonly ModuleSchema[],
): ReadonlySet<string> {
  return new Set(versions.keys()).difference(new Set(modules.map(({ name }) => name)))
}

async function readable(db: DatabaseOrTransaction, names: readonly string[]): Promise<string[]> {
  if (!isPostgres(db)) return [...names]
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tablename = any(${names})
      and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`.execute(db)
  return rows.map(({ name }) => name)
}

/** @throws Error that names the tables and both solutions */
export function assertNoneUnowned(tables: RowsOfTables): void {
  if (tables.size === 0) return
  throw new Error(
    `the database has tables that belong to no module of this program: ${rowsInWords(tables)}: ` +
      `start a program that has their module, or drop what they hold: \`${gatehouse} migrate --abandon ${[...tables.keys()].join()}\``,
  )
}

export interface Abandonable {
  /** Tables of shared migrations, which are emptied. */
  readonly emptied: RowsOfTables
  /** Tables created by a module's own migrations. */
  readonly dropped: RowsOfTables
  /** Modules whose migrations count as not run. */
  readonly forgotten: readonly string[]
}

/**
 * Resolves names. Tables from a module's own migrations are not listed anywhere, so each must be
 * named. @throws Error for a name that is needed or unknown, and for an unnamed table that refers
 * to a named one
 */
export async function abandonable(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
  names: readonly string[],
): Promise<Abandonable> {
  const unowned = await unownedTables(db, modules)
  const hasModules = (await existingTables(db)).has('room_schemas') // older schemas lack the table
  const gone = goneModules(hasModules ? await moduleVersions(db) : new Map(), modules)
  const made = new Set(tablesMade('sqlite', 'postgres'))
  const others = gone.size > 0 ? await tablesWithoutOwner(db, modules) : new Set<string>()
  const dropped = names.filter((name) => others.has(name) && !made.has(name))
  const forgotten = names.filter((name) => gone.has(name))
  for (const name of names) {
    if (unowned.has(name) || dropped.includes(name) || forgotten.includes(name)) continue
    throw new Error(`${name} is no table with rows, and no module, that this program lacks`)
  }
  const emptied = new Map([...unowned].filter(([name]) => names.includes(name)))
  await assertNoneRefers(db, { emptied: [...emptied.keys()], dropped })
  return { emptied, dropped: await rowsOf(db, dropped), forgotten }
}

/** @throws Error for a table that would lose rows or references */
async function assertNoneRefers(
  db: DatabaseOrTransaction,
  { emptied, dropped }: Readonly<Record<'emptied' | 'dropped', readonly string[]>>,
): Promise<void> {
  const { rows } = await references(db).execute(db)
  for (const { child, parent } of rows) {
    if (emptied.includes(child) || dropped.includes(child)) continue
    const refers = emptied.includes(parent)
      ? (await filledOf(db, [child])).size > 0
      : dropped.includes(parent)
    if (refers) throw new Error(`the table ${child} refers to ${parent}: name both, or none`)
  }
}

function references(db: DatabaseOrTransaction) {
  return isPostgres(db)
    ? sql<Reference>`
        select conrelid::regclass::text as child, confrelid::regclass::text as parent
        from pg_constraint where contype = 'f'`
    : sql<Reference>`
        select tables.name as child, keys."table" as parent
        from pragma_table_list as tables join pragma_foreign_key_list(tables.name) as keys
        where tables.schema = 'main'`
}

interface Reference {
  readonly child: string
  readonly parent: string
}

/**
 * Drops the last table first. Tables of shared migrations are only emptied: another node or a later
 * version may have the module.
 */
export async function abandon(
  trx: DatabaseOrTransaction,
  { emptied, dropped, forgotten }: Abandonable,
): Promise<void> {
  for (const table of [...emptied.keys()].toReversed()) {
    await sql`delete from ${sql.table(table)}`.execute(trx)
  }
  if (!isPostgres(trx)) await execute(trx, 'pragma defer_foreign_keys = on')
  const tables = [...dropped.keys()].map((name) => sql.table(name))
  const statements = isPostgres(trx) && tables.length > 0 ? [sql.join(tables)] : tables
  for (const each of statements) await sql`drop table ${each}`.execute(trx)
  for (const name of forgotten) {
    await trx.deleteFrom('room_schemas').where('room', '=', name).execute()
  }
}

async function tablesWithoutOwner(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
): Promise<ReadonlySet<string>> {
  const owned = new Set(modules.flatMap(({ tables = [] }) => tables.map(({ name }) => name)))
  return (await existingTables(db)).difference(owned)
}

/** Tables of the shared migrations. Module tables are the same on every database. */
function tablesMade(...databases: readonly ('sqlite' | 'postgres')[]): string[] {
  return databases.flatMap(schemaStatements).flatMap((statement) => {
    const [, name] = /^\s*create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement) ?? []
    return name === undefined ? [] : [name]
  })
}

async function filledOf(
  db: DatabaseOrTransaction,
  names: readonly string[],
): Promise<RowsOfTables> {
  return new Map([...(await rowsOf(db, names))].filter(([, rows]) => rows > 0))
}

async function rowsOf(db: DatabaseOrTransaction, names: readonly string[]): Promise<RowsOfTables> {
  const counts = new Map<string, number>()
  for (const name of names) {
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from ${sql.table(name)}`.execute(db)
    counts.set(name, Number(rows[0]?.total ?? 0))
  }
  return counts
}
