import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { migrateTo } from '../../src/core/database/migrate.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { setLastId } from '../../src/extras/backup/last-ids.ts'
import { type TableName, type Value, writeRows } from '../../src/extras/backup/rows.ts'

/** When the rows were written, and the credentials of them: cookies, tokens, a code. */
export const writtenAt = '2026-01-15T12:00:30Z'
export const shown: Shown = JSON.parse(readBeside('schema-13.json'))

export interface Shown {
  readonly administrator: { readonly username: string; readonly password: string }
  readonly session: { readonly cookie: string; readonly 'x-csrf-token': string }
  readonly token: string
  readonly revokedToken: string
  readonly refreshToken: string
  readonly recoveryCode: string
  readonly idempotencyKey: string
  readonly idempotentAnswer: object
}

export type Row = Readonly<Record<string, Value>>

/** Reads the rows of schema 13 by table, without tables that triggers fill, and the version. */
export function oldRows(): Map<string, Row[]> {
  const file = new DatabaseSync(':memory:')
  file.exec(readBeside('schema-13.sql'))
  const rows = new Map(
    tables.map((name) => [name, file.prepare(`select * from ${name}`).all() as Row[]]),
  )
  file.close()
  return rows
}

/** Each table follows those that its rows refer to; imports come first for the triggers. */
const tables = [
  ...['imports', 'import_names', 'users', 'accounts', 'token_versions', 'sessions'],
  ...['throttle_places', 'keys', 'used_challenges', 'revocations', 'refresh_uses'],
  ...['second_factors', 'recovery_codes', 'idempotency_keys', 'posts', 'identities', 'flows'],
]
const givingIds = new Set([
  'imports',
  'users',
  'throttle_places',
  'revocations',
  'posts',
  'identities',
])

/** Writes the database file of schema 13 to a folder, as the version before left it. */
export function placeOldFile(directory: string): void {
  const file = new DatabaseSync(join(directory, databaseFileName))
  file.exec(`begin; ${readBeside('schema-13.sql')} commit`)
  file.close()
  chmodSync(join(directory, databaseFileName), 0o600)
}

/** Inserts the same rows into an empty PostgreSQL database, in a transaction. */
export async function fillOldPostgres(trx: DatabaseOrTransaction): Promise<void> {
  const clock = { now: () => Date.parse(writtenAt), wait: async () => {} }
  await migrateTo(trx, clock, 13)
  await writeOldRows(trx, oldRows(), givingIds)
}

/** Writes rows in the order of their tables; `givingIds` names the tables that give out ids. */
export async function writeOldRows(
  trx: DatabaseOrTransaction,
  tables: Iterable<readonly [string, readonly Row[]]>,
  givingIds: ReadonlySet<string>,
): Promise<void> {
  for (const [name, rows] of tables) {
    const table = name as TableName // of the file
    const columns = Object.keys(rows[0] ?? {})
    await writeRows(trx, {
      table,
      columns,
      rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
    })
    if (givingIds.has(name)) {
      await setLastId(trx, table, Math.max(...rows.map(({ id, number }) => Number(number ?? id))))
    }
  }
}

function readBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}
