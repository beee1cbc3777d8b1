import { rowsOf } from '../../../core/database/batches.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import type { Needs } from '../../../core/module/services.ts'
import {
  type Checkpoint,
  checkpointDigest,
  checkpointsTombstone,
  parseHeads,
} from '../checkpoint-form.ts'
import { checkpointStore } from '../checkpoint-store.ts'
import type { Item, Sink, SinkOffset } from './sink.ts'

export interface SinkFeed {
  readonly name: string
  /**
   * Sends until up to date or failed, with what was written before the call. Concurrent calls share
   * the promise. Never throws; the next call retries.
   */
  run(stop?: AbortSignal): Promise<void>
  /** Time of the oldest undelivered checkpoint; null if none. */
  waitingSince(): number | null
}

const checkpointsAtOnce = 20
const itemsAtOnce = 500
const hourMs = 3_600_000

/** Undelivered items stay in the database; at most `itemsAtOnce` are in memory. */
export function createSinkFeed(
  sink: Sink,
  { db, clock, log }: Pick<Needs, 'db' | 'clock' | 'log'>,
): SinkFeed {
  const store = checkpointStore(db)
  let offset: SinkOffset | null | undefined // undefined: not read yet
  let underWay: Promise<void> | undefined
  let isAsked = false
  let waitingSince: number | null = null
  let isFailing = false

  async function* itemsOf(checkpoint: Checkpoint): AsyncGenerator<Item> {
    for (const head of sink.takesRecords ? (parseHeads(checkpoint.heads) ?? []) : []) {
      // Retention or an attacker may have removed some; `audit verify` distinguishes.
      const records = rowsOf({
        from: head.from,
        read: (from, limit) => store.records(head.chain, from, head.place, limit),
        placeOf: ({ place }) => place + 1,
      })
      for await (const record of records) yield { record }
    }
    yield { checkpoint }
  }

  async function send(stop: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const checkpoints = await store.from((offset?.number ?? 0) + 1, checkpointsAtOnce)
      const [first] = checkpoints
      waitingSince = first?.at ?? null
      if (!first) return
      let batch: Item[] = []
      for (const checkpoint of checkpoints) {
        for await (const item of itemsOf(checkpoint)) {
          batch.push(item)
          if (batch.length < itemsAtOnce) continue
          await deliver(batch)
          batch = []
          if (stop?.aborted) return
        }
      }
      await deliver(batch)
      if (stop?.aborted) return
    }
  }

  async function deliver(batch: readonly Item[]): Promise<void> {
    if (batch.length === 0) return
    await sink.send(batch)
    const last = batch.findLast((item) => 'checkpoint' in item)
    if (!last) return
    offset = offsetOf(last.checkpoint)
    await sink.arrived(offset)
  }

  /** Null: the first checkpoint. */
  async function begin(): Promise<SinkOffset | null> {
    const known = await sink.offset()
    if (known) return known
    if (sink.fromTheBeginning) return null
    const first = await store.since(clock.now() - hourMs)
    const [before] = await store.before(first?.number ?? Number.MAX_SAFE_INTEGER, 1)
    return before ? offsetOf(before) : null
  }

  /** After a restore of an older copy, continue after the newest common checkpoint. */
  async function followFork(): Promise<void> {
    if (!offset) return
    const [found] = await store.from(offset.number, 1)
    if (found?.number === offset.number && checkpointDigest(found) === offset.digest) return
    const removed = await store.tombstone(checkpointsTombstone)
    if (removed && removed.place >= offset.number) return
    log.error(
      { sink: sink.name, checkpoint: offset.number },
      `the sink of the audit log has a checkpoint that the database lacks: run \`${gatehouse} audit verify\``,
    )
    const first = await store.since(clock.now() - hourMs)
    const next = Math.min(first?.number ?? Infinity, offset.number)
    const [before] = await store.before(next, 1)
    offset = before ? offsetOf(before) : null
  }

  async function attempts(stop: AbortSignal | undefined): Promise<void> {
    while (isAsked) {
      isAsked = false
      await attempt(stop)
    }
    underWay = undefined
  }

  async function attempt(stop: AbortSignal | undefined): Promise<void> {
    try {
      offset ??= await begin()
      await followFork()
      await send(stop)
      if (isFailing) log.info({ sink: sink.name }, 'the sink of the audit log has everything again')
      isFailing = false
    } catch (error) {
      if (stop?.aborted) return // database closed
      if (offset === undefined) waitingSince ??= clock.now() // the offset is unknown
      // Log once per outage.
      if (!isFailing) {
        const about = { err: error, sink: sink.name }
        log.error(about, 'a sink of the audit log is away: what it lacks is sent when it is back')
      }
      isFailing = true
    }
  }

  return {
    name: sink.name,
    run(stop) {
      isAsked = true // an attempt under way may have read before the last write
      underWay ??= attempts(stop)
      return underWay
    },
    waitingSince: () => waitingSince,
  }
}

function offsetOf(checkpoint: Checkpoint): SinkOffset {
  return { number: checkpoint.number, digest: checkpointDigest(checkpoint) }
}
