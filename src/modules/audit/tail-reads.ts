import type { Clock } from '../../core/lib/clock.ts'

/**
 * Of a reader who follows the log, the first look is told, and then one in ten minutes: each look
 * would otherwise be a record that the next look finds. What is read is the same.
 */
export interface TailReads {
  /** Whether a look is to be told, by who reads and by which filters. */
  isTold(reader: string): boolean
}

const everyMs = 600_000
const maxReaders = 1000

export function createTailReads({ clock }: { readonly clock: Clock }): TailReads {
  const toldAt = new Map<string, number>()
  return {
    isTold(reader) {
      const now = clock.now()
      const before = toldAt.get(reader)
      if (before !== undefined && now - before < everyMs && now >= before) return false
      toldAt.delete(reader)
      const [oldest] = toldAt.keys()
      if (toldAt.size >= maxReaders && oldest !== undefined) toldAt.delete(oldest)
      toldAt.set(reader, now)
      return true
    },
  }
}
