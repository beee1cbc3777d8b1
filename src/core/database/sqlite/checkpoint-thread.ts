import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../../threads/serve-thread.ts'
import type { CheckpointRequest, Log } from './checkpoints.ts'

// The thread of checkpoints.ts. Writers may wait for it: it is not a background thread.
let database: DatabaseSync | undefined

serveThread(checkpoint, { isBackground: false, close: () => database?.close() })

function checkpoint({ path, mode }: CheckpointRequest): Log | null {
  if (!database) {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('pragma synchronous = normal') // the log is on disk before the file is written
  }
  try {
    const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${mode})`).get() ?? {}
    return { pages: Number(log), written: Number(checkpointed) }
  } catch {
    return null // a full disk, for example: the log keeps what could not be written
  }
}
