import { throttledAddress } from '../addresses/address.ts'
import { FloodBound } from '../bounded/flood-bound.ts'
import { type Clock, isoTime } from '../kernel/clock.ts'
import type { EventBound, RecordedEvent } from './events.ts'
import type { EventType } from './types.ts'

/**
 * Bounds what the refusals of one address (one /64 of IPv6) leave behind: the first of a minute are
 * passed on one by one, and then a count of each type, as an event with `count` and `since`.
 * docs/adr/0052
 */
export function boundedRefusals(clock: Clock, pass: (event: RecordedEvent) => void): EventBound {
  const types = new Map<string, EventType>() // those that were counted, by name
  const flood = new FloodBound({
    onCounted({ source, kind, count, since }) {
      const type = types.get(kind)
      if (!type) throw new Error(`an event ${kind} was never counted`)
      const context = { by: null, address: source, scheme: null, requestId: null, request: null }
      pass({ type, payload: { count, since: isoTime(since) }, context, at: clock.now() })
    },
  })
  return {
    take(event) {
      const { type, context, at, isChange } = event
      if (type.outcome === 'success' || context.address === null || isChange) return pass(event)
      types.set(type.name, type)
      if (flood.admits(throttledAddress(context.address), type.name, at)) pass(event)
    },

    tellCounts(atOnce) {
      if (atOnce) flood.tellAll()
      else flood.tellEnded(clock.now())
    },
  }
}
