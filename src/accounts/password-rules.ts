import type { Config } from '../config.ts'
import { ApiError } from '../kernel/errors.ts'
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
  const reason = refusal(password, minLength)
  if (reason)
    throw new ApiError('validationFailed', { details: [{ path: [field], message: reason }] })
}

function refusal(password: string, minLength: number): string | undefined {
  if (!password.isWellFormed() || password.includes('\0')) {
    return 'must not hold NUL characters or lone surrogates'
  }
  const length = codePointLength(password.normalize('NFC'))
  if (length < minLength) return `must have at least ${minLength} characters`
  if (length > maxLength) return `must have at most ${maxLength} characters`
  return undefined
}
