import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Database } from '../src/core/database/database.ts'
import { connectTo, leaveDatabase, placeSqliteFile } from './database.ts'

/** An empty database with the schema, for the tests of a store; closed after the tests of the file. */
export async function storeDatabase(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  const { db } = await connectTo({ directory })
  after(async () => {
    await db.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true })
  })
  return db
}
