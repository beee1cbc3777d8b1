import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '../../core/crypto/digest.ts'

/** RFC 6238 with SHA-1, six digits. */
export const stepSeconds = 30
const digits = 6
// Plus or minus 30 seconds. Spec 5.5.
const tolerance = 1
const codeFormat = /^[0-9]{6}$/

/** RFC 4226 section 5.3. */
export function codeOfStep(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** `now` in epoch milliseconds; earliest first. */
export function matchingSteps(secret: Uint8Array, code: string, now: number): number[] {
  if (!codeFormat.test(code)) return []
  const present = Math.floor(now / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => present - tolerance + index)
  // Compares every step: the time must not reveal the match.
  return steps.filter((step) => equalInConstantTime(codeOfStep(secret, Math.max(0, step)), code))
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 section 6, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]
}
