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

/** Bounds log entries per address: docs/adr/0052. */
export interface BoundedRefusals {
  /** False: the event is counted instead. */
  admits(event: Emitted): boolean
  /** Delivers the counts of past minutes, or all. */
  emitCounts(atOnce?: 'atOnce'): void
}

/**
 * Per address (IPv6: /64) and minute, the first rejections are delivered individually, the rest as
 * an event per type with `count` and `since`.
 */
export function boundedRefusals(clock: Clock, deliver: (event: Emitted) => void): BoundedRefusals {
  const types = new Map<string, EventType>()
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
