import { codePointLength } from './text.ts'

const maxLength = 128

/**
 * Answers the message of `details` for a text that cannot be a new password, otherwise undefined.
 */
export function passwordRefusal(password: string, minLength: number): string | undefined {
  if (!password.isWellFormed() || password.includes('\0')) {
    return 'must not hold NUL characters or lone surrogates'
  }
  const length = codePointLength(password.normalize('NFC'))
  if (length < minLength) return `must have at least ${minLength} characters`
  if (length > maxLength) return `must have at most ${maxLength} characters`
  return undefined
}
