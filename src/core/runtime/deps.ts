import pino, { type Logger } from 'pino'
import type { Config } from '../config/load.ts'
import { type Random, systemRandom } from '../crypto/random.ts'
import { pooledRandom } from '../crypto/secure-random.ts'
import { connect } from '../database/connect.ts'
import type { ChangeFeed, Database, DatabaseFiles } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createMeasurements, type Measurements } from '../measurements/measurements.ts'
import { soleProcess, type Workers } from '../workers/workers.ts'
import { escaping } from './log-lines.ts'
import { eventsOf } from './sinks.ts'
import type { Traces, Tracing } from './tracing.ts'

/** The dependencies that reach outside the process; `main.ts` or a test creates them. */
export interface Deps {
  readonly config: Config
  readonly db: Database
  /** The same database with asynchronous commits: a loss of power can undo the last of them. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly assertDatabaseServes: () => Promise<void>
  /** Absent with PostgreSQL. */
  readonly databaseFiles?: DatabaseFiles
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly events: Events
  /** What this process measures of itself. */
  readonly measurements: Measurements
  /** The processes of this service on this machine. */
  readonly workers: Workers
  /** For requests to other services. */
  readonly fetch: typeof fetch
  /** Absent where no traces are exported. */
  readonly traces?: Traces | null
}

/**
 * Creates the dependencies of a process. @throws DatabaseUnavailable if the database is unusable
 */
export function systemDeps(
  config: Config,
  {
    clock = systemClock,
    log = createLog(config.logLevel),
    workers = soleProcess,
    groupCommit = false,
    checkpointThread = false,
    tracing = null as Tracing | null,
  } = {},
): Deps {
  process.umask(0o077) // no other user may read the database, its log and the keys
  const measurements = createMeasurements()
  const connected = connect({
    ...config.database,
    measurements: measurements.database,
    poolMax: workers.share(config.database.poolMax),
    groupCommit,
    checkpointThread,
    ...(tracing && { observe: tracing.observe }),
  })
  return {
    config,
    ...connected,
    ...(config.database.postgres && { feed: feedOfWorkers(connected.feed, workers) }),
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

/**
 * The change feed of one worker of several on PostgreSQL, whose notifications may arrive after an
 * answer was sent: a worker that has committed a change tells the others before it answers. SQLite
 * needs none of it, because its feed reads the file at each look.
 */
export function feedOfWorkers(feed: ChangeFeed, workers: Workers): ChangeFeed {
  if (workers.count === 1) return feed
  let announced = 0
  workers.onAsked('changed', () => {
    announced += 1
  })
  return {
    ...feed,
    version: () => feed.version() + announced,
    announce: async () => void (await workers.askOthers('changed')),
  }
}

export interface LogOptions {
  /** Standard output unless another is given. */
  readonly destination?: pino.DestinationStream
  readonly workers?: Pick<Workers, 'count' | 'outputFile'>
  /** Fields of modules from outside that hold secrets; lower-case names of request headers. */
  readonly secretFields?: readonly string[]
}

const secretFieldsOfOurs = ['password', 'token', 'secret', 'cookie', 'authorization']

/**
 * Creates the log: JSON lines on standard output, with fields that could hold a secret redacted, and
 * with characters escaped that could steer a terminal.
 */
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
 * Spares texts, numbers and booleans pino's search for secret fields inside a value, which reads its
 * list of fields anew for each value of a line: only an object has fields. A value that is a secret
 * field itself is redacted by its name, before this.
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

// How much of the log is kept in memory while it cannot be written; further lines are dropped.
const maxUnwrittenBytes = 1_048_576

/** Writes to standard output. While the disk is full, lines wait, and the service goes on. */
function standardOutput({
  count,
  outputFile,
}: Pick<Workers, 'count' | 'outputFile'>): pino.DestinationStream {
  const open = (fd: number) => {
    const output = pino.destination({ fd, sync: true, maxLength: maxUnwrittenBytes })
    output.on('error', () => {}) // there is no other place to report it
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
