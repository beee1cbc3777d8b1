import type { Logger } from 'pino'
import { createEvents, type Events, logSink, type Sinks } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'

interface SinkDeps {
  readonly clock: Clock
  readonly log: Logger
}

/** The sinks of all events of this service: of HTTP, the command line and jobs. */
function sinksOf({ log }: Pick<SinkDeps, 'log'>): Sinks {
  return { inside: [], afterCommit: [], bounded: [logSink(log)] }
}

/** Creates the events of a process, with the sinks of the service unless others are given. */
export function eventsOf(deps: SinkDeps & { readonly sinks?: Sinks }): Events {
  return createEvents({ sinks: sinksOf(deps), ...deps })
}
