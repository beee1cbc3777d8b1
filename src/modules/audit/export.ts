import { batchesOf } from '../../core/database/batches.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { AuditKeys } from '../keys/audit-keys.ts'
import { type OpenedRecord, openRecords } from './opened-record.ts'
import {
  firstNumberSince,
  type Head,
  headsOf,
  type ReadRecord,
  recordsAfter,
  recordsOfChain,
  type WhichChains,
} from './read-store.ts'

const batchSize = 500
const pollMs = 1000
// A closed chain can still receive a record from a commit in progress.
const closedEveryMs = 60_000
const closedWithinMs = 86_400_000
const maxLossMs = 300_000

/** Last place read, by chain. */
export type Seen = Map<string, number>

export interface ExportDeps {
  readonly keys: { readonly audit: AuditKeys }
  readonly clock: Clock
}

/**
 * Yields records by number, in batches. Fills `seen` for `followRecords`.
 * @param trx a snapshot, for consistent heads
 * @param since epoch milliseconds
 */
export async function* exportRecords(
  trx: DatabaseOrTransaction,
  { keys }: Pick<ExportDeps, 'keys'>,
  { since, seen }: { readonly since: number | undefined; readonly seen: Seen },
): AsyncGenerator<OpenedRecord[]> {
  for (const { chain, place } of await headsOf(trx, 'all')) seen.set(chain, place)
  const first = since === undefined ? 1 : await firstNumberSince(trx, since)
  if (first === undefined) return
  const batches = batchesOf({
    from: first - 1,
    read: (after, limit) => recordsAfter(trx, after, limit),
    placeOf: ({ number }) => number,
  })
  for await (const records of batches) {
    const wanted = records.filter(isSince(since))
    if (wanted.length > 0) yield await openRecords(trx, keys.audit, wanted)
  }
}

export interface FollowOptions {
  readonly since: number | undefined
  readonly seen: Seen
  readonly stop: AbortSignal
  /** Null: available again. */
  readonly onLoss: (error: DatabaseUnavailable | null) => void
}

/**
 * By chain and place: a late commit has a lower number, but continues its chain. Waits for the
 * database. @throws DatabaseUnavailable after five minutes
 */
export async function* followRecords(
  db: Database,
  { keys, clock }: ExportDeps,
  { since, seen, stop, onLoss }: FollowOptions,
): AsyncGenerator<OpenedRecord[]> {
  let open: readonly string[] = []
  let closedReadAt = -Infinity
  let lostAt: number | undefined
  while (!stop.aborted) {
    let isCaughtUp = true
    try {
      const now = clock.now()
      const readsClosed = now - closedReadAt >= closedEveryMs
      const heads = await grownHeads(readsClosed ? { closedSince: now - closedWithinMs } : 'open')
      if (readsClosed) closedReadAt = now
      const { records, isComplete } = await readGrown(heads)
      const opened = await openRecords(db, keys.audit, records.filter(isSince(since)))
      if (lostAt !== undefined) onLoss(null)
      lostAt = undefined
      if (opened.length > 0) yield opened
      // After the consumer has taken the batch.
      for (const { chain, place } of records) seen.set(chain, Math.max(place, seen.get(chain) ?? 0))
      isCaughtUp = isComplete
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (lostAt === undefined) onLoss(error)
      lostAt ??= clock.now()
      if (clock.now() - lostAt >= maxLossMs) throw error
    }
    if (isCaughtUp) await clock.wait(pollMs, stop)
  }

  /** Chains open at the last read count as open. */
  async function grownHeads(which: WhichChains): Promise<Head[]> {
    const heads = await headsOf(db, which)
    const listed = new Set(heads.map(({ chain }) => chain))
    const closed = open.filter((chain) => !listed.has(chain))
    const all = [...heads, ...(await headsOf(db, closed))]
    open = [...listed]
    return all.filter(({ chain, place }) => place > (seen.get(chain) ?? 0))
  }

  async function readGrown(heads: readonly Head[]) {
    const records: ReadRecord[] = []
    for (const { chain } of heads) {
      const after = seen.get(chain) ?? 0
      const limit = batchSize - records.length
      records.push(...(await recordsOfChain(db, { chain, after, limit })))
      if (records.length >= batchSize) break
    }
    records.sort((one, other) => one.number - other.number)
    return { records, isComplete: records.length < batchSize }
  }
}

function isSince(since: number | undefined): (record: ReadRecord) => boolean {
  return ({ at }) => since === undefined || at >= since
}
