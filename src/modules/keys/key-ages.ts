import type { Clock } from '../../core/lib/clock.ts'
import type { SealedKey } from './store.ts'

type Stamped = Pick<SealedKey, 'id' | 'createdAt'>

/**
 * How long keys have been known, in milliseconds. A stamp can come from a clock that was ahead, and
 * the local clock can be set back: neither decides alone.
 */
export interface KeyAges {
  /** Notes keys that this process sees for the first time. */
  see(ids: Iterable<string>): void
  /** Milliseconds since this process first saw the key; 0 for an unknown key. */
  seen(id: string): number
  /** The longer of the age by stamp and `seen`. */
  of(key: Stamped): number
  /** Time passed in this process; unaffected by clock changes. */
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
