import { createHash } from 'node:crypto'
import type { Random } from '../src/core/crypto/random.ts'

/** A generator of the same bytes for the same seed: SHA-256 in counter mode. */
export function seededRandom(seed: number): Random {
  let counter = 0
  return {
    bytes(length) {
      const blocks: Buffer[] = []
      for (let made = 0; made < length; made += 32) {
        blocks.push(createHash('sha256').update(`${seed}:${counter++}`).digest())
      }
      return Buffer.concat(blocks).subarray(0, length)
    },
  }
}
