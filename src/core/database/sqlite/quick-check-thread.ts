import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { reasonOf } from '../../reason.ts'
import type { QuickCheckFromWorker, QuickCheckOrder } from './quick-check.ts'

// The thread of quick-check.ts: runs one check, then ends.

const post = (message: QuickCheckFromWorker) => parentPort?.postMessage(message)

const maxProblems = 5
const corrupt = 11

// On Linux each thread has its own priority. The threads that serve requests go first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

try {
  const { path }: QuickCheckOrder = workerData
  const db = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
  try {
    const rows = db.prepare(`pragma quick_check(${maxProblems})`).all()
    const found = rows.map((row) => String(Object.values(row)[0]))
    post({ kind: 'found', problems: found.filter((text) => text !== 'ok') })
  } finally {
    db.close()
  }
} catch (error) {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  const message = reasonOf(error)
  post(code === corrupt ? { kind: 'found', problems: [message] } : { kind: 'failed', message })
} finally {
  parentPort?.close()
}
