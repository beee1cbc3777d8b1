import { Counters } from './counters.ts'
import { bounds, Histogram } from './histogram.ts'
import { RequestMeasurements } from './requests.ts'
import { seriesCounters } from './series.ts'

/**
 * What a process measures of itself, in memory and from its start on. The floor and the modules write it
 * where the work is done; the module `metrics` reads it when it is asked.
 */
export interface Measurements {
  readonly requests: RequestMeasurements
  /** By name of the event. */
  readonly events: Counters
  /** Issued ones by grant, revoked ones by reason, those that came again after their end by kind. */
  readonly tokens: Readonly<Record<'issued' | 'revoked' | 'reused', Counters>>
  /** By reason, of ended sessions. */
  readonly sessionsEnded: Counters
  /** By route of the login, of those that succeeded. */
  readonly loginsSucceeded: Counters
  /** For the time series of statistics: see `seriesCounters`. */
  readonly series: Counters
  /** Events without a change that the audit log could not take. */
  auditRecordsLost: number
  /** Mails by result: of the attempts to send them, or their end without one. */
  readonly mails: Counters
  /** Messages to webhooks by result: of the attempts to send them, or their end without one. */
  readonly webhooks: Counters
  /** Whether the mail server takes mail; null where there is none. */
  readonly relay: { takesMail: (() => boolean) | null }
  /** Refusals whose reason was not kept, because too many came at once. */
  refusalsLost: number
  readonly hashing: HashingMeasurements
  readonly database: DatabaseMeasurements
  readonly jobs: Map<string, JobMeasurements>
  /** The rules of FORWARD_AUTH_FILE as they are; null without one. */
  forwardFile: (() => ForwardFileState) | null
  /** Of forward authentication, by answer. */
  readonly forward: ForwardDecisions
  readonly certificate: { validUntil: () => number | null }
}

/** How often a proxy got each answer; fields, because every request to an application counts here. */
export interface ForwardDecisions {
  allowed: number
  bypass: number
  sign_in: number
  unauthenticated: number
  denied: number
  bad_request: number
  unavailable: number
}

export interface HashingMeasurements {
  readonly durations: Histogram
  /** How long hashes waited for their turn; 0 for those that did not. */
  readonly waits: Histogram
  /** How many were refused because the queue was full, or their turn came too late. */
  refused: number
  /** The queue as it is; null before it is made. */
  queue: (() => QueueState) | null
}

export interface QueueState {
  readonly running: number
  readonly waiting: number
  readonly maxWaiting: number
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

export interface ForwardFileState {
  /** How many rules are in force. */
  readonly rules: number
  /** Whether the file has changed to one that cannot be taken up. */
  readonly isBroken: boolean
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
  return {
    requests: new RequestMeasurements(),
    events: new Counters(),
    tokens: {
      issued: new Counters([['login'], ['refresh']]),
      revoked: new Counters([['logout'], ['administrator'], ['client']]),
      reused: new Counters([['refresh'], ['access']]),
    },
    sessionsEnded: new Counters(
      ['logout', 'owner', 'everywhere', 'administrator', 'limit', 'replaced'].map((reason) => [
        reason,
      ]),
    ),
    loginsSucceeded: new Counters(),
    series: seriesCounters(),
    auditRecordsLost: 0,
    mails: new Counters(
      ['sent', 'deferred', 'failed', 'expired', 'cancelled'].map((result) => [result]),
    ),
    webhooks: new Counters(
      ['delivered', 'deferred', 'failed', 'cancelled'].map((result) => [result]),
    ),
    relay: { takesMail: null },
    refusalsLost: 0,
    hashing: {
      durations: new Histogram(bounds.request),
      waits: new Histogram(bounds.request),
      refused: 0,
      queue: null,
    },
    database,
    jobs: new Map(),
    forwardFile: null,
    forward: {
      allowed: 0,
      bypass: 0,
      sign_in: 0,
      unauthenticated: 0,
      denied: 0,
      bad_request: 0,
      unavailable: 0,
    },
    certificate: { validUntil: () => null },
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
