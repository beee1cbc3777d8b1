import { type Random, randomText } from '../../core/crypto/random.ts'
import type { TransactionEnd } from '../../core/database/commit.ts'
import type { Clock } from '../../core/lib/clock.ts'

/** A chain of records that this process writes, as it is after the last commit. */
export interface Chain {
  readonly name: string
  /** The place and the mac of its last record; 0 and null before the first. */
  readonly place: number
  readonly mac: string | null
}

/** The end of a chain after the records that a transaction adds. */
export type Head = Pick<Chain, 'place' | 'mac'>

/** A chain while one transaction has it: no other transaction writes it. */
export interface TakenChain {
  readonly chain: Chain
  /**
   * Releases it when the transaction has ended, with the head if that is committed. A chain whose
   * end is not known is never written again.
   */
  release(end: TransactionEnd, head: Head): void
}

export interface Chains {
  /** Takes a chain that no transaction has, a new one if need be: none waits for another. */
  take(): TakenChain
  /** The names of the free chains that were not used since a time; they are forgotten. */
  leave(before: number): string[]
}

const nameBytes = 16

/** Makes the chains of a process. Several transactions at a time write as many chains. */
export function createChains({ clock, random }: { clock: Clock; random: Random }): Chains {
  // The last one released is taken first, so that few chains have the most records.
  let free: { readonly chain: Chain; readonly usedAt: number }[] = []
  return {
    take() {
      const chain: Chain = free.pop()?.chain ?? {
        name: randomText(random, nameBytes),
        place: 0,
        mac: null,
      }
      return {
        chain,
        release(end, head) {
          if (end === 'unknown') return
          const next = end === 'committed' ? { name: chain.name, ...head } : chain
          free.push({ chain: next, usedAt: clock.now() })
        },
      }
    },

    leave(before) {
      const left = free.filter(({ usedAt }) => usedAt < before)
      free = free.filter(({ usedAt }) => usedAt >= before)
      return left.filter(({ chain }) => chain.place > 0).map(({ chain }) => chain.name)
    },
  }
}
