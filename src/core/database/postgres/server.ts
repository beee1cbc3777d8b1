import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database.ts'
import { DatabaseReadOnly } from '../errors.ts'
import { isPostgres } from '../transactions.ts'
import { notifiesSetting } from './notification.ts'

/** Servers with PostgreSQL's protocol that would silently break guarantees. */
const refused: readonly { readonly name: string; readonly sign: RegExp; readonly why: string }[] = [
  {
    // https://www.cockroachlabs.com/docs/stable/postgresql-compatibility
    name: 'CockroachDB',
    sign: /\bCockroachDB\b/i,
    why: 'some of its advisory locks lock nothing, and it has no LISTEN',
  },
  {
    // https://docs.yugabyte.com/stable/explore/transactions/isolation-levels/
    name: 'YugabyteDB',
    sign: /-YB-/,
    why: 'its READ COMMITTED may be another isolation, on which a lock protects nothing that is read',
  },
  {
    // https://docs.aws.amazon.com/redshift/latest/dg/t_Defining_constraints.html
    name: 'Amazon Redshift',
    sign: /\bRedshift\b/i,
    why: 'its unique constraints are not enforced',
  },
]

/** Takes a `version()`; undefined if the server is usable. */
export function refusalOf(banner: string): string | undefined {
  const server = refused.find(({ sign }) => sign.test(banner))
  if (!server) return undefined
  return `DATABASE_URL leads to ${server.name}, which cannot be used: ${server.why}. PostgreSQL itself is needed`
}

const minVersion = 14

const withoutSearchIndex =
  'DATABASE_URL: the indexes of pg_trgm are missing: searches of users go two at a time, see docs/postgresql.md'

export interface SessionSettings {
  readonly limitMs: number
  readonly maxIdleMs: number
  /** As reported to the client. */
  readonly pid: number
}

/**
 * Overrides settings of the role, the database and the server. The last statement returns whether
 * the session sends notifications itself.
 */
export function sessionSettings({ limitMs, maxIdleMs, pid }: SessionSettings): string {
  return [
    `set statement_timeout = ${limitMs}`,
    `set lock_timeout = ${limitMs}`,
    `set idle_in_transaction_session_timeout = ${maxIdleMs}`,
    'set client_min_messages = notice',
    "set default_transaction_isolation = 'read committed'",
    'set bytea_output = hex',
    'set standard_conforming_strings = on',
    `select set_config('${notifiesSetting}',
      case when pg_backend_pid() = ${pid} then 'on' else 'off' end, false) as notifies`,
  ].join(';')
}

/** @throws Error that says what is needed */
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
  /** For example 'PostgreSQL 18.4 on x86_64-pc-linux-gnu, ...'; identifies other servers. */
  readonly banner: string
  /** For example 180004. */
  readonly number: string
  readonly version: string
  readonly encoding: string
}

/** Undefined if the server and database are usable. */
export function faultOf({ banner, number, version, encoding }: Server): string | undefined {
  const refusal = refusalOf(banner)
  if (refusal) return refusal
  if (Number(number) < minVersion * 10_000) {
    return `this is PostgreSQL ${version}: Gatehouse needs ${minVersion} or newer`
  }
  if (encoding === 'UTF8') return undefined
  return `the database has the encoding ${encoding}: Gatehouse needs one made with encoding 'UTF8'`
}

/** @throws DatabaseReadOnly */
export async function assertTakesChanges(db: DatabaseOrTransaction): Promise<void> {
  const { rows } = await sql<{ readOnly: string }>`
    select current_setting('transaction_read_only') as "readOnly"`.execute(db)
  if (rows[0]?.readOnly !== 'on') return
  throw new DatabaseReadOnly(
    'the database takes no changes: it is a standby, or default_transaction_read_only is on',
  )
}

/** Whether the pg_trgm indexes exist, created by the migration or by the operator. */
export function hasSearchIndex(db: DatabaseOrTransaction): Promise<boolean> {
  return hasTrigrams(db, 'users', ['name_key', 'email_key'])
}

/** Like `hasSearchIndex`, for the administrators' account list. */
export function hasAccountSearchIndex(db: DatabaseOrTransaction): Promise<boolean> {
  return hasTrigrams(db, 'accounts', ['username', 'verified_email_key'])
}

async function hasTrigrams(
  db: DatabaseOrTransaction,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ columns: number }>`
    select count(distinct attname) as columns from pg_index
    join pg_opclass on pg_opclass.oid = any (indclass)
    join pg_attribute on attrelid = indrelid and attnum = any (indkey)
    where indrelid = ${table}::regclass and indisvalid and indpred is null
      and opcname = 'gin_trgm_ops' and attname in (${sql.join(columns)})`.execute(db)
  return rows[0]?.columns === columns.length
}

/**
 * Warns of settings that can lose acknowledged changes, and of missing search indexes. Needs the
 * schema.
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
