import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { systemRandom } from '../../core/crypto/random.ts'
import { connectThread } from '../../core/database/thread-connection.ts'
import { reasonOf, systemCode } from '../../core/reason.ts'
import { withNewArchive } from './archive-writer.ts'
import { readBack } from './read-back.ts'
import { deserializeOrder, type FromWorker, type ToWorker } from './thread-order.ts'
import { writeBackup } from './write-backup.ts'

// The thread of thread.ts: it makes one backup, and ends.

const toWorker = Promise.withResolvers<ToWorker>()
let isStopped = false
parentPort?.on('message', (message: ToWorker) => {
  isStopped ||= message === 'stop'
  toWorker.resolve(message)
})
const post = (message: FromWorker) => parentPort?.postMessage(message)

// On Linux a thread has a priority of its own, and what serves callers goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

try {
  await make()
} catch (error) {
  post({ kind: 'failed', message: reasonOf(error), code: systemCode(error) })
} finally {
  parentPort?.close()
}

async function make(): Promise<void> {
  const { path, passphrase, settings, tables, now } = deserializeOrder(workerData)
  const progress = () => {
    if (isStopped) throw new Error('the service stops')
    post({ kind: 'progress' })
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
    post({ kind: 'verified', made })
    if ((await toWorker.promise) !== 'publish') throw new Error('the service stops')
    await archive.publish()
    post({ kind: 'published' })
  })
}
