import type { Random } from '../../core/crypto/random.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { backOffMs } from '../../core/queue/back-off.ts'

/**
 * Circuit breaker. While the server fails every mail, rows stay unchanged; later, one row is
 * retried.
 */
export interface Circuit {
  isOpen(): boolean
  /** Whether the last attempt failed: send one mail at a time. */
  isDoubtful(): boolean
  /** The last response and the first failure; null while the server accepts mail. */
  trouble(): { readonly since: number; readonly response: string } | null
  failed(response: string): void
  succeeded(): void
}

const delaysMs = [5_000, 15_000, 30_000, 60_000]

export function createCircuit({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}): Circuit {
  let failures = 0
  let openUntil = Number.NEGATIVE_INFINITY
  let trouble: { readonly since: number; readonly response: string } | null = null
  return {
    isOpen: () => clock.now() < openUntil,
    isDoubtful: () => failures > 0,
    trouble: () => trouble,
    failed(response) {
      const now = clock.now()
      if (now < openUntil) return // another concurrent failure
      failures += 1
      openUntil = now + backOffMs(random, delaysMs, failures)
      trouble = { since: trouble?.since ?? now, response }
    },
    succeeded() {
      failures = 0
      openUntil = Number.NEGATIVE_INFINITY
      trouble = null
    },
  }
}
