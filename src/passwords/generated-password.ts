import type { Random } from '../kernel/random.ts'

// 32 signs, none of which is read as another: no l, o, 0 and 1.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const leastSigns = 20 // 100 bits
const groupOf = /.{1,4}/g

/** A random password, easy to read out and to type: `abcd-efgh-...`, of `minLength` signs or more. */
export function generatedPassword(random: Random, minLength: number): string {
  const bytes = random.bytes(Math.max(leastSigns, minLength))
  const signs = Array.from(bytes, (byte) => alphabet[byte % alphabet.length])
  const text = signs.join('').match(groupOf)?.join('-') ?? ''
  const length = Math.max(leastSigns + leastSigns / 4 - 1, minLength)
  // A dash at the end is left behind by whoever copies it: a sign stands there.
  return text.slice(0, length).replace(/-$/, () => text.charAt(length))
}
