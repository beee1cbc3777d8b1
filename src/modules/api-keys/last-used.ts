import type { Database } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { keyStore } from './store.ts'

const minuteMs = 60_000
const batchSize = 200

/** When keys were used, to the minute, without a write per request. */
export interface LastUsed {
  note(keyId: string): void
  flush(): Promise<void>
}

export function createLastUsed({
  asyncCommitDb,
  clock,
}: {
  readonly asyncCommitDb: Database
  readonly clock: Clock
}): LastUsed {
  const minutes = new Map<string, number>()
  const written = new Map<string, number>()
  return {
    note(keyId) {
      const minute = clock.now() - (clock.now() % minuteMs)
      if (minutes.get(keyId) !== minute && written.get(keyId) !== minute) minutes.set(keyId, minute)
    },

    async flush() {
      const due = [...minutes]
      written.clear()
      for (let from = 0; from < due.length; from += batchSize) {
        const batch = due.slice(from, from + batchSize)
        await transact(asyncCommitDb, [], async (trx) => {
          for (const [id, minute] of batch) await keyStore(trx).used(id, minute)
        })
        for (const [id, minute] of batch) {
          written.set(id, minute)
          if (minutes.get(id) === minute) minutes.delete(id)
        }
      }
    },
  }
}
