import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { checkpointStore } from './checkpoint-store.ts'
import { closedKeysOfTombstone } from './closed-keys.ts'
import { auditErasuresCounted } from './events.ts'
import { numbersWith } from './indexes.ts'
import { openedOrNull } from './opened-record.ts'
import { closedAmong } from './read-store.ts'

/** First version whose records list erased keys. */
export const listedSince = '0.10.0'
const keysPerRecord = 100
const recordsPerStep = 2000

/** Last record before lists; 0 if none. */
export async function unlistedThrough(db: DatabaseOrTransaction): Promise<number> {
  const row = await db.selectFrom('audit_erasures_unlisted').select('through').executeTakeFirst()
  return row?.through ?? 0
}

/**
 * Lists once, after the upgrade, the keys erased by earlier versions, so that later deletions are
 * detected. Returns `batchSize` until done, then 0.
 */
export function createUnlistedErasures({ db, events }: Pick<Needs, 'db' | 'events'>) {
  const closed = new Set<string>()
  let from = 0
  let isDone = false

  return async (batchSize: number): Promise<number> => {
    isDone ||= await isListed(db)
    if (isDone) return 0
    const through = await unlistedThrough(db)
    if (from < through) {
      const to = Math.min(through, from + recordsPerStep)
      for (const name of await closedAmong(db, { from, to })) closed.add(name)
      from = to
      return batchSize
    }
    await transact(db, [lockName.erasures], async (trx) => {
      if (await isListed(trx)) return
      const names = [...closed]
      for (let at = 0; at === 0 || at < names.length; at += keysPerRecord) {
        const some = names.slice(at, at + keysPerRecord)
        const unlisted = { closed: some, through }
        await events.emitInTransaction(
          trx,
          auditErasuresCounted,
          { erasures: some.length },
          { unlisted },
        )
      }
    })
    closed.clear()
    return 0
  }
}

/** Also true after retention. */
async function isListed(db: DatabaseOrTransaction): Promise<boolean> {
  const record = await numbersWith(db, 'type', auditErasuresCounted.name, 1).executeTakeFirst()
  if (record) return true
  for await (const tombstone of checkpointStore(db).tombstones()) {
    const list = openedOrNull(() => closedKeysOfTombstone(tombstone))
    if (list !== null && list.through !== null) return true
  }
  return false
}
