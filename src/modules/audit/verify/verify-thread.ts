import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import {
  connectThread,
  deserializeConfig,
  type ThreadDatabase,
} from '../../../core/database/thread-connection.ts'
import { reasonOf } from '../../../core/reason.ts'
import { linesOf } from './outside-file.ts'
import type { VerifyFromWorker, VerifyOrder } from './thread.ts'
import { verifyAudit } from './verify.ts'

// The thread of thread.ts: it makes one verification, and ends.

const post = (message: VerifyFromWorker) => parentPort?.postMessage(message)

// On Linux a thread has a priority of its own, and what serves callers goes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

try {
  const { database, keys, outside, now }: VerifyOrder = workerData
  const db = connectThread(deserializeConfig(database) as ThreadDatabase) // as it was sent
  const options = {
    outside: outside === null ? null : linesOf(outside),
    now,
    onProgress: (records: number) => post({ kind: 'progress', records }),
  }
  const found = await verifyAudit({ db, keys }, options).finally(() => db.destroy())
  post({ kind: 'verified', found })
} catch (error) {
  post({ kind: 'failed', message: reasonOf(error) })
} finally {
  parentPort?.close()
}
