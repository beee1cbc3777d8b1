import type { Logger } from 'pino'
import type { ChangeFeed, Database } from '../../core/database/database.ts'
import {
  DatabaseDamaged,
  DatabaseReadOnly,
  DatabaseReplaced,
  DatabaseUnavailable,
} from '../../core/database/errors.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import { latestSchema, schemaVersion } from '../../core/database/migrate.ts'
import {
  dueModules,
  type ModuleSchema,
  moduleVersions,
} from '../../core/database/module-schemas.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { DatabaseMeasurements } from '../../core/measurements/measurements.ts'
import type { Hook, HookPoints } from '../../core/module/hooks.ts'
import type { Workers } from '../../core/workers/workers.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { KeySet } from '../keys/key-set.ts'
import { clockSetBack } from './clock-set-back.ts'

declare module '../../core/workers/topics.ts' {
  interface PollTopics {
    'database damaged': Topic<[detail: string], void>
  }
}

/** See docs/health.md. */
export type NotReady =
  | 'stopping'
  | 'database'
  | 'replaced'
  | 'damaged'
  | 'read_only'
  | 'schema'
  | 'first_start'
  | 'keys'
  | 'feed'

export interface Readiness {
  /** Null if ready. Logs each change. */
  check(): Promise<NotReady | null>
  /** For operators. Logs each change. */
  warnings(): Promise<string[]>
  stopping(): void
}

export interface ReadinessDeps {
  readonly db: Database
  readonly feed: Pick<ChangeFeed, 'lagMs'>
  readonly keys: Pick<KeySet, 'refresh'>
  readonly accounts: Pick<Accounts, 'after'>
  readonly ofModules: Hook<HookPoints['readinessWarning']>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>
  /** @throws DatabaseUnavailable as `Connected.assertDatabaseServes` */
  readonly assertDatabaseServes: () => Promise<void>
  readonly measurements: { readonly database: Pick<DatabaseMeasurements, 'damage'> }
  readonly workers: Pick<Workers, 'onAsked' | 'pollOthers'>
  readonly modules: readonly ModuleSchema[]
}

/**
 * Of the change feed. Until then the database is queried at each request, so that revocations
 * count.
 */
export const maxFeedLagMs = 30_000
/** Minimum interval between reads: probes come every few seconds. */
const warningsReadEveryMs = 5000

/**
 * Checks only what every request needs, never a provider, the breach service, a collector, or a
 * full hash queue, which any caller could cause. Concurrent callers share a check.
 */
export function createReadiness(deps: ReadinessDeps): Readiness {
  const { db, feed, keys, accounts, log, assertDatabaseServes, modules } = deps
  const { damage } = deps.measurements.database
  // Damage concerns all processes.
  deps.workers.onAsked('database damaged', damage.note)
  damage.onNoted((detail) => {
    log.error({ detail }, 'the database is damaged: make a copy of it, and restore a backup')
    deps.workers.pollOthers('database damaged', detail).catch(() => {})
  })
  const external = modules.filter(({ migrations = [] }) => migrations.length > 0)
  let isStopping = false
  let hasAccounts = false
  let last: NotReady | null = null
  let checking: Promise<Finding> | undefined
  let warned: readonly string[] = []
  let reading: { readonly at: number; readonly value: Promise<string[]> } | undefined

  return {
    async check() {
      const { reason, detail }: Finding = isStopping ? { reason: 'stopping' } : await shared()
      if (reason !== last) tell(reason, detail)
      last = reason
      return reason
    },
    async warnings() {
      const now = deps.clock.now()
      if (!reading || Math.abs(now - reading.at) >= warningsReadEveryMs) {
        reading = { at: now, value: inNoContext(readWarnings) }
      }
      return reading.value
    },
    stopping() {
      isStopping = true
    },
  }

  function shared(): Promise<Finding> {
    checking ??= inNoContext(find).finally(() => {
      checking = undefined
    })
    return checking
  }

  /** `check` reports an unavailable database. */
  async function readWarnings(): Promise<string[]> {
    const ofModules = [...deps.ofModules].map(({ subscriber }) => subscriber().catch(() => null))
    const setBack = await clockSetBack(db, deps.clock).catch(() => null)
    const found = new Map<string, string | null>()
    for (const one of await Promise.all(ofModules)) if (one) found.set(one.warning, one.detail)
    if (setBack !== null) found.set('clock_set_back', setBack.en)
    for (const [reason, detail] of found) {
      if (warned.includes(reason)) continue
      log.warn({ reason, ...(detail !== null && { detail }) }, 'ready, but look')
    }
    if (warned.length > 0 && found.size === 0) log.info('ready without warnings again')
    warned = [...found.keys()]
    return [...warned]
  }

  async function find(): Promise<Finding> {
    if (damage.detail !== null) return { reason: 'damaged', detail: damage.detail }
    try {
      await assertDatabaseServes()
      if (!(await hasSchema())) return { reason: 'schema' }
      hasAccounts ||= (await accounts.after(0, 1)).length > 0
      if (!hasAccounts) return { reason: 'first_start' }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error // a bug: 500
      return databaseFinding(error)
    }
    try {
      await keys.refresh()
    } catch (error) {
      return error instanceof DatabaseUnavailable && !(error instanceof KeySetNotOpened)
        ? databaseFinding(error)
        : { reason: 'keys', detail: messageOf(error) }
    }
    return (feed.lagMs?.() ?? 0) >= maxFeedLagMs ? { reason: 'feed' } : { reason: null }
  }

  /**
   * Accepts newer schemas: migrations only add, so that older nodes keep serving during an upgrade.
   */
  async function hasSchema(): Promise<boolean> {
    try {
      if ((await schemaVersion(db)) < latestSchema) return false
      return external.length === 0 || dueModules(await moduleVersions(db), external).size === 0
    } catch (error) {
      if (!isOfMissingTable(error)) throw error
      return false
    }
  }

  function tell(reason: NotReady | null, detail: string | undefined): void {
    if (reason === null) log.info('ready again')
    else log.warn({ reason, ...(detail !== undefined && { detail }) }, 'not ready')
  }
}

interface Finding {
  readonly reason: NotReady | null
  /** For the log. */
  readonly detail?: string
}

function databaseFinding(error: DatabaseUnavailable): Finding {
  const detail = error.message
  if (error instanceof DatabaseDamaged) return { reason: 'damaged', detail }
  if (error instanceof DatabaseReplaced) return { reason: 'replaced', detail }
  return { reason: error instanceof DatabaseReadOnly ? 'read_only' : 'database', detail }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const undefinedTable = '42P01'

function isOfMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return code === undefinedTable || error.message.startsWith('no such table')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
