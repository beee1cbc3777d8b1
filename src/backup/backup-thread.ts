import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import { connectPostgres } from '../database/postgres/connect.ts'
import type { Schema } from '../database/schema.ts'
import { databaseFileName } from '../database/sqlite/connect.ts'
import { NodeSqliteDialect } from '../database/sqlite/dialect.ts'
import { systemRandom } from '../kernel/random.ts'
import { reasonOf, systemCode } from '../kernel/reason.ts'
import { withNewArchive } from './archive-writer.ts'
import { readBack } from './read-back.ts'
import { type Heard, received, type Said } from './thread-order.ts'
import { writeBackup } from './write-backup.ts'

// The thread of thread.ts: it makes one backup, and ends.

const heard = Promise.withResolvers<Heard>()
let isStopped = false
parentPort?.on('message', (word: Heard) => {
  isStopped ||= word === 'stop'
  heard.resolve(word)
})
const say = (said: Said) => parentPort?.postMessage(said)

// On Linux a thread has a priority of its own, and what serves callers goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

try {
  await make()
} catch (error) {
  say({ kind: 'failed', message: reasonOf(error), code: systemCode(error) })
} finally {
  parentPort?.close()
}

async function make(): Promise<void> {
  const { path, passphrase, settings, tables, now } = received(workerData)
  const progress = () => {
    if (isStopped) throw new Error('the service stops')
    say({ kind: 'progress' })
  }
  const options = { tables, passphrase, onProgress: progress }
  const deps = { config: settings, clock: { now: () => now }, random: systemRandom }
  await withNewArchive(path, async (archive) => {
    const db = open(settings.database)
    const written = await writeBackup({ ...deps, db }, archive, options).finally(() => db.destroy())
    await archive.sync()
    progress()
    const opening = { passphrase: async () => passphrase, unverified: false }
    const made = await readBack(archive.partial, opening, options)
    if (made.sha256 !== written.sha256) throw new Error('the file does not hold what was written')
    say({ kind: 'verified', made })
    if ((await heard.promise) !== 'publish') throw new Error('the service stops')
    await archive.publish()
    say({ kind: 'published' })
  })
}

/**
 * Connections of the thread alone. SQLite's file is opened and closed by SQLite alone: to close a
 * descriptor of its own, as `connect` does, would release the locks of all connections of the process.
 */
function open({ dataDirectory, postgres, timeoutMs }: Config['database']): Database {
  if (postgres) return connectPostgres({ address: postgres, poolMax: 2, timeoutMs }).db
  const path = join(dataDirectory, databaseFileName)
  return new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ path, timeoutMs, synchronous: 'full' }),
  })
}
