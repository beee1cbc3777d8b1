import type { Random } from '../crypto/random.ts'

/** Delay in milliseconds; the last delay repeats. */
export function backOffMs(random: Random, delaysMs: readonly number[], attempts: number): number {
  const index = Math.min(Math.max(attempts, 1), delaysMs.length) - 1
  // Jitter of up to 10%, so that joint failures are not retried together.
  const part = Buffer.from(random.bytes(2)).readUInt16BE() / 65_535
  return Math.round((delaysMs[index] ?? 0) * (1 - part / 10))
}
