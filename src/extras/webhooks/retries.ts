import type { Random } from '../../core/crypto/random.ts'
import { backOffMs } from '../../core/queue/back-off.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Between the attempts of a delivery: the schedule of Standard Webhooks, within three days. */
const delaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  20 * hour,
]

/** A failed delivery is retried no earlier. */
export const leastWaitMs = 4 * second

/** The attempts after which a delivery is given up, some three days after the first. */
const maxAttempts = delaysMs.length + 1

/**
 * A delivery that is older than three days has waited behind others of its account, or for its
 * endpoint, and is retried for half an hour: a queue of poison messages would take three days each.
 */
const maxAttemptsOfOld = 4
const oldMs = 72 * hour

/** Between the attempts at an endpoint that fails. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 5 * minute]

const maxRetryAfterMs = 6 * hour

/** Whether a delivery that has failed so many times, and was added so long ago, is given up. */
export function isGivenUp(attempts: number, ageMs: number): boolean {
  return attempts >= (ageMs > oldMs ? maxAttemptsOfOld : maxAttempts)
}

/** How long a delivery waits after so many attempts, in milliseconds. */
export const retryMs = (random: Random, attempts: number) => backOffMs(random, delaysMs, attempts)

/** How long an endpoint pauses after so many failures in a row, in milliseconds. */
export const pauseMs = (random: Random, failures: number) => backOffMs(random, pausesMs, failures)

/** Retry-After in milliseconds, bounded; 0 if the header says nothing that can be read. RFC 9110 section 10.2.3 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), maxRetryAfterMs)
}
