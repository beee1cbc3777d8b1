import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Database } from '../src/core/database/database.ts'
import { connectTo, leaveDatabase, placeSqliteFile } from './database.ts'

/** An empty database with the schema, for the tests of a store; closed after the tests of the file. */
export async function storeDatabase(): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  let opened: Database | undefined
  // First: behind the connection of another file the hook would belong to that file.
  after(async () => {
    await opened?.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true })
  })
  await placeSqliteFile(directory)
  opened = (await connectTo({ directory })).db
  return opened
}
