import { isListed } from '../password-strength/breached/breached-list.ts'
import { guessingBits } from '../password-strength/guessing-bits.ts'
import { isKnownSecret } from './known-secrets.ts'

const minBits = 70

/**
 * Asserts that a new passphrase cannot be guessed by an attacker who has the file, whose guesses no
 * rate limit counts. @throws Error with a sentence that says how to make a good one
 */
export function assertStrongPassphrase(text: string): void {
  const isKnownText = isListed(text.normalize('NFC').toLowerCase()) || isKnownSecret(text)
  if (!isKnownText && guessingBits(text).bits >= minBits) return
  throw new Error(
    `the passphrase could be guessed: it must have at least ${minBits} bits, such as six words ` +
      'that dice choose from a list, or what `openssl rand -base64 16` prints',
  )
}
