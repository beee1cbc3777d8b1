import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../../threads/serve-thread.ts'
import type { CheckpointRequest, Log } from './checkpoints.ts'

// Not a background thread: writers may wait for the checkpoint.
let database: DatabaseSync | undefined

serveThread(checkpoint, { isBackground: false, close: () => database?.close() })

function checkpoint({ path, mode }: CheckpointRequest): Log | null {
  if (!database) {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('pragma synchronous = normal') // flushes the log before writing the file
  }
  try {
    const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${mode})`).get() ?? {}
    return { pages: Number(log), written: Number(checkpointed) }
  } catch {
    return null // for example a full disk: the log keeps the rest
  }
}
