import { digest } from '../kernel/digest.ts'
import type { Random } from '../kernel/random.ts'
import { base32 } from './totp.ts'

const codeCount = 10
const codeBytes = 10 // 80 bits: a digest of it cannot be searched

/** Ten codes for the day on which the device is lost, each good for one login: `ABCD-EFGH-IJKL-MNOP`. */
export function createRecoveryCodes(random: Random): string[] {
  return Array.from({ length: codeCount }, () =>
    (base32(random.bytes(codeBytes)).match(/.{4}/g) ?? []).join('-'),
  )
}

/** What is stored of a code; case, spaces and dashes do not count. */
export function recoveryCodeDigest(code: string): string {
  return digest(code.toUpperCase().replace(/[\s-]/g, ''))
}
