import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../core/lib/clock.ts'

/** Spaces the work of deliveries, so that requests hardly notice it. */
export interface WebhookThrottle {
  /** Resolves when the next piece of work may begin: one delivery, or one batch of new ones. */
  next(signal: AbortSignal): Promise<void>
}

export interface WebhookThrottleDeps extends Pick<Clock, 'wait'> {
  /** How many requests this process has had so far. */
  readonly requests: () => number
  /** How many events it has added to the outbox so far. */
  readonly events: () => number
}

const measuredMs = 250
/** A process with fewer requests a second than this has time for deliveries. */
const quietPerSecond = 20
const quietGapMs = 1
/** Beside requests: so many pieces a second, and so many for each event, whose cause took longer. */
const leastPerSecond = 10
const perEvent = 2
const kept = 0.8

/**
 * Creates the throttle of a process. While it serves requests, sending takes a share of what the events have
 * cost themselves: ten thousand endpoints get their messages later, and slow no one down.
 */
export function createWebhookThrottle({
  wait,
  requests,
  events,
}: WebhookThrottleDeps): WebhookThrottle {
  let last: Promise<void> = Promise.resolve()
  let gapMs = quietGapMs
  let eventsPerSecond = 0
  let before = { at: performance.now(), requests: requests(), events: events() }

  return {
    next(signal) {
      last = last.then(async () => {
        measure()
        await wait(gapMs, signal)
        await setImmediate() // what has arrived meanwhile comes first
      })
      return last
    },
  }

  function measure(): void {
    const now = { at: performance.now(), requests: requests(), events: events() }
    const seconds = (now.at - before.at) / 1000
    if (seconds * 1000 < measuredMs) return
    const rate = (now.events - before.events) / seconds
    eventsPerSecond = Math.max(rate, eventsPerSecond * kept)
    const isQuiet = (now.requests - before.requests) / seconds < quietPerSecond
    gapMs = isQuiet ? quietGapMs : 1000 / (leastPerSecond + perEvent * eventsPerSecond)
    before = now
  }
}
