import type { Random } from '../../core/crypto/random.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ' // of Crockford
const timeLength = 10
const randomLength = 16

/**
 * Makes an id of 26 characters that sorts by `at`, in epoch milliseconds: 48 bits of time and 80
 * random ones. https://github.com/ulid/spec
 */
export function ulid(at: number, random: Random): string {
  let time = ''
  for (let rest = at; time.length < timeLength; rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time
  }
  let id = time
  for (const byte of random.bytes(randomLength)) id += alphabet.charAt(byte % 32) // 256 = 8 * 32
  return id
}
