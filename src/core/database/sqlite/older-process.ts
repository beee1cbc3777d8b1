import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lastContract } from '../migration-kinds.ts'
import { databaseFileName } from './connect.ts'
import { Connection } from './connection.ts'
import { assertUnused } from './exclusive-access.ts'

/**
 * If a `contract` migration is due, asserts that no other process has the database open. Call
 * before opening the database. Versions before 0.10.0 do not lock the data directory.
 * @throws Error that says what to do
 */
export function assertNoOlderProcess(dataDirectory: string): void {
  const path = join(dataDirectory, databaseFileName)
  const version = existsSync(path) ? schemaVersionOf(path) : 0
  if (version > 0 && version < lastContract) assertUnused(dataDirectory)
}

/** 0 for a missing or unreadable file, which the start reports. */
function schemaVersionOf(path: string): number {
  try {
    const connection = new Connection(path, { readOnly: true })
    try {
      const query = { sql: 'select max(version) as version from schema_version', parameters: [] }
      return Number(connection.run<{ version: number | null }>(query).rows[0]?.version ?? 0)
    } finally {
      connection.close()
    }
  } catch {
    return 0
  }
}
