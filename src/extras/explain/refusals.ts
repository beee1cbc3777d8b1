import { throttledAddress } from '../../core/addresses/address.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Needs } from '../../core/module/services.ts'
import { FairQueue } from '../../core/queues/fair-queue.ts'
import { refusalsLost } from './monitoring.ts'
import { type Refusal, refusalStore } from './store.ts'

/**
 * Stores reasons of refusals for 24 hours by request id. A job writes a memory queue every second,
 * so requests do not wait. Queue and table are limited per network and in total; a flood displaces
 * its own refusals first. docs/adr/0053
 */
export interface Refusals {
  note(refusal: Omit<Refusal, 'network'>): void
  /** Returns the number written. @throws DatabaseUnavailable: the queue is kept */
  flush(): Promise<number>
  /** Includes refusals that a worker of this machine has queued. */
  find(id: string): Promise<Refusal | null>
  /** Returns the number deleted. */
  purge(batchSize: number): Promise<number>
}

const keptMs = 86_400_000
/** Per second; the oldest entries of a network are dropped first. */
const queued = { maxPerKey: 200, maxEntries: 2_000 }
const idFormat = /^[A-Za-z0-9_-]{1,64}$/
declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    /** Answers the number written. */
    'write refusals': Topic<[], number>
  }
}

export function createRefusals(
  deps: Pick<Needs, 'config' | 'db' | 'asyncCommitDb' | 'clock' | 'measurements' | 'workers'>,
): Refusals {
  const { config, db, asyncCommitDb, clock, measurements, workers } = deps
  const { max } = config.refusals
  const bounds = { max, maxPerNetwork: Math.max(1, Math.ceil(max / 10)) }
  const queue = new FairQueue<Refusal>(queued)
  let writing: Promise<unknown> = Promise.resolve()
  workers.onAsked('write refusals', flush)

  return {
    note(refusal) {
      if (max === 0) return
      const network = throttledAddress(refusal.address)
      enqueue({ ...refusal, network })
    },

    flush,

    async find(id) {
      if (!idFormat.test(id)) return null
      const written = await kept(id)
      if (written) return written
      await flush()
      if (workers.count > 1) await workers.pollOthers('write refusals')
      return kept(id)
    },

    purge(batchSize) {
      const until = clock.now() - keptMs
      const expired = { table: 'refusals', key: 'id', column: 'at', until } as const
      return deleteExpired(asyncCommitDb, expired, batchSize)
    },
  }

  function enqueue(refusal: Refusal): void {
    if (queue.push(refusal.network, refusal)) measurements.of(refusalsLost).count += 1
  }

  /** Excludes expired rows not yet purged. */
  async function kept(id: string): Promise<Refusal | null> {
    const refusal = await refusalStore(db).byId(id)
    return refusal && refusal.at > clock.now() - keptMs ? refusal : null
  }

  /** Sequential, so that `find` sees rows being written. */
  function flush(): Promise<number> {
    const turn = writing.then(writeAll)
    writing = turn.catch(() => {})
    return turn
  }

  async function writeAll(): Promise<number> {
    if (queue.length === 0) return 0
    const refusals = queue.takeAll()
    const networks = [...new Set(refusals.map(({ network }) => network))]
    const write = async (trx: DatabaseOrTransaction) => {
      const store = refusalStore(trx)
      await store.insert(refusals)
      await store.trim(networks, bounds)
    }
    try {
      await inNoContext(() => transact(asyncCommitDb, [lockName.refusals], write))
    } catch (error) {
      const later = queue.takeAll()
      for (const refusal of [...refusals, ...later]) enqueue(refusal)
      throw error
    }
    return refusals.length
  }
}
