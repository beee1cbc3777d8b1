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

/** How far behind the evidence of the audit log is. Milliseconds; 0 if nothing waits. */
export interface AuditLag {
  /** The age of the oldest record that no checkpoint covers yet. */
  readonly uncoveredMs: number
  /** For each sink, the age of the oldest checkpoint that it lacks. */
  readonly sinks: readonly { readonly name: string; readonly unsentMs: number }[]
}

/** What makes a change of the audit log evident: checkpoints, sinks outside, and retention. */
export interface AuditProof {
  /** Notes records that this process has committed, the oldest of them made at `at`. */
  recorded(count: number, at: number): void
  /** How often `run` is called: twice in the time after which a checkpoint is due. */
  readonly everyMs: number
  /**
   * Writes a checkpoint where one is due, and then sends to the sinks what they lack, for which it
   * does not wait. Of several workers the first one sends.
   */
  run(): Promise<void>
  /** Resolves when each sink has everything, or has failed. */
  sent(): Promise<void>
  /** A step of the retention: see `createRetention`. */
  purge(batchSize: number): Promise<number>
  /** Asks nothing: it answers what this process knows. */
  lag(): AuditLag
  /** Writes a last checkpoint and sends it, for a few seconds at most. */
  close(): Promise<void>
}

export type AuditProofDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'workers'> & {
  readonly config: Pick<Config, 'audit' | 'database'>
  readonly keys: Pick<KeySet, 'audit' | 'refresh'>
  /** Inserts what belongs to a checkpoint, in its transaction. */
  readonly inserted?: NonNullable<CheckpointsDeps['inserted']>
}

const maxUncovered = 1000
const closeMs = 1500 // within the time that a module has to close

/** What this process has committed since its last look; when the oldest of it was made. */
interface Uncovered {
  readonly count: number
  readonly since: number | null
}

function together(before: Uncovered, later: Uncovered): Uncovered {
  return { count: before.count + later.count, since: before.since ?? later.since }
}

/** Creates the proof of this process. Opens nothing before its first run. */
export function createAuditProof(deps: AuditProofDeps): AuditProof {
  const { config, clock, keys, log, workers } = deps
  let made: { readonly seed: Uint8Array; readonly key: CheckpointKey } | undefined
  const key = () => {
    const seed = keys.audit.checkpointSeed
    if (made?.seed !== seed) made = { seed, key: checkpointKey(seed) }
    return made.key
  }
  const { checkpointSeconds, retentionDays } = config.audit
  // A look in each half of the time: one that skips a checkpoint of another node still has the next.
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
        await keys.refresh() // the master key was turned a moment ago
        return checkpoints.write({ isUrgent })
      })
    } finally {
      if (!isCovered) uncovered = together(before, uncovered)
    }
  }

  function openFeeds(): Promise<readonly SinkFeed[]> {
    feeds ??= import('./outside/sinks.ts').then(async ({ sinksOf }) => {
      const { dataDirectory } = config.database
      // With PostgreSQL nothing else makes the folder. If it cannot be made, the sink says why.
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

  /** A checkpoint at once: a thousand records wait for none. */
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
