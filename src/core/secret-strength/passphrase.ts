import { isListed } from '../password-strength/breached/breached-list.ts'
import { guessingBits } from '../password-strength/guessing-bits.ts'
import { isKnownSecret } from './known-secrets.ts'

const minBits = 70

/** Attackers with the file guess without rate limit. @throws Error with advice */
export function assertStrongPassphrase(text: string): void {
  const isKnownText = isListed(text.normalize('NFC').toLowerCase()) || isKnownSecret(text)
  if (!isKnownText && guessingBits(text).bits >= minBits) return
  throw new Error(
    `the passphrase could be guessed: it must have at least ${minBits} bits, such as six words ` +
      'that dice choose from a list, or what `openssl rand -base64 16` prints',
  )
}
