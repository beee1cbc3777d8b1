import type { Problem } from '../../core/errors.ts'
import { type ErrorWithBody, errorWith } from '../../core/http/declared-error.ts'
import { errors } from './problems.ts'

/** The error of the library in our list; undefined: a failure of ours. */
export function problemFor(status: number, error: unknown): Problem | undefined {
  return errors.find((one) => one.status === status && one.error === error)
}

export function described(row: Problem): ErrorWithBody {
  const text = { type: 'string', description: 'What is wrong, for developers' } as const
  return errorWith(row, { error_description: text }, { error_description: 'what is wrong' })
}
