import {
  type EventLevel,
  type EventType,
  eventTypeOfProcess,
  type Payload,
} from '../src/core/events/types.ts'
import { assertDistinctEvents } from '../src/core/module/registry.ts'
import { modules } from '../src/modules.ts'

/** The types of events of all modules, each name once. */
export const eventTypes = () => assertDistinctEvents(modules)

/** A type of event that tests alone record. */
export function testEvent<P extends Payload>(
  name: string,
  level: EventLevel = 'info',
): EventType<P> {
  const words = { en: '', de: '' }
  return eventTypeOfProcess<Payload>(name, {
    level,
    groups: [],
    description: '',
    fields: {},
    words,
  })
}
