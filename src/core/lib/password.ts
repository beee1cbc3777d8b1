import { codePointLength } from './text.ts'

const maxLength = 128

/** Message for `details`; undefined if acceptable. */
export function passwordRefusal(password: string, minLength: number): string | undefined {
  if (!password.isWellFormed() || password.includes('\0')) {
    return 'must not hold NUL characters or lone surrogates'
  }
  const length = codePointLength(password.normalize('NFC'))
  if (length < minLength) return `must have at least ${minLength} characters`
  if (length > maxLength) return `must have at most ${maxLength} characters`
  return undefined
}
