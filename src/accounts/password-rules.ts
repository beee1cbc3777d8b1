import type { Config } from '../config.ts'
import { refuseField } from '../kernel/errors.ts'
import { codePointLength } from '../kernel/username.ts'

const maxLength = 128

/**
 * The rules for a new password: 12 to 128 code points after NFC, no composition rules. Spec 5.6.
 * @param field the name that `details` shows
 * @throws ApiError validationFailed
 */
export function assertAcceptablePassword(
  password: string,
  field: string,
  { password: { minLength } }: Pick<Config, 'password'>,
): void {
  const reason = passwordRefusal(password, minLength)
  if (reason) refuseField([field], reason)
}

/** Why a text cannot be a new password, in the words of `details`; undefined where it can. */
export function passwordRefusal(password: string, minLength: number): string | undefined {
  if (!password.isWellFormed() || password.includes('\0')) {
    return 'must not hold NUL characters or lone surrogates'
  }
  const length = codePointLength(password.normalize('NFC'))
  if (length < minLength) return `must have at least ${minLength} characters`
  if (length > maxLength) return `must have at most ${maxLength} characters`
  return undefined
}
