import { Counters } from './counters.ts'
import type { CountEvent } from './event-counts.ts'
import { bounds, Histogram } from './histogram.ts'
import { RequestMeasurements } from './requests.ts'

/**
 * What a process measures of itself, in memory and from its start on. The core and the modules write it
 * where the work is done; the module `metrics` reads it when it is asked.
 */
export interface Measurements {
  readonly requests: RequestMeasurements
  /** By name of the event. */
  readonly events: Counters
  /** What counts more of an event than its name, by the name. */
  readonly countsOfEvents: Map<string, readonly CountEvent[]>
  readonly database: DatabaseMeasurements
  readonly jobs: Map<string, JobMeasurements>
  readonly certificate: { validUntil: () => number | null }
  /** What a module measures: the value that `make` has made for this process. */
  of<Value>(make: () => Value): Value
}

export interface DatabaseMeasurements {
  /** Of each statement, until its answer. */
  readonly statements: Histogram
  /** Of each commit of changes, until they are stored: on SQLite, with the wait for the disk. */
  readonly commits: Histogram
  /** Of the waits for a connection, or for the turn to write to the file of SQLite. */
  readonly waits: Histogram
  /** How many statements and waits failed because the database was not available. */
  failures: number
  readonly damage: Damage
  /** The connections as they are; null before the first is opened. */
  pool: (() => PoolState) | null
}

/** The damage of the database that statements of this process have met. */
export interface Damage {
  /** The first damage that was noted; null if none. It stays until the process ends: an operator repairs it. */
  readonly detail: string | null
  note(detail: string): void
  /** Calls when the first damage is noted. */
  onNoted(noted: (detail: string) => void): void
}

export interface PoolState {
  readonly busy: number
  readonly idle: number
  readonly max: number
  readonly waiting: number
}

export interface JobMeasurements {
  readonly durations: Histogram
  succeeded: number
  failed: number
  /** Epoch milliseconds; null before the first success. */
  lastSuccessAt: number | null
  /** When the last run began; null before the first one. */
  lastRunAt: number | null
  /** When a run failed at last. */
  lastFailureAt: number | null
  /** How the last run ended; null before the first end. */
  lastResult: 'succeeded' | 'failed' | null
  /** How often it runs; null until it is scheduled. */
  everyMs: number | null
}

export function createMeasurements(database = databaseMeasurements()): Measurements {
  const ofModules = new Map<() => unknown, unknown>()
  return {
    requests: new RequestMeasurements(),
    events: new Counters(),
    countsOfEvents: new Map(),
    database,
    jobs: new Map(),
    certificate: { validUntil: () => null },
    of(make) {
      if (!ofModules.has(make)) ofModules.set(make, make())
      return ofModules.get(make) as ReturnType<typeof make> // made by it
    },
  }
}

export function databaseMeasurements(): DatabaseMeasurements {
  return {
    statements: new Histogram(bounds.statement),
    commits: new Histogram(bounds.statement),
    waits: new Histogram(bounds.statement),
    failures: 0,
    damage: createDamage(),
    pool: null,
  }
}

function createDamage(): Damage {
  let detail: string | null = null
  const listeners: ((detail: string) => void)[] = []
  return {
    get detail() {
      return detail
    },
    note(found) {
      if (detail !== null) return
      detail = found
      for (const noted of listeners) noted(found)
    },
    onNoted(noted) {
      listeners.push(noted)
    },
  }
}

/** The measurements of a job, which are made at its first call. */
export function ofJob({ jobs }: Pick<Measurements, 'jobs'>, name: string): JobMeasurements {
  const known = jobs.get(name)
  if (known) return known
  const durations = new Histogram(bounds.job)
  const made: JobMeasurements = {
    durations,
    succeeded: 0,
    failed: 0,
    ...{ lastSuccessAt: null, lastRunAt: null, lastFailureAt: null },
    ...{ lastResult: null, everyMs: null },
  }
  jobs.set(name, made)
  return made
}
