import { transact } from '../../core/database/transactions.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { keyExpiring } from './events.ts'
import { keyStore, type StoredKey } from './store.ts'

const noticeMs = 7 * 86_400_000

/** Tells who made a key a week before its end. Returns the number of keys. */
export async function tellOfEnds(
  { clock, db, events }: Pick<Needs, 'clock' | 'db' | 'events'>,
  batchSize: number,
): Promise<number> {
  const now = clock.now()
  const ending = await keyStore(db).endingUntold(now, now + noticeMs, batchSize)
  for (const key of ending) {
    await transact(db, [], async (trx) => {
      if (!(await keyStore(trx).told(key.id, now))) return // another node was first
      await events.emitInTransaction(trx, keyExpiring, {
        ...{ user_id: key.userId, key_id: key.id, kind: key.kind },
        expires_at: isoTime(key.expiresAt),
        told: toldOf(key),
      })
    })
  }
  return ending.length
}

/** The person of an app password; otherwise who made the key, if not by the command line. */
function toldOf({ createdBy, kind, userId }: StoredKey): number | null {
  return kind === 'app_password' ? userId : createdBy
}
