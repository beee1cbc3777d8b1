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

/** `now` in epoch milliseconds; earliest first. A code that is no text matches none. */
export function matchingSteps(secret: Uint8Array, code: unknown, now: number): number[] {
  if (typeof code !== 'string' || !codeFormat.test(code)) return []
  const present = Math.floor(now / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => present - tolerance + index)
  // Compares every step: the time must not reveal the match.
  return steps.filter((step) => equalInConstantTime(codeOfStep(secret, Math.max(0, step)), code))
}
