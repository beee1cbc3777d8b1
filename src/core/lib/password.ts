import type { Words } from './languages.ts'
import { codePointLength, unstorable } from './text.ts'

const maxLength = 128

/** Message for `details`; undefined if acceptable. */
export function passwordRefusal(password: string, minLength: number): Words | undefined {
  if (!password.isWellFormed() || password.includes('\0')) {
    return unstorable
  }
  const length = codePointLength(password.normalize('NFC'))
  if (length < minLength)
    return {
      en: `must have at least ${minLength} characters`,
      de: `muss mindestens ${minLength} Zeichen haben`,
    }
  if (length > maxLength)
    return {
      en: `must have at most ${maxLength} characters`,
      de: `darf höchstens ${maxLength} Zeichen haben`,
    }
  return undefined
}
