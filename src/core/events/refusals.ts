import { throttledAddress } from '../addresses/address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { FloodBound } from '../limits/flood-bound.ts'
import type { EventContext } from './context.ts'
import type { EventType, Payload } from './types.ts'

interface Emitted {
  readonly type: EventType
  readonly payload: Payload
  readonly context: EventContext
  readonly at: number
}

/** What the refusals of one address may leave in the log and in the audit log: docs/adr/0052. */
export interface BoundedRefusals {
  /** Whether an event is delivered by itself; otherwise it is counted. */
  admits(event: Emitted): boolean
  /** Delivers the counts of the minutes that are over, or all of them. */
  emitCounts(atOnce?: 'atOnce'): void
}

/**
 * Bounds the refusals of one address (one /64 of IPv6): the first of a minute are delivered one by
 * one, and the others as a count of each type, by an event with `count` and `since`.
 */
export function boundedRefusals(clock: Clock, deliver: (event: Emitted) => void): BoundedRefusals {
  const types = new Map<string, EventType>() // those that were counted, by name
  const flood = new FloodBound({
    onCounted({ source, kind, count, since }) {
      const type = types.get(kind)
      if (!type) throw new Error(`an event ${kind} was never counted`)
      const context = { by: null, address: source, scheme: null, requestId: null, request: null }
      deliver({ type, payload: { count, since: isoTime(since) }, context, at: clock.now() })
    },
  })
  return {
    admits({ type, context: { address }, at }) {
      if (type.outcome === 'success' || address === null) return true
      types.set(type.name, type)
      return flood.admits(throttledAddress(address), type.name, at)
    },

    emitCounts(atOnce) {
      if (atOnce) flood.tellAll()
      else flood.tellEnded(clock.now())
    },
  }
}
