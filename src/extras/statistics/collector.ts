import type { FastifyRequest } from 'fastify'
import type { Database } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import type { ApiError } from '../../core/errors.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { Counters } from '../../core/measurements/counters.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { SeriesKind } from '../../core/module/monitoring.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { type Catalog, seriesKey } from './catalog.ts'
import { type Counts, createPending } from './pending.ts'
import { seriesStore } from './series-store.ts'

/** Brings what this process counts into the buckets of the database. */
export interface Collector {
  /** Counts a refusal; see `refusalListeners` of http/server/error-handler.ts. */
  takeRefusal(request: FastifyRequest, error: ApiError): void
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
  readonly measurements: Measurements
  readonly catalog: () => Promise<Catalog>
  /** Finds the guard of the reason of a refusal. */
  readonly lookUpReason: (code: string) => Promise<{ readonly guard: string }>
  readonly workers: Pick<Workers, 'onAsked' | 'pollOthers'>
}

declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    'unwritten statistics': Topic<[], readonly Counts[]>
  }
}

const writeEveryMs = 10_000
/** More codes than the registry has. */
const maxCodes = 512

export function createCollector(deps: CollectorDeps): Collector {
  const { asyncCommitDb, catalog, clock, lookUpReason, measurements, workers } = deps
  /** Refusals by the code of the reason, which the registry knows the guard of. */
  const refusals = new Counters([], maxCodes)
  const pending = createPending()
  /** How far each count had come at the last look. */
  const seen = new Map<string, number>()
  let writtenAt = clock.now()
  let writing: Promise<unknown> = Promise.resolve()
  workers.onAsked('unwritten statistics', own)

  return {
    takeRefusal: (_, { reason }) => refusals.add([reason.code]),

    async run() {
      await look()
      if (Math.abs(clock.now() - writtenAt) >= writeEveryMs) await inTurn(write)
    },

    async flush() {
      await look()
      await inTurn(write)
    },

    async unwritten() {
      const [mine, others] = await Promise.all([own(), workers.pollOthers('unwritten statistics')])
      return [mine, ...others.map(({ answer = [] }) => answer)].flat()
    },
  }

  async function own(): Promise<readonly Counts[]> {
    await look()
    return pending.all()
  }

  /** Adds what has been counted since the last look to the present minute. */
  async function look(): Promise<void> {
    const { kinds } = await catalog()
    const byGuard = await refusalsByGuard()
    const now = clock.now()
    for (const [key, count] of [...countedSoFar(kinds), ...byGuard]) {
      const more = count - (seen.get(key) ?? 0)
      if (more <= 0) continue
      seen.set(key, count)
      pending.add({ at: now, series: key, count: more })
    }
  }

  /** What this process has counted since its start, by the text of the series. */
  function countedSoFar(kinds: readonly SeriesKind[]): ReadonlyMap<string, number> {
    const totals = new Map<string, number>()
    for (const { counted, name } of kinds) {
      for (const { count, values } of counted(measurements)) {
        const key = seriesKey([name, ...values])
        totals.set(key, (totals.get(key) ?? 0) + count)
      }
    }
    return totals
  }

  async function refusalsByGuard(): Promise<ReadonlyMap<string, number>> {
    const totals = new Map<string, number>()
    for (const { count, values } of refusals.entries()) {
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
