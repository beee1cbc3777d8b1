import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { base32 } from './totp.ts'

const codeCount = 10
const codeBytes = 10 // 80 bits: too many for a search for the code of a digest

/** Creates ten recovery codes like `ABCD-EFGH-IJKL-MNOP`; each replaces a TOTP code once. */
export function createRecoveryCodes(random: Random): string[] {
  return Array.from({ length: codeCount }, () =>
    (base32(random.bytes(codeBytes)).match(/.{4}/g) ?? []).join('-'),
  )
}

/** The stored digest of a code; it ignores case, spaces and dashes. */
export function recoveryCodeDigest(code: string): string {
  return digest(code.toUpperCase().replace(/[\s-]/g, ''))
}
