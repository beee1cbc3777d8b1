import { randomBytes } from 'node:crypto'

/** Seeded in tests. */
export interface Random {
  bytes(length: number): Uint8Array
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) }

/** base64url without a leading `-`, which looks like an option. */
export function randomText(random: Random, length: number): string {
  return Buffer.from(random.bytes(length)).toString('base64url').replace(/^-/, '_')
}

const poolBytes = 4096
/** Longer requests are rare, and would use up the pool. */
const maxPooledBytes = 64

/**
 * Draws bytes in advance, as Node does for UUIDs: a call of the generator costs as much for 4096
 * bytes as for 16. Every byte is given once, and its place in the pool is overwritten.
 */
export function pooledRandom(source: Random): Random {
  let pool: Uint8Array = new Uint8Array()
  let used = 0
  return {
    bytes(length) {
      if (length > maxPooledBytes) return source.bytes(length)
      if (used + length > pool.length) {
        pool = source.bytes(poolBytes)
        used = 0
      }
      const place = pool.subarray(used, used + length)
      const bytes = new Uint8Array(place)
      place.fill(0)
      used += length
      return bytes
    },
  }
}
