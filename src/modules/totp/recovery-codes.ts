import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { base32 } from './totp.ts'

const codeCount = 10
const codeBytes = 10 // 80 bits: a digest cannot be brute-forced

/** Ten codes like `ABCD-EFGH-IJKL-MNOP`; single use. */
export function createRecoveryCodes(random: Random): string[] {
  return Array.from({ length: codeCount }, () =>
    (base32(random.bytes(codeBytes)).match(/.{4}/g) ?? []).join('-'),
  )
}

/** Ignores case, spaces and dashes. */
export function recoveryCodeDigest(code: string): string {
  return digest(code.toUpperCase().replace(/[\s-]/g, ''))
}
