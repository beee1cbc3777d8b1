import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Clock } from '../../core/lib/clock.ts'
import {
  checkpointDigest,
  checkpointsTombstone,
  signTombstone,
  type Tombstone,
  tombstoneText,
} from './checkpoint-form.ts'
import type { CheckpointKey } from './checkpoint-key.ts'
import { keyInUse } from './checkpoint-key-rotation.ts'
import { checkpointStore } from './checkpoint-store.ts'
import { type ClosedKeys, closedKeysOf, closedKeysOfTombstone, closedText } from './closed-keys.ts'
import { type AuditRecord, firstPrevious, macOf } from './record-form.ts'

export interface RetentionDeps {
  readonly db: Database
  readonly clock: Clock
  readonly key: () => CheckpointKey
  readonly chainKey: () => Uint8Array
  /** 0: never delete. */
  readonly retentionDays: number
}

const dayMs = 86_400_000

/**
 * Removes the oldest records and signs, in the same transaction, a tombstone with the new start of
 * each chain. Then removes checkpoints that attest only removed records. Returns the number of
 * rows.
 */
export function createRetention({ db, clock, key, chainKey, retentionDays }: RetentionDeps) {
  return async (batchSize: number): Promise<number> => {
    if (retentionDays === 0) return 0
    const before = clock.now() - retentionDays * dayMs
    if (!(await isDue(db, before))) return 0
    return transact(db, [lockName.auditCheckpoints], async (trx) => {
      const removed = await removeRecords(trx, before, batchSize)
      return removed > 0 ? removed : removeCheckpoints(trx, before, batchSize)
    })
  }

  /** Several chains: killed processes and commands leave short chains. */
  async function removeRecords(trx: DatabaseOrTransaction, before: number, batchSize: number) {
    let removed = 0
    while (removed < batchSize) {
      const more = await removeOfChain(trx, before, batchSize - removed)
      if (more === 0) break
      removed += more
    }
    return removed
  }

  async function removeOfChain(trx: DatabaseOrTransaction, before: number, batchSize: number) {
    const store = checkpointStore(trx)
    const chain = await store.expiredChain(before)
    if (chain === undefined) return 0
    const records = await store.records(chain, 1, Number.MAX_SAFE_INTEGER, batchSize)
    const kept = records.findIndex(({ at }) => at >= before)
    const removed = kept < 0 ? records : records.slice(0, kept)
    const last = removed.at(-1)
    if (!last) return 0
    const { place, mac } = last
    const earlier = await store.tombstone(chain)
    const count = (earlier?.records ?? 0) + removed.length
    const at = clock.now()
    await store.removeRecords(chain, place)
    await store.removeEmptyChain(chain)
    const signing = await keyInUse(trx, key)
    const lists = authenticLists(earlier, removed, { signing, chainKey: chainKey() })
    const closed = closedText(lists, await store.oldestRecord())
    await store.keepTombstone(
      signTombstone(signing, { chain, place, mac, records: count, at, closed }),
    )
    return removed.length
  }

  /** A day older, because clocks of nodes differ: their records are removed. */
  async function removeCheckpoints(trx: DatabaseOrTransaction, before: number, batchSize: number) {
    const store = checkpointStore(trx)
    const oldest = await store.from(0, batchSize + 1)
    const kept = oldest.findIndex(({ at }) => at >= before - dayMs)
    // The last checkpoint stays: the next refers to it.
    const removed = oldest.slice(0, Math.min(kept < 0 ? batchSize : kept, oldest.length - 1))
    const last = removed.at(-1)
    if (!last) return 0
    await store.removeThrough(last.number)
    await store.keepTombstone(
      signTombstone(await keyInUse(trx, key), {
        chain: checkpointsTombstone,
        place: last.number,
        mac: checkpointDigest(last),
        records: last.records,
        at: clock.now(),
        closed: '',
      }),
    )
    return removed.length
  }
}

async function isDue(db: Database, before: number): Promise<boolean> {
  const store = checkpointStore(db)
  if ((await store.expiredChain(before)) !== undefined) return true
  const [first] = await store.from(0, 1)
  return first !== undefined && first.at < before - dayMs
}

/** A new signature would make a forged list valid. */
function authenticLists(
  earlier: Tombstone | undefined,
  removed: readonly AuditRecord[],
  { signing, chainKey }: { readonly signing: CheckpointKey; readonly chainKey: Uint8Array },
): ClosedKeys[] {
  const isSigned = earlier && signing.verifies(tombstoneText(earlier), earlier.signature)
  const lists = isSigned ? [closedKeysOfTombstone(earlier)] : []
  let previous = earlier?.mac
  for (const record of removed) {
    const list = closedKeysOf(record)
    const before = previous ?? firstPrevious(chainKey, record.chain)
    if (hasKeys(list) && macOf(chainKey, before, record) === record.mac) lists.push(list)
    previous = record.mac
  }
  return lists
}

function hasKeys({ keys, through }: ClosedKeys): boolean {
  return keys.length > 0 || through !== null
}
