import { ApiProblem, problemOf } from '../api/problem.ts'
import { restoreSession } from './session.ts'

interface Credentials {
  readonly username: string
  readonly password: string
  /** A code of the app; empty at first. */
  readonly totp: string
}

/**
 * Logs in again in this page. 'code': the account has a second factor, whose code is missing or
 * wrong. @throws ApiProblem for any other refusal
 */
export async function logIn({ username, password, totp }: Credentials): Promise<'done' | 'code'> {
  const fields = { mode: 'session', username, password, ...(totp !== '' && { totp }) }
  const answer = await fetch('/login', { method: 'POST', body: new URLSearchParams(fields) })
  if (!answer.ok) {
    const body: unknown = await answer.json().catch(() => null)
    const problem = problemOf(answer, body)
    if (problem.error === 'Second factor required') return 'code'
    throw problem
  }
  const restored = await restoreSession()
  if (!restored) throw new ApiProblem({ status: 401, error: 'Authentication required' })
  return 'done'
}
