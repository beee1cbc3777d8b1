import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Connected } from '../src/core/database/database.ts'
import { connectTo, enterDatabase, leaveDatabase, placeSqliteFile } from './database.ts'

/** A database with all tables and no rows, until the end of the tests of a file or suite. */
export async function ownDatabase(): Promise<Connected> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  enterDatabase(directory)
  const connected = await connectTo({ directory })
  after(async () => {
    await connected.db.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true })
  })
  return connected
}
