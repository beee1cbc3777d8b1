import type { ApiError } from '../../core/errors.ts'
import type { PasswordProblem } from '../../core/http/pages/views/password-problem.ts'

// Messages of passwords/rules.ts, core/lib/password.ts and the schemas.
const rules: readonly (readonly [RegExp, PasswordProblem['rule']])[] = [
  [/^is required$/, 'missing'],
  [/^must have at least (\d+) characters$/, 'short'],
  [/^must (?:have at most|NOT have more than) (\d+) characters$/, 'long'],
  [/^must have at most (\d+) bytes$/, 'bytes'],
  [/^must not hold NUL/, 'characters'],
  [/name of this service$/, 'service'],
  [/the username$/, 'username'],
  [/the e-mail address$/, 'email'],
  [/one piece repeated$/, 'repeated'],
  [/neighbouring keys$/, 'keyboard'],
  [/known from breaches$/, 'known'],
  [/common word or password/, 'decorated'],
  [/differ from the present one$/, 'same'],
]

/** Null if the password was not the problem. */
export function passwordProblemOf(
  { row, details }: ApiError,
  field: string,
): PasswordProblem | null {
  if (row !== 'validationFailed') return null
  const detail = details?.find(({ path }) => path.length === 1 && path[0] === field)
  return detail ? problemOf(detail.message) : null
}

function problemOf(message: string): PasswordProblem {
  for (const [pattern, rule] of rules) {
    const found = pattern.exec(message)
    if (found && isLength(rule)) return { rule, limit: Number(found[1]) }
    if (found && !isLength(rule)) return { rule }
  }
  return { rule: 'other' }
}

function isLength(rule: PasswordProblem['rule']): rule is 'short' | 'long' | 'bytes' {
  return rule === 'short' || rule === 'long' || rule === 'bytes'
}
