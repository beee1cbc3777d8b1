import type { Random } from '../crypto/random.ts'

// 32 characters, without look-alikes (l, o, 0, 1).
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const minCharacters = 20 // 100 bits
const groupOf = /.{1,4}/g

/** Easy to read and type: `abcd-efgh-...`. */
export function generatedPassword(random: Random, minLength: number): string {
  const bytes = random.bytes(Math.max(minCharacters, minLength))
  const characters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length])
  const text = characters.join('').match(groupOf)?.join('-') ?? ''
  const length = Math.max(minCharacters + minCharacters / 4 - 1, minLength)
  // A final dash is easily lost when copying.
  return text.slice(0, length).replace(/-$/, () => text.charAt(length))
}
