import pino, { type Logger } from 'pino'
import type { Config } from '../config/load.ts'
import { connect } from '../database/connect.ts'
import type { ChangeFeed, Database } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { type Random, systemRandom } from '../kernel/random.ts'
import { eventsOf } from './sinks.ts'

/** Everything that reaches outside the process, handed down from `main.ts` or from a test. */
export interface Deps {
  readonly config: Config
  readonly db: Database
  /** The same database; its commits need not outlive a loss of power. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly assertDatabaseServes: () => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly events: Events
  /** For the few answers that come from elsewhere. */
  readonly fetch: typeof fetch
}

/** The real world. @throws DatabaseUnavailable where the database cannot be opened */
export function systemDeps(
  config: Config,
  { clock = systemClock, log = createLog(config.logLevel) } = {},
): Deps {
  process.umask(0o077) // the database, its log and the keys are nobody else's to read
  return {
    config,
    ...connect(config.database),
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

/** JSON lines on standard output, one per event, with whatever could be a secret cut out. */
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

// What a log that cannot be written may keep in memory meanwhile; what is more is lost.
const maxUnwritten = 1_048_576

/** A full disk must neither end the service nor fail a request: lines wait until there is room. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: maxUnwritten })
  output.on('error', () => {}) // told by whoever watches the disk: there is nowhere to tell it
  return output
}
