import type { Deps } from './deps.ts'
import { createEvents, type Events, logSink, type Sinks } from './events/events.ts'

/** Where the events of this service go, whatever records them: HTTP, the command line or a job. */
export function sinksOf({ log }: Pick<Deps, 'log'>): Sinks {
  return { inside: [], afterCommit: [logSink(log)] }
}

/** The events of a process; a test hands in sinks of its own. */
export function eventsOf(deps: Pick<Deps, 'clock' | 'log' | 'sinks'>): Events {
  return createEvents({ ...deps, sinks: deps.sinks ?? sinksOf(deps) })
}
