import type { ClientConfig } from 'pg'
import { connectionOf, type PostgresAddress } from './address.ts'

export interface CompactedTables {
  /** Bytes of all tables with their indexes. */
  readonly before: number
  readonly after: number
  readonly tables: number
  /** What was left as it is, with the reason. */
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

export interface CompactOptions {
  readonly wait: (milliseconds: number) => Promise<void>
  readonly onTable?: (name: string) => void
}

/** How long a table may be waited for: so long, other requests for it wait too. */
const lockMs = 1_000
const attempts = 20
const pauseMs = 500
const lockNotAvailable = '55P03'
const noPermission = '42501'

// Of the schema that comes first in the search path, as the migrations made them.
const ownTables = `
  select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'
    and pg_has_role(relowner, 'member')
  order by relname`
const sizes = `
  select coalesce(sum(pg_total_relation_size(oid)), 0)::text as bytes from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'`
/** Holds samples of what was in the columns. */
const statistics = 'pg_catalog.pg_statistic'

/**
 * Writes all tables and indexes of the service anew, without what was deleted, and the statistics of
 * the planner, which hold samples of names. A table is locked while it is written; the wait for its
 * lock is short and is tried again, so that requests do not queue behind it for long.
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
    const wanted = [...rows.map(({ name }) => pg.escapeIdentifier(name)), statistics]
    for (const name of wanted) {
      onTable(name)
      const reason = await written(name)
      if (reason !== null) left.push({ name, reason })
    }
    return { before, after: await total(), tables: rows.length, left }
  } finally {
    await client.end().catch(() => {})
  }

  async function total(): Promise<number> {
    const { rows } = await client.query<{ bytes: string }>(sizes)
    return Number(rows[0]?.bytes)
  }

  /** Writes a table anew; answers why it could not. */
  async function written(name: string): Promise<string | null> {
    for (let attempt = 1; ; attempt += 1) {
      const warned: string[] = []
      const note = ({ message }: { message?: string | undefined }) =>
        void warned.push(message ?? '')
      client.on('notice', note)
      try {
        await client.query(`vacuum (full, analyze) ${name}`)
        // A server warns, and does nothing, if it may not.
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
