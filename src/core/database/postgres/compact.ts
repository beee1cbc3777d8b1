import type { ClientConfig } from 'pg'
import { connectionOf, type PostgresAddress } from './address.ts'

export interface CompactedTables {
  /** Bytes, with indexes. */
  readonly before: number
  readonly after: number
  readonly tables: number
  /** Tables that were not compacted. */
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

export interface CompactOptions {
  readonly wait: (milliseconds: number) => Promise<void>
  readonly onTable?: (name: string) => void
}

/** How long to wait for a table: requests for the table wait too. */
const lockMs = 1_000
const attempts = 20
const pauseMs = 500
const lockNotAvailable = '55P03'
const noPermission = '42501'

// Of the first schema in the search path.
const ownTables = `
  select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'
    and pg_has_role(relowner, 'member')
  order by relname`
const sizes = `
  select coalesce(sum(pg_total_relation_size(oid)), 0)::text as bytes from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'`
/** Contains samples of column values. */
const statistics = 'pg_catalog.pg_statistic'
// An empty table keeps old samples; setting a column to its current type drops them:
// https://www.postgresql.org/docs/current/sql-altertable.html
const sampled = `
  select pg_stats.attname as name from pg_stats
  join pg_attribute on attrelid = $1::regclass and pg_attribute.attname = pg_stats.attname
  where schemaname = current_schema() and tablename = $2 and atttypid = 'text'::regtype
    and attcollation = 'pg_catalog."C"'::regcollation`

/**
 * Rewrites tables, indexes and planner statistics, which contain samples of names, without deleted
 * data. Rewriting locks a table; short waits with retries keep requests from queueing behind the
 * lock.
 */
export async function compactPostgres(
  address: PostgresAddress,
  { wait, onTable = () => {} }: CompactOptions,
): Promise<CompactedTables> {
  const { default: pg } = await import('pg')
  const config: ClientConfig = connectionOf(address)
  const client = new pg.Client(config)
  await client.connect()
  try {
    await client.query(`set statement_timeout = 0; set lock_timeout = ${lockMs}`)
    const before = await total()
    const { rows } = await client.query<{ name: string }>(ownTables)
    const left: { name: string; reason: string }[] = []
    for (const name of [...rows.map(({ name }) => name), null]) {
      const table = name === null ? statistics : pg.escapeIdentifier(name)
      onTable(name ?? statistics)
      const written = await unlessInUse(`vacuum (full, analyze) ${table}`)
      const reason = written ?? (name === null ? null : await forgotten(name, table))
      if (reason !== null) left.push({ name: name ?? statistics, reason })
    }
    return { before, after: await total(), tables: rows.length, left }
  } finally {
    await client.end().catch(() => {})
  }

  async function total(): Promise<number> {
    const { rows } = await client.query<{ bytes: string }>(sizes)
    return Number(rows[0]?.bytes)
  }

  /** Drops the samples of an empty table; returns the reason of a failure. */
  async function forgotten(name: string, table: string): Promise<string | null> {
    const { rows } = await client.query(`select 1 from ${table} limit 1`)
    if (rows.length > 0) return null
    const columns = await client.query<{ name: string }>(sampled, [table, name])
    if (columns.rows.length === 0) return null
    const changes = columns.rows.map(
      (column) => `alter column ${pg.escapeIdentifier(column.name)} type text collate "C"`,
    )
    return unlessInUse(`alter table ${table} ${changes.join(', ')}`)
  }

  /** Returns the reason of a failure. */
  async function unlessInUse(statement: string): Promise<string | null> {
    for (let attempt = 1; ; attempt += 1) {
      const warned: string[] = []
      const note = ({ message }: { message?: string | undefined }) =>
        void warned.push(message ?? '')
      client.on('notice', note)
      try {
        await client.query(statement)
        // Without permission, the server only warns.
        return warned.find((message) => message.includes('permission denied')) ?? null
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === noPermission) return 'no permission'
        if (code !== lockNotAvailable) throw error
        if (attempt === attempts) return 'in use by others'
      } finally {
        client.off('notice', note)
      }
      await wait(pauseMs)
    }
  }
}
