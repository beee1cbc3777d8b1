import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connected } from '../src/core/database/database.ts'
import { afterwards } from './afterwards.ts'
import { connectTo, enterDatabase, leaveDatabase, placeSqliteFile } from './database.ts'

/** A database with all tables and no rows, until the end of the tests of a file or suite. */
export async function ownDatabase(): Promise<Connected> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  let connected: Connected | undefined
  // Before anything is awaited: later the hook would belong to another file of the process.
  afterwards(async () => {
    await connected?.db.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true, force: true })
  })
  await placeSqliteFile(directory)
  enterDatabase(directory)
  connected = await connectTo({ directory })
  return connected
}
