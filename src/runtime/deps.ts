import pino, { type Logger } from 'pino'
import type { Config } from '../config/load.ts'
import { connect } from '../database/connect.ts'
import type { ChangeFeed, Database } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { type Random, systemRandom } from '../kernel/random.ts'
import { eventsOf } from './sinks.ts'

/** The dependencies that reach outside the process; `main.ts` or a test creates them. */
export interface Deps {
  readonly config: Config
  readonly db: Database
  /** The same database with asynchronous commits: a loss of power can undo the last of them. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly assertDatabaseServes: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly events: Events
  /** For requests to other services. */
  readonly fetch: typeof fetch
}

/**
 * Creates the dependencies of a process. @throws DatabaseUnavailable if the database is unusable
 */
export function systemDeps(
  config: Config,
  { clock = systemClock, log = createLog(config.logLevel), groupCommit = false } = {},
): Deps {
  process.umask(0o077) // no other user may read the database, its log and the keys
  return {
    config,
    ...connect({ ...config.database, groupCommit }),
    clock,
    random: systemRandom,
    log,
    events: eventsOf({ clock, log }),
    fetch: globalThis.fetch,
  }
}

export interface LogOptions {
  /** Standard output unless another is given. */
  readonly destination?: pino.DestinationStream
  /** Fields of rooms from outside that hold secrets; lower-case names of request headers. */
  readonly secretFields?: readonly string[]
}

const secretFieldsOfOurs = ['password', 'token', 'secret', 'cookie', 'authorization']

/**
 * Creates the log: JSON lines on standard output, with fields that could hold a secret redacted.
 */
export function createLog(
  level: string,
  { destination = standardOutput(), secretFields = [] }: LogOptions = {},
): Logger {
  return pino(
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
    destination,
  )
}

// How much of the log is kept in memory while it cannot be written; further lines are dropped.
const maxUnwrittenBytes = 1_048_576

/** Writes to standard output. While the disk is full, lines wait, and the service goes on. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: maxUnwrittenBytes })
  output.on('error', () => {}) // there is no other place to report it
  return output
}
