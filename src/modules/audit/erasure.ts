import { afterCommit, attemptOf } from '../../core/database/commit.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { Audit } from './audit.ts'
import { type ErasureRow, erasureStore } from './erasure-store.ts'
import { auditKeysErased } from './events.ts'
import { openedOrNull } from './opened-record.ts'
import { openSubjectKey } from './persons.ts'
import { derivedOf } from './subject-keys.ts'
import { createUnlistedErasures } from './unlisted-erasures.ts'

/**
 * Removing a user deletes the person's keys in the same transaction: records no longer open, and
 * the chains stay intact. Indexes are emptied later, in batches. docs/adr/0066
 */
export interface Erasure {
  /** Before the rows are deleted. */
  readonly begin: HookPoints['onUserRemoved']
  /** Drops keys erased by any process from memory. */
  heed(): Promise<void>
  /** One batch; returns `batchSize` if there may be more, otherwise 0. */
  clear(batchSize: number): Promise<number>
  /**
   * Once a day: erases keys of removed users, which an older version may have left. Returns as
   * `clear`.
   */
  sweep(batchSize: number): Promise<number>
  /** See `createUnlistedErasures`. */
  listEarlier(batchSize: number): Promise<number>
}

export interface ErasureDeps {
  readonly db: Database
  /** Lost batches are repeated. */
  readonly asyncCommitDb: Database
  readonly clock: Clock
  readonly keys: Pick<KeySet, 'dataKey'>
  readonly audit: Pick<Audit, 'closing' | 'forget'>
  readonly events: Events
  /** Identities at providers, as `issuer#sub`. */
  readonly subjectsOf: (trx: DatabaseOrTransaction, userId: number) => Promise<string[]>
  /** Repeated at the end, for concurrent writes. */
  readonly erased: HookPoints['onErasure']
}

/** Longer than any process needs to learn of the erasure and end its transactions. */
const keptMs = 600_000
const sweepEveryMs = 86_400_000

export function createErasure(deps: ErasureDeps): Erasure {
  const { db, asyncCommitDb, clock, events, keys, audit, subjectsOf, erased } = deps
  const begun = new WeakMap<object, number>()
  let sweptTo = ''
  let sweepAt = 0

  return {
    async begin(trx, userId) {
      await beginKeys(trx, userId)
      await erased(trx, userId)
    },

    async heed() {
      const pseudonyms = await erasureStore(db).pseudonyms()
      if (pseudonyms.length > 0) audit.forget(pseudonyms)
    },

    clear: async (batchSize) => ((await step(clock.now() - keptMs, batchSize)) ? batchSize : 0),

    listEarlier: createUnlistedErasures(deps),

    async sweep(batchSize) {
      if (clock.now() < sweepAt) return 0
      const subjects = await erasureStore(db).subjectsAfter(sweptTo, batchSize)
      const ids = subjects.filter((subject) => /^[1-9][0-9]{0,15}$/.test(subject)).map(Number)
      for (const id of await erasureStore(db).gone(ids)) {
        await transact(db, [], async (trx) => {
          const closed = await eraseKeys(trx, id, [String(id)])
          await events.emitInTransaction(trx, auditKeysErased, { keys: closed.length }, { closed })
        })
      }
      sweptTo = subjects.at(-1) ?? ''
      if (subjects.length === batchSize) return batchSize
      sweptTo = ''
      sweepAt = clock.now() + sweepEveryMs
      return 0
    },
  }

  async function beginKeys(trx: DatabaseOrTransaction, userId: number): Promise<void> {
    const attempt = attemptOf(trx)
    if (begun.get(attempt) === userId) return // a retry under a lock
    begun.set(attempt, userId)
    const subjects = [String(userId), ...(await subjectsOf(trx, userId))]
    // Before the commit: the last record lists the keys.
    audit.closing(trx, (last) => eraseKeys(last, userId, subjects))
  }

  async function eraseKeys(
    trx: DatabaseOrTransaction,
    userId: number,
    subjects: readonly string[],
  ): Promise<string[]> {
    const store = erasureStore(trx)
    const at = clock.now()
    const found = await store.removeKeys(subjects)
    const closed: string[] = []
    const rows = found.map(({ subject, pseudonym, sealed }) => {
      const key = openedOrNull(() => derivedOf(openSubjectKey(keys.dataKey, subject, sealed)))
      // A key that does not open may belong to another person: listing it would excuse a missing
      // key.
      if (key) closed.push(key.pseudonym)
      const { actorIndex = null, targetIndex = null } = key ?? {}
      return { pseudonym, actor_index: actorIndex, target_index: targetIndex }
    })
    const nothing = { pseudonym: null, actor_index: null, target_index: null }
    await store.add(
      (rows.length > 0 ? rows : [nothing]).map((row) => ({ user_id: userId, at, ...row })),
    )
    afterCommit(trx, () => audit.forget([...closed, ...found.map(({ pseudonym }) => pseudonym)]))
    return closed
  }

  async function step(endedBefore: number, batchSize: number): Promise<boolean> {
    if (!(await erasureStore(db).due(endedBefore))) return false // avoids a transaction
    return transact(asyncCommitDb, [lockName.erasures], async (trx) => {
      const store = erasureStore(trx)
      const row = await store.due(endedBefore)
      if (!row) return false
      if ((await store.clearIndexes(row, batchSize)) > 0) return true
      await erased(trx, row.user_id)
      await ended(trx, row, endedBefore)
      return true
    })
  }

  async function ended(trx: DatabaseOrTransaction, { id, at }: ErasureRow, before: number) {
    if (at < before) await erasureStore(trx).end(id)
    else await erasureStore(trx).markCleared(id, clock.now())
  }
}
