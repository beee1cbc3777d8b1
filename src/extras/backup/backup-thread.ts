import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { systemRandom } from '../../core/crypto/random.ts'
import { connectThread } from '../../core/database/thread-connection.ts'
import { reasonOf, systemCode } from '../../core/reason.ts'
import { withNewArchive } from './archive-writer.ts'
import { readBack } from './read-back.ts'
import { deserializeOrder, type Heard, type Said } from './thread-order.ts'
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
  const { path, passphrase, settings, tables, now } = deserializeOrder(workerData)
  const progress = () => {
    if (isStopped) throw new Error('the service stops')
    say({ kind: 'progress' })
  }
  const options = { tables, passphrase, onProgress: progress }
  const deps = { config: settings, clock: { now: () => now }, random: systemRandom }
  await withNewArchive(path, async (archive) => {
    const db = connectThread(settings.database)
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
