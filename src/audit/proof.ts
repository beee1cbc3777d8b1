import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config/load.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { Deps } from '../runtime/deps.ts'
import { checkpointKey } from './checkpoint-key.ts'
import { createCheckpoints } from './checkpoints.ts'
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
  /** Writes a checkpoint where one is due, and sends to the sinks what they lack, without waiting. */
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
  readonly keys: Pick<KeySet, 'audit'>
}

const maxUncovered = 1000
const closeMs = 3000

/** Creates the proof of this process. Opens nothing before its first run. */
export function createAuditProof(deps: AuditProofDeps): AuditProof {
  const { config, clock, keys, log, workers } = deps
  const key = checkpointKey(keys.audit.checkpointSeed)
  const { checkpointSeconds, retentionDays } = config.audit
  // Each process looks twice in this time; a checkpoint that another one has just made suffices.
  const checkpoints = createCheckpoints({ ...deps, key, youngMs: checkpointSeconds * 500 })
  const purge = createRetention({ ...deps, key, retentionDays })
  const maxCount = Math.ceil(maxUncovered / workers.count)
  let feeds: Promise<readonly SinkFeed[]> | undefined
  let opened: readonly SinkFeed[] = []
  let uncovered = { count: 0, since: null as number | null }
  let writing: Promise<void> | undefined

  async function write(isUrgent: boolean): Promise<void> {
    const before = uncovered
    const written = await checkpoints.write({ isUrgent })
    // Without a new one either nothing is new, or the last one is young and the next look comes soon.
    if (written) uncovered = less(uncovered, before)
  }

  function less(now: typeof uncovered, before: typeof uncovered): typeof uncovered {
    const count = now.count - before.count
    return { count, since: count === 0 ? null : now.since }
  }

  function openFeeds(): Promise<readonly SinkFeed[]> {
    feeds ??= import('./outside/sinks.ts').then(({ sinksOf }) => {
      opened = sinksOf(config.audit, join(config.database.dataDirectory, 'audit-sinks.json')).map(
        (sink) => createSinkFeed(sink, deps),
      )
      return opened
    })
    return feeds
  }

  async function send(stop?: AbortSignal): Promise<void> {
    await Promise.all((await openFeeds()).map((feed) => feed.run(stop)))
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
      uncovered = { count: uncovered.count + count, since: uncovered.since ?? at }
      if (uncovered.count >= maxCount) writeSoon()
    },

    async run() {
      await write(false)
      void send()
    },

    sent: () => send(),
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
      const stop = new AbortController()
      try {
        await writing
        await write(true)
        await Promise.race([send(stop.signal), setTimeout(closeMs, undefined, { ref: false })])
      } finally {
        stop.abort()
      }
    },
  }
}
