import type { Random } from '../crypto/random.ts'

/** Delay in milliseconds; the last delay repeats. */
export function backOffMs(random: Random, delaysMs: readonly number[], attempts: number): number {
  const index = Math.min(Math.max(attempts, 1), delaysMs.length) - 1
  const [high = 0, low = 0] = random.bytes(2)
  // Jitter of up to 10%, so that joint failures are not retried together.
  return Math.round((delaysMs[index] ?? 0) * (1 - (high * 256 + low) / 65_535 / 10))
}
