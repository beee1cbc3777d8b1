import type { Random } from '../../core/crypto/random.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const randomLength = 16

/**
 * Sorted by `at` (epoch milliseconds): 48 bits time, 80 bits random. https://github.com/ulid/spec
 */
export function ulid(at: number, random: Random): string {
  let time = ''
  for (let rest = at; time.length < timeLength; rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time
  }
  let id = time
  for (const byte of random.bytes(randomLength)) id += alphabet.charAt(byte % 32) // 256 = 8 * 32, so no bias
  return id
}
