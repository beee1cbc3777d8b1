import type { frame } from '../languages/en/console/frame.ts'
import { ApiProblem } from './api/problem.ts'
import { LoginDeclined } from './session/ask-for-login.ts'

/** What went wrong and what to do, in words. */
export function wordsOf(problem: unknown, t: typeof frame): string {
  if (problem instanceof LoginDeclined) return t.problems.declined
  if (!(problem instanceof ApiProblem)) return t.problems.notLoaded
  const { status, error, retryAfter, details } = problem
  if (status === 0) return t.problems.unreachable
  if (status === 429) return t.problems.tooMany(retryAfter)
  if (status === 503) return t.problems.errors[error] ?? t.problems.unavailable(retryAfter)
  if (status >= 500) return t.problems.failed
  const words = t.problems.errors[error] ?? error
  return details.length === 0 ? words : `${words}: ${details.map((one) => one.message).join('; ')}`
}
