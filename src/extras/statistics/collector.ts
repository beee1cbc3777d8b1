import type { Database } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { seriesKey } from './catalog.ts'
import { createRefusalTally, type RefusalTally } from './count-refusals.ts'
import { type CountedMeasurements, countedSoFar } from './counted.ts'
import { type Counts, createPending } from './pending.ts'
import { seriesStore } from './series-store.ts'

/** Brings what this process counts into the buckets of the database. */
export interface Collector {
  readonly refusals: RefusalTally
  /** Looks at the counts, and stores them if the last time was ten seconds ago. @throws as `flush` */
  run(): Promise<void>
  /** Stores all counts. @throws DatabaseUnavailable: they are kept */
  flush(): Promise<void>
  /**
   * What the processes of this machine have counted and not stored yet, by minute. What one of them stores
   * just now may be in this answer and in the database.
   */
  unwritten(): Promise<readonly Counts[]>
}

export interface CollectorDeps {
  /** The last counts may be lost with the power. */
  readonly asyncCommitDb: Database
  readonly clock: Pick<Clock, 'now'>
  readonly measurements: CountedMeasurements
  /** Finds the guard of the reason of a refusal. */
  readonly lookUpReason: (code: string) => Promise<{ readonly guard: string }>
  readonly workers: Pick<Workers, 'onAsked' | 'pollOthers'>
}

const writeEveryMs = 10_000
const topic = 'unwritten statistics'

export function createCollector(deps: CollectorDeps): Collector {
  const { asyncCommitDb, clock, lookUpReason, measurements, workers } = deps
  const refusals = createRefusalTally(measurements)
  const pending = createPending()
  /** How far each count had come at the last look. */
  const seen = new Map<string, number>()
  let writtenAt = clock.now()
  let writing: Promise<unknown> = Promise.resolve()
  workers.onAsked(topic, own)

  return {
    refusals,

    async run() {
      await look()
      if (Math.abs(clock.now() - writtenAt) >= writeEveryMs) await inTurn(write)
    },

    async flush() {
      await look()
      await inTurn(write)
    },

    async unwritten() {
      const [mine, others] = await Promise.all([own(), workers.pollOthers(topic)])
      // Of own() of a process of the same program; one that does not answer is left out.
      return [mine, ...others.map(({ answer }) => (answer ?? []) as readonly Counts[])].flat()
    },
  }

  async function own(): Promise<readonly Counts[]> {
    await look()
    return pending.all()
  }

  /** Adds what has been counted since the last look to the present minute. */
  async function look(): Promise<void> {
    const byGuard = await refusalsByGuard()
    const now = clock.now()
    for (const [key, count] of [...countedSoFar(measurements), ...byGuard]) {
      const more = count - (seen.get(key) ?? 0)
      if (more <= 0) continue
      seen.set(key, count)
      pending.add({ at: now, series: key, count: more })
    }
  }

  async function refusalsByGuard(): Promise<ReadonlyMap<string, number>> {
    const totals = new Map<string, number>()
    for (const { count, values } of refusals.codes.entries()) {
      const { guard } = await lookUpReason(values[0] ?? '')
      const key = seriesKey(['refusals', guard])
      totals.set(key, (totals.get(key) ?? 0) + count)
    }
    return totals
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = writing.then(work)
    writing = turn.catch(() => {})
    return turn
  }

  async function write(): Promise<void> {
    writtenAt = clock.now()
    const taken = pending.take()
    if (taken.buckets.length === 0) return
    try {
      const store = () => transact(asyncCommitDb, [], (trx) => seriesStore(trx).add(taken.buckets))
      await inNoContext(store)
      taken.stored()
    } catch (error) {
      taken.putBack()
      throw error
    }
  }
}
