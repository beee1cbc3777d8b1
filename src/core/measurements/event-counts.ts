import type { Counters } from './counters.ts'

/** An event, as far as it is counted: see `RecordedEvent`. */
export interface CountedEvent {
  readonly type: { readonly name: string }
  readonly payload: Readonly<Record<string, unknown>>
  readonly context: { readonly request: { readonly route: string | null } | null }
  readonly login?: { readonly factors?: readonly string[] }
}

export type CountEvent = (event: CountedEvent) => void

interface EventCounts {
  readonly events: Counters
  readonly countsOfEvents: ReadonlyMap<string, readonly CountEvent[]>
}

/** Counts an event by its name, and as the modules count it. */
export function countEvent({ countsOfEvents, events }: EventCounts, event: CountedEvent): void {
  const { name } = event.type
  events.add([name])
  for (const count of countsOfEvents.get(name) ?? []) count(event)
}
