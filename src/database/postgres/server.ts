import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { isPostgres } from '../transactions.ts'
import { refusalOf } from './server-kind.ts'

const oldest = 14

const withoutSearchIndex =
  'DATABASE_URL: the indexes of pg_trgm are missing: searches of users go two at a time, see docs/postgresql.md'

/** What a new session begins with, whatever the role, the database or the server would have it be. */
export function sessionSettings(limitMs: number, idleInTransactionMs: number): string {
  return [
    `set statement_timeout = ${limitMs}`,
    `set lock_timeout = ${limitMs}`,
    `set idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
    "set default_transaction_isolation = 'read committed'",
    'set bytea_output = hex',
    'set standard_conforming_strings = on',
  ].join(';')
}

/** @throws Error where Gatehouse cannot work on this server and database, that says what it needs */
export async function assertServer(db: DatabaseOrTransaction): Promise<void> {
  if (!isPostgres(db)) return
  const { rows } = await sql<Server>`
    select version() as banner, current_setting('server_version_num') as number,
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding`.execute(db)
  const fault = rows[0] && faultOf(rows[0])
  if (fault) throw new Error(fault)
  await assertTakesChanges(db)
}

interface Server {
  /** As 'PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by ...'; others tell who they are there. */
  readonly banner: string
  /** As 180004. */
  readonly number: string
  readonly version: string
  readonly encoding: string
}

/** What makes a server or its database unfit; undefined where nothing does. */
export function faultOf({ banner, number, version, encoding }: Server): string | undefined {
  const refusal = refusalOf(banner)
  if (refusal) return refusal
  if (Number(number) < oldest * 10_000) {
    return `this is PostgreSQL ${version}: Gatehouse needs ${oldest} or newer`
  }
  if (encoding === 'UTF8') return undefined
  return `the database has the encoding ${encoding}: Gatehouse needs one made with encoding 'UTF8'`
}

/** @throws DatabaseUnavailable where it can be read, but not be changed */
export async function assertTakesChanges(db: DatabaseOrTransaction): Promise<void> {
  const { rows } = await sql<{ readOnly: string }>`
    select current_setting('transaction_read_only') as "readOnly"`.execute(db)
  if (rows[0]?.readOnly !== 'on') return
  throw new DatabaseUnavailable(
    'the database takes no changes: it is a standby, or default_transaction_read_only is on',
  )
}

/** Whether users are searched by the indexes of pg_trgm: by the migration's, or an operator's. */
export async function hasSearchIndex(db: DatabaseOrTransaction): Promise<boolean> {
  const { rows } = await sql<{ columns: number }>`
    select count(distinct attname) as columns from pg_index
    join pg_opclass on pg_opclass.oid = any (indclass)
    join pg_attribute on attrelid = indrelid and attnum = any (indkey)
    where indrelid = 'users'::regclass and indisvalid and indpred is null
      and opcname = 'gin_trgm_ops' and attname in ('name_key', 'email_key')`.execute(db)
  return rows[0]?.columns === 2
}

/**
 * What about a PostgreSQL server may lose changes that were acknowledged, or lets searches be
 * refused; once the schema is there.
 */
export async function serverWarnings(db: DatabaseOrTransaction): Promise<string[]> {
  if (!isPostgres(db)) return []
  const { rows } = await sql<{ name: string }>`
    select name from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    order by name`.execute(db)
  const losses = rows.map(
    ({ name }) => `DATABASE_URL: ${name} is off: what was acknowledged may be lost with the server`,
  )
  return (await hasSearchIndex(db)) ? losses : [...losses, withoutSearchIndex]
}
