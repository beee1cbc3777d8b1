import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../../core/config/load.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { KeySet } from '../keys/key-set.ts'
import { type CheckpointKey, checkpointKey } from './checkpoint-key.ts'
import { CheckpointKeyEnded } from './checkpoint-key-rotation.ts'
import { type CheckpointsDeps, createCheckpoints } from './checkpoints.ts'
import { createSinkFeed, type SinkFeed } from './outside/feed.ts'
import { createRetention } from './retention.ts'

/** Milliseconds; 0 if up to date. */
export interface AuditLag {
  /** Oldest record without a checkpoint. */
  readonly uncoveredMs: number
  /** Oldest undelivered checkpoint. */
  readonly sinks: readonly { readonly name: string; readonly unsentMs: number }[]
}

/** Makes tampering evident: checkpoints, external sinks, retention. */
export interface AuditProof {
  /** `at`: time of the oldest record. */
  recorded(count: number, at: number): void
  /** Half the interval of checkpoints. */
  readonly everyMs: number
  /** Writes a due checkpoint and starts sending. Only the first worker sends. */
  run(): Promise<void>
  sent(): Promise<void>
  /** See `createRetention`. */
  purge(batchSize: number): Promise<number>
  /** From memory. */
  lag(): AuditLag
  /** Sends a last checkpoint, within seconds. */
  close(): Promise<void>
}

export type AuditProofDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'workers'> & {
  readonly config: Pick<Config, 'audit' | 'database'>
  readonly keys: Pick<KeySet, 'audit' | 'refresh'>
  readonly inserted?: NonNullable<CheckpointsDeps['inserted']>
}

const maxUncovered = 1000
const closeMs = 1500 // less than a module's shutdown timeout

interface Uncovered {
  readonly count: number
  readonly since: number | null
}

function together(before: Uncovered, later: Uncovered): Uncovered {
  return { count: before.count + later.count, since: before.since ?? later.since }
}

/** Opens nothing before the first run. */
export function createAuditProof(deps: AuditProofDeps): AuditProof {
  const { config, clock, keys, log, workers } = deps
  let made: { readonly seed: Uint8Array; readonly key: CheckpointKey } | undefined
  const key = () => {
    const seed = keys.audit.checkpointSeed
    if (made?.seed !== seed) made = { seed, key: checkpointKey(seed) }
    return made.key
  }
  const { checkpointSeconds, retentionDays } = config.audit
  // If this run finds another node's checkpoint, the next run is still in time.
  const everyMs = checkpointSeconds * 500
  const checkpoints = createCheckpoints({ ...deps, key, youngMs: everyMs })
  const purge = createRetention({ ...deps, key, chainKey: () => keys.audit.chain, retentionDays })
  const maxCount = Math.ceil(maxUncovered / workers.count)
  let feeds: Promise<readonly SinkFeed[]> | undefined
  let opened: readonly SinkFeed[] = []
  let uncovered: Uncovered = { count: 0, since: null }
  let writing: Promise<void> | undefined
  const stop = new AbortController()

  async function write(isUrgent: boolean): Promise<void> {
    const before = uncovered
    uncovered = { count: 0, since: null }
    let isCovered = false
    try {
      isCovered = await checkpoints.write({ isUrgent }).catch(async (error: unknown) => {
        if (!(error instanceof CheckpointKeyEnded)) throw error
        await keys.refresh() // the master key was just rotated
        return checkpoints.write({ isUrgent })
      })
    } finally {
      if (!isCovered) uncovered = together(before, uncovered)
    }
  }

  function openFeeds(): Promise<readonly SinkFeed[]> {
    feeds ??= import('./outside/sinks.ts').then(async ({ sinksOf }) => {
      const { dataDirectory } = config.database
      // With PostgreSQL, nothing else creates the folder. On failure, the sink reports the error.
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 }).catch(() => {})
      const offsetsPath = join(dataDirectory, 'audit-sinks.json')
      const options = { offsetsPath, mayRepair: workers.index === 0 }
      opened = sinksOf(config.audit, options).map((sink) => createSinkFeed(sink, deps))
      return opened
    })
    return feeds
  }

  async function send(): Promise<void> {
    await Promise.all((await openFeeds()).map((feed) => feed.run(stop.signal)))
  }

  /** After a thousand new records. */
  function writeSoon(): void {
    writing ??= write(true)
      .catch((error: unknown) => log.error({ err: error }, 'a checkpoint was not written'))
      .finally(() => {
        writing = undefined
      })
  }

  return {
    recorded(count, at) {
      uncovered = together(uncovered, { count, since: at })
      if (uncovered.count >= maxCount) writeSoon()
    },

    everyMs,

    async run() {
      try {
        await write(false)
      } finally {
        if (workers.index === 0) void send()
      }
    },

    sent: send,
    purge,

    lag() {
      const now = clock.now()
      const ageOf = (since: number | null) => (since === null ? 0 : Math.max(0, now - since))
      return {
        uncoveredMs: ageOf(uncovered.since),
        sinks: opened.map((feed) => ({ name: feed.name, unsentMs: ageOf(feed.waitingSince()) })),
      }
    },

    async close() {
      try {
        await writing
        await write(true)
        await Promise.race([send(), setTimeout(closeMs, undefined, { ref: false })])
      } catch (error) {
        log.error({ err: error }, 'the last checkpoint of the audit log was not written')
      } finally {
        stop.abort()
      }
    },
  }
}
