import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Log, Mode } from './checkpoints.ts'

// The thread of checkpoints.ts. It opens and closes the file by SQLite alone: to close a descriptor
// of its own would release the locks of all connections of the process.
const database = new DatabaseSync(workerData, { timeout: 0 })
database.exec('pragma synchronous = normal') // the log is on disk before the file is written

parentPort?.on('message', (mode: Mode | 'close') => {
  if (mode === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage(checkpoint(mode))
})

function checkpoint(mode: Mode): Log | null {
  try {
    const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${mode})`).get() ?? {}
    return { pages: Number(log), written: Number(checkpointed) }
  } catch {
    return null // a full disk, for example: the log keeps what could not be written
  }
}
