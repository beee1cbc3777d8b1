import type { Random } from '../../core/crypto/random.ts'

const waitsMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]

/** How long a mail waits after so many attempts, in milliseconds. */
export function backOffMs(random: Random, attempts: number): number {
  const wait = waitsMs[Math.min(Math.max(attempts, 1), waitsMs.length) - 1] ?? 0
  return jittered(random, wait)
}

/** Up to a fifth more, so that what failed together is not tried together. */
export function jittered(random: Random, milliseconds: number): number {
  const [high = 0, low = 0] = random.bytes(2)
  return Math.round(milliseconds * (1 + (high * 256 + low) / 65_535 / 5))
}
