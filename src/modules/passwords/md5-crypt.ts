import { createHash } from 'node:crypto'

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const rounds = 1000
// The order in which the bytes of the digest are written, three to a group.
const groups = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const
const lastByte = 11

/** The last part of a `$1$` hash, of FreeBSD and of LDAP's {CRYPT}. */
export function md5Crypt(password: Uint8Array, salt: Uint8Array): string {
  const alternate = md5(password, salt, password)
  const parts = [password, Buffer.from('$1$'), salt]
  for (let left = password.length; left > 0; left -= 16) parts.push(alternate.subarray(0, left))
  for (let left = password.length; left > 0; left >>= 1) {
    parts.push(left & 1 ? Buffer.alloc(1) : password.subarray(0, 1))
  }
  let digest = md5(...parts)
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1
    digest = md5(
      isOdd ? password : digest,
      ...(round % 3 === 0 ? [] : [salt]),
      ...(round % 7 === 0 ? [] : [password]),
      isOdd ? digest : password,
    )
  }
  return encode(digest)
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function encode(digest: Buffer): string {
  const byte = (at: number) => digest[at] ?? 0
  const texts = groups.map(([high, middle, low]) =>
    sixBits((byte(high) << 16) | (byte(middle) << 8) | byte(low), 4),
  )
  return texts.join('') + sixBits(byte(lastByte), 2)
}

function sixBits(value: number, characters: number): string {
  return Array.from({ length: characters }, (_, at) => alphabet[(value >> (6 * at)) & 63]).join('')
}
