import type { Random } from '../../core/crypto/random.ts'
import { backOffMs } from '../../core/queue/back-off.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The Standard Webhooks schedule, within three days. */
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

export const leastWaitMs = 4 * second

const maxAttempts = delaysMs.length + 1

/**
 * Deliveries older than three days, which waited behind others, are retried for half an hour only:
 * otherwise each poison message would block for three days.
 */
const maxAttemptsOfOld = 4
const oldMs = 72 * hour

/** Between attempts at a failing endpoint. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 5 * minute]

const maxRetryAfterMs = 6 * hour

export function isGivenUp(attempts: number, ageMs: number): boolean {
  return attempts >= (ageMs > oldMs ? maxAttemptsOfOld : maxAttempts)
}

/** Milliseconds. */
export const retryMs = (random: Random, attempts: number) => backOffMs(random, delaysMs, attempts)

/** After consecutive failures. Milliseconds. */
export const pauseMs = (random: Random, failures: number) => backOffMs(random, pausesMs, failures)

/** Milliseconds, capped; 0 if invalid. RFC 9110, 10.2.3 */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), maxRetryAfterMs)
}
