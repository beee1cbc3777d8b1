import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import {
  type AfterCommitSink,
  createEvents,
  type Events,
  logSink,
  type Sinks,
} from '../events/events.ts'
import type { Clock } from '../lib/clock.ts'
import { countEvent } from '../measurements/event-counts.ts'
import type { Measurements } from '../measurements/measurements.ts'

interface SinkDeps {
  readonly clock: Clock
  /** Absent: addresses are logged. */
  readonly config?: Pick<Config, 'logsAddresses'>
  readonly log: Logger
  /** Absent without metrics. */
  readonly measurements?: Measurements
}

function sinksOf({ config, log, measurements }: SinkDeps): Sinks {
  const counts: AfterCommitSink[] = measurements ? [(event) => countEvent(measurements, event)] : []
  return { inside: [], afterCommit: counts, bounded: [logSink(log, config)] }
}

export function eventsOf(deps: SinkDeps & { readonly sinks?: Sinks }): Events {
  return createEvents({ sinks: sinksOf(deps), ...deps })
}
