import { crc32 } from 'node:zlib'
import type { Random } from '../../core/crypto/random.ts'

const prefix = 'gth_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checksumLength = 6
const format = /^gth_[0-9A-Za-z]{49}$/

/** `gth_`, 256 random bits, and the CRC-32 of their 43 letters: docs/keys.md. */
export function createKeyText(random: Random): string {
  const secret = base62(BigInt(`0x${Buffer.from(random.bytes(32)).toString('hex')}`), secretLength)
  return prefix + secret + checksumOf(secret)
}

/** Such a text is judged as a key alone, never as a token or a password. */
export function looksLikeKey(text: string): boolean {
  return text.startsWith(prefix)
}

/** Whatever its checksum. */
export function hasKeyForm(text: string): boolean {
  return format.test(text)
}

export function isKeyText(text: string): boolean {
  if (!hasKeyForm(text)) return false
  const end = prefix.length + secretLength
  return checksumOf(text.slice(prefix.length, end)) === text.slice(end)
}

function checksumOf(secret: string): string {
  return base62(BigInt(crc32(secret)), checksumLength)
}

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text
  return text.padStart(length, '0')
}
