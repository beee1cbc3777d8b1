import { type Random, randomText } from '../../core/crypto/random.ts'
import type { TransactionEnd } from '../../core/database/commit.ts'
import type { Clock } from '../../core/lib/clock.ts'

/** A chain of this process after the last commit. */
export interface Chain {
  readonly name: string
  /** Of the last record; 0 and null for an empty chain. */
  readonly place: number
  readonly mac: string | null
}

export type Head = Pick<Chain, 'place' | 'mac'>

export interface TakenChain {
  readonly chain: Chain
  /** After an unknown outcome, the chain is never used again. */
  release(end: TransactionEnd, head: Head): void
}

export interface Chains {
  /** A free or new chain: transactions never wait. */
  take(): TakenChain
  /** Forgets free chains unused since a time; returns their names. */
  leave(before: number): string[]
}

const nameBytes = 16

export function createChains({ clock, random }: { clock: Clock; random: Random }): Chains {
  // Last released, first taken: few chains get most records.
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
