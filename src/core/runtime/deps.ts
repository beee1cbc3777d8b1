import pino, { type Logger } from 'pino'
import type { Config } from '../config/load.ts'
import { pooledRandom, type Random, systemRandom } from '../crypto/random.ts'
import { connect } from '../database/connect.ts'
import type { ChangeFeed, Database, DatabaseFiles, NodeLeaseOptions } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createMeasurements, type Measurements } from '../measurements/measurements.ts'
import { soleProcess, type Workers } from '../workers/workers.ts'
import { escaping } from './log-lines.ts'
import { eventsOf } from './sinks.ts'
import type { Traces, Tracing } from './tracing.ts'

export interface Deps {
  readonly config: Config
  readonly db: Database
  /** A power failure can undo the last commits. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly assertDatabaseServes: () => Promise<void>
  /** Absent with PostgreSQL. */
  readonly databaseFiles?: DatabaseFiles
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly events: Events
  readonly measurements: Measurements
  readonly workers: Workers
  readonly fetch: typeof fetch
  readonly traces?: Traces | null
}

/** @throws DatabaseUnavailable */
export function systemDeps(
  config: Config,
  {
    clock = systemClock,
    log = createLog(config.logLevel),
    workers = soleProcess,
    groupCommit = false,
    checkpointThread = false,
    tracing = null as Tracing | null,
    nodes = {} as NodeLeaseOptions,
  } = {},
): Deps {
  process.umask(0o077) // database, log and keys are private
  const measurements = createMeasurements()
  const connected = connect({
    ...config.database,
    measurements: measurements.database,
    poolMax: workers.share(config.database.poolMax),
    groupCommit,
    checkpointThread,
    nodes,
    ...(tracing && { observe: tracing.observe }),
  })
  return {
    config,
    ...connected,
    workers,
    clock,
    random: pooledRandom(systemRandom),
    log,
    events: eventsOf({ config, clock, log, measurements }),
    measurements,
    fetch: globalThis.fetch,
    traces: tracing?.traces ?? null,
  }
}

export interface LogOptions {
  /** Default: standard output. */
  readonly destination?: pino.DestinationStream
  readonly workers?: Pick<Workers, 'count' | 'outputFile'>
  /** Secret fields of external modules; request headers in lower case. */
  readonly secretFields?: readonly string[]
}

const secretFieldsOfOurs = ['password', 'token', 'secret', 'cookie', 'authorization']

/** JSON lines, with secret fields redacted and terminal control characters escaped. */
export function createLog(
  level: string,
  { destination, workers = soleProcess, secretFields = [] }: LogOptions = {},
): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...secretFieldsOfOurs, ...secretFields].flatMap((name) => [
          `["${name}"]`,
          `*["${name}"]`,
        ]),
        censor: '[redacted]',
      },
    },
    escaping(destination ?? standardOutput(workers)),
  )
  return withPlainValuesAsTheyAre(log)
}

type Stringifiers = Record<symbol, ((value: unknown) => string | undefined) | undefined>

/**
 * Skips pino's slow search for nested secret fields in primitive values. Secret fields themselves
 * are redacted by name before.
 */
function withPlainValuesAsTheyAre(log: Logger): Logger {
  const { stringifiersSym, wildcardFirstSym } = pino.symbols
  const { [stringifiersSym]: stringifiers } = log as unknown as Record<symbol, Stringifiers>
  const redactWithin = stringifiers?.[wildcardFirstSym]
  if (!stringifiers || !redactWithin) throw new Error('the log redacts no fields inside objects')
  stringifiers[wildcardFirstSym] = (value) =>
    plainTypes.has(typeof value) ? JSON.stringify(value) : redactWithin(value)
  return log
}

const plainTypes = new Set(['string', 'number', 'boolean'])

// Memory for lines that cannot be written; further lines are dropped.
const maxUnwrittenBytes = 1_048_576

function standardOutput({
  count,
  outputFile,
}: Pick<Workers, 'count' | 'outputFile'>): pino.DestinationStream {
  const open = (fd: number) => {
    const output = pino.destination({ fd, sync: true, maxLength: maxUnwrittenBytes })
    output.on('error', () => {}) // nowhere to report it
    return output
  }
  const first = open(1)
  if (count === 1) return first
  let output = { file: 1, stream: first }
  return {
    write(line) {
      const file = outputFile()
      if (file !== output.file) output = { file, stream: open(file) }
      output.stream.write(line)
    },
  }
}
