import { createEvents, type Events, logSink, type Sinks } from '../events/events.ts'
import type { Deps } from './deps.ts'

/** The sinks of all events of this service: of HTTP, the command line and jobs. */
function sinksOf({ log }: Pick<Deps, 'log'>): Sinks {
  return { inside: [], afterCommit: [logSink(log)] }
}

/** Creates the events of a process, with the sinks of the service unless others are given. */
export function eventsOf(deps: Pick<Deps, 'clock' | 'log'> & { readonly sinks?: Sinks }): Events {
  return createEvents({ sinks: sinksOf(deps), ...deps })
}
