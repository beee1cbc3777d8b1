import type { Clock } from '../../core/lib/clock.ts'
import type { SealedKey } from './store.ts'

type Stamped = Pick<SealedKey, 'id' | 'createdAt'>

/**
 * How long keys have been known, in milliseconds. The clock that stamped a key can have been ahead,
 * and the clock of this process can be set back, so neither stamp nor clock decides alone.
 */
export interface KeyAges {
  /** Notes the keys that this process sees for the first time. */
  see(ids: Iterable<string>): void
  /** How long this process has seen a key; 0 for a key that it has not seen. */
  seen(id: string): number
  /** By the stamp, or since this process has first seen the key if that is longer. */
  of(key: Stamped): number
  /** The time that this process has seen pass: a clock that is set back adds nothing. */
  passed(): number
}

export function createKeyAges(clock: Pick<Clock, 'now'>): KeyAges {
  const seenAt = new Map<string, number>()
  let last = clock.now()
  let total = 0

  function passed(): number {
    const now = clock.now()
    total += Math.max(0, now - last)
    last = now
    return total
  }

  function seen(id: string): number {
    const at = seenAt.get(id)
    return at === undefined ? 0 : passed() - at
  }

  return {
    passed,
    seen,
    see(ids) {
      const at = passed()
      for (const id of ids) if (!seenAt.has(id)) seenAt.set(id, at)
    },
    of: ({ id, createdAt }) => Math.max(clock.now() - createdAt, seen(id)),
  }
}
