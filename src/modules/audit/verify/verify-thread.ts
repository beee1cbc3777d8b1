import { connectThread, type ThreadDatabase } from '../../../core/database/thread-connection.ts'
import { serveThread, type ThreadCall } from '../../../core/threads/serve-thread.ts'
import type { AuditKeys } from '../../keys/audit-keys.ts'
import { linesOutside } from './outside-file.ts'
import type { Verification } from './report.ts'
import { verifyAudit } from './verify.ts'

/** The thread has no config. */
export interface VerifyOrder {
  readonly database: ThreadDatabase
  readonly keys: AuditKeys
  /** Null if missing. */
  readonly outside: string | null
  /** Epoch milliseconds. */
  readonly now: number
}

serveThread(verify, { isBackground: true })

async function verify(
  { database, keys, outside, now }: VerifyOrder,
  { note }: ThreadCall<number>,
): Promise<Verification> {
  const db = connectThread(database)
  const options = {
    outside: linesOutside(outside),
    now,
    onProgress: (records: number) => void note(records),
  }
  return verifyAudit({ db, keys }, options).finally(() => db.destroy())
}
