import type { Clock } from '../../core/lib/clock.ts'

/** Records one read per ten minutes: otherwise each read adds a record for the next read. */
export interface TailReads {
  /** `reader`: caller and filters. */
  isLogged(reader: string): boolean
}

const everyMs = 600_000
const maxReaders = 1000

export function createTailReads({ clock }: { readonly clock: Clock }): TailReads {
  const loggedAt = new Map<string, number>()
  return {
    isLogged(reader) {
      const now = clock.now()
      const before = loggedAt.get(reader)
      if (before !== undefined && now - before < everyMs && now >= before) return false
      loggedAt.delete(reader)
      const [oldest] = loggedAt.keys()
      if (loggedAt.size >= maxReaders && oldest !== undefined) loggedAt.delete(oldest)
      loggedAt.set(reader, now)
      return true
    },
  }
}
