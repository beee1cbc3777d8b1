import type { Random } from '../../core/crypto/random.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Between the attempts of a delivery: the schedule of the Standard Webhooks specification, within three days. */
const waitsMs = [
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

/** No delivery that has failed is tried again earlier. */
export const leastWaitMs = 4 * second

/** The attempts after which a delivery is given up, some three days after the first. */
const maxAttempts = waitsMs.length + 1

/**
 * One that is older than three days has waited behind others of its account, or for its endpoint. It is
 * tried for half an hour: else a queue of messages that are always refused would take three days each.
 */
const attemptsOfOld = 4
const oldMs = 3 * 86_400_000

/** Between the leases of an endpoint that takes nothing. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 5 * minute]

/** How long a receiver may ask to be left alone: Retry-After. */
const maxRetryAfterMs = 6 * hour

/** Whether a delivery that was refused so many times, and was added so long ago, is given up. */
export function isGivenUp(attempts: number, ageMs: number): boolean {
  return attempts >= (ageMs > oldMs ? attemptsOfOld : maxAttempts)
}

/** How long a delivery waits after so many attempts. Milliseconds. */
export function retryMs(random: Random, attempts: number): number {
  return jittered(random, waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0)
}

/** How long an endpoint waits after so many leases in which it took nothing. Milliseconds. */
export function pauseMs(random: Random, failures: number): number {
  const wait = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0
  return jittered(random, wait)
}

/** Retry-After in milliseconds, bounded; 0 if the header says nothing that can be read. RFC 9110 section 10.2.3 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), maxRetryAfterMs)
}

/** Up to a tenth less, so that what failed together is not tried together. */
function jittered(random: Random, milliseconds: number): number {
  const [high = 0, low = 0] = random.bytes(2)
  return Math.round(milliseconds * (1 - (high * 256 + low) / 65_535 / 10))
}

/** Nothing is put off for longer, and no lease lasts longer: the clock that did it was ahead. */
export const longestWaitMs = day
export const longestPauseMs = maxRetryAfterMs + hour
export const longestLeaseMs = hour
