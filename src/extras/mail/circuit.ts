import type { Random } from '../../core/crypto/random.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { backOffMs } from '../../core/queue/back-off.ts'

/**
 * Stops the work with a server that fails whatever is sent: rows stay as they are, and after a while
 * one of them tries again.
 */
export interface Circuit {
  /** Whether nothing may be sent now. */
  isOpen(): boolean
  /** Whether the last attempt failed: one mail at a time until one arrives. */
  isDoubtful(): boolean
  /** What the server said, and since when it fails; null while it takes mail. */
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
      if (now < openUntil) return // of another mail at the same time
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
