import { createEvents, type Events, logSink, type Sinks } from '../events/events.ts'
import type { Deps } from './deps.ts'

/** Where the events of this service go, whatever records them: HTTP, the command line or a job. */
function sinksOf({ log }: Pick<Deps, 'log'>): Sinks {
  return { inside: [], afterCommit: [logSink(log)] }
}

/** The events of a process, with the sinks of every one unless others are given. */
export function eventsOf(deps: Pick<Deps, 'clock' | 'log'> & { readonly sinks?: Sinks }): Events {
  return createEvents({ sinks: sinksOf(deps), ...deps })
}
