import { batchesOf } from '../../core/database/batches.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Clock } from '../../core/lib/clock.ts'
import {
  type Checkpoint,
  checkpointDigest,
  type Head,
  headsText,
  noCheckpointBefore,
  parseHeads,
  signCheckpoint,
} from './checkpoint-form.ts'
import type { CheckpointKey } from './checkpoint-key.ts'
import { keyInUse } from './checkpoint-key-rotation.ts'
import { type ChainEnd, type CheckpointStore, checkpointStore } from './checkpoint-store.ts'

export interface CheckpointsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly key: () => CheckpointKey
  /** Minimum age of the last checkpoint. */
  readonly youngMs: number
  readonly inserted?: (trx: DatabaseOrTransaction, checkpoint: Checkpoint) => Promise<void>
}

export interface Checkpoints {
  /**
   * Covers new records; unless `isUrgent`, not within `youngMs` of the last checkpoint of any
   * process. True if everything committed before the call is covered. Commits synchronously: a
   * power failure cannot undo attested records.
   */
  write(options?: { readonly isUrgent?: boolean }): Promise<boolean>
}

const dayMs = 86_400_000
const none: ReadonlySet<string> = new Set()

const chainsOf = (ends: readonly ChainEnd[]) => ends.map(({ chain }) => chain)

/** Caches the covered places; reads other processes' checkpoints before writing. */
export function createCheckpoints({
  db,
  clock,
  key,
  youngMs,
  inserted,
}: CheckpointsDeps): Checkpoints {
  /** Last covered place by open chain; null until read. */
  let covered: Map<string, number> | null = null
  let known: { readonly number: number; readonly digest: string } | null = null

  /** Reads new checkpoints of all processes; returns the last. */
  async function catchUp(store: CheckpointStore): Promise<Checkpoint | undefined> {
    const before = known
    let last: Checkpoint | undefined
    for await (const checkpoint of before ? store.allFrom(before.number) : []) {
      // The first is the known one, unless the database was replaced.
      if (!last && checkpointDigest(checkpoint) !== before?.digest) break
      cover(checkpoint)
      last = checkpoint
    }
    if (last) return last
    covered = null
    last = await store.last()
    if (last) note(last)
    else known = null
    return last
  }

  /** Searches backwards for the covered places of these chains. */
  async function readBack(
    store: CheckpointStore,
    chains: readonly ChainEnd[],
  ): Promise<Map<string, number>> {
    const read = new Map<string, number>()
    const missing = new Set(chains.map(({ chain }) => chain))
    const oldest = Math.min(...chains.map(({ openedAt }) => openedAt ?? 0))
    const batches = batchesOf({
      from: Number.MAX_SAFE_INTEGER,
      read: store.before,
      placeOf: ({ number }) => number,
    })
    for await (const batch of batches) {
      for (const { chain, place } of batch.flatMap(({ heads }) => parseHeads(heads) ?? [])) {
        if (missing.delete(chain)) read.set(chain, place)
      }
      // Earlier checkpoints cannot name the chain; clocks differ by at most a day.
      const { at = 0 } = batch.at(-1) ?? {}
      if (missing.size === 0 || at < oldest - dayMs) break
    }
    return read
  }

  function cover(checkpoint: Checkpoint): void {
    for (const { chain, place } of parseHeads(checkpoint.heads) ?? []) covered?.set(chain, place)
    note(checkpoint)
  }

  function note(checkpoint: Checkpoint): void {
    known = { number: checkpoint.number, digest: checkpointDigest(checkpoint) }
  }

  async function newHeads(store: CheckpointStore) {
    const last = await catchUp(store)
    // The last number that is certainly covered.
    const number = Math.max(
      0,
      ...(parseHeads(last?.heads ?? '[]') ?? []).map((head) => head.number),
    )
    const chains = await endsOf(store, last, number)
    const before = covered ?? new Map<string, number>()
    const unknown = chains.filter(({ chain }) => !before.has(chain))
    // No checkpoint covers these chains yet.
    const begun =
      covered && unknown.length > 0 ? await store.begunBehind(chainsOf(unknown), number) : none
    const older = unknown.filter(({ chain }) => !begun.has(chain))
    const read = older.length > 0 ? await readBack(store, older) : []
    for (const [chain, place] of read) before.set(chain, place)
    covered = before
    const heads = chains.flatMap(({ chain, place, mac, number }): Head[] => {
      const from = (before.get(chain) ?? 0) + 1
      return place >= from ? [{ chain, from, place, mac, number }] : []
    })
    return { last, chains, heads, before }
  }

  /**
   * Open and recently closed chains, and the chains of all records after `number`: the list of
   * chains is not authenticated, and a forged row must not keep records out of checkpoints.
   */
  async function endsOf(
    store: CheckpointStore,
    last: Checkpoint | undefined,
    number: number,
  ): Promise<ChainEnd[]> {
    // Chains closed earlier are covered.
    const listed = await store.ends(last ? last.at - dayMs : 0)
    const names = new Set(listed.map(({ chain }) => chain))
    const others = [...(await store.chainsBehind(number)).difference(names)]
    return others.length > 0 ? [...listed, ...(await store.endsOf(others))] : listed
  }

  async function add(trx: DatabaseOrTransaction, isUrgent: boolean): Promise<Checkpoint | null> {
    const store = checkpointStore(trx)
    const { last, heads, before, chains } = await newHeads(store)
    const now = clock.now()
    const age = last ? now - last.at : Infinity
    if (heads.length === 0 || (!isUrgent && age >= 0 && age < youngMs)) return null
    const grown = heads.reduce((sum, { from, place }) => sum + place - from + 1, 0)
    const checkpoint = signCheckpoint(await keyInUse(trx, key), {
      number: (last?.number ?? 0) + 1,
      at: now,
      previous: last ? checkpointDigest(last) : noCheckpointBefore,
      heads: headsText(heads),
      records: (last?.records ?? 0) + grown,
    })
    await store.insert(checkpoint)
    await inserted?.(trx, checkpoint)
    const present = new Set(chains.map(({ chain }) => chain))
    for (const chain of before.keys()) if (!present.has(chain)) before.delete(chain)
    return checkpoint
  }

  return {
    async write({ isUrgent = false } = {}) {
      const { heads } = await newHeads(checkpointStore(db)) // usually nothing new: no lock
      if (heads.length === 0) return true
      const written = await transact(db, [lockName.auditCheckpoints], (trx) => add(trx, isUrgent))
      if (written) cover(written) // not for a rolled back attempt
      return written !== null
    },
  }
}
