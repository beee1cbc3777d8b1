import { ApiProblem, problemOf } from '../api/problem.ts'
import { hasPasskeys } from './has-passkeys.ts'
import { restoreSession } from './session.ts'

interface Credentials {
  readonly username: string
  readonly password: string
  /** A code of the app; empty at first. */
  readonly totp: string
}

/** Logs in again by a passkey. @throws ApiProblem; DOMException if the person gives up */
export async function logInByPasskey(): Promise<'done'> {
  const asked = await fetch('/api/public/passkeys/options', { method: 'POST' })
  if (!asked.ok) throw await refusalOf(asked)
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await asked.json())
  const passkey = await navigator.credentials.get({ publicKey })
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ passkey, mode: 'session' }), // by its toJSON
  })
  if (!answer.ok) throw await refusalOf(answer)
  return takeSession()
}

/**
 * Logs in again in this page. 'code': the account has an authenticator app, whose code is missing or
 * wrong. Asks for the passkey of an account without an app. @throws ApiProblem for any other refusal;
 * DOMException if the person gives up
 */
export async function logIn({ username, password, totp }: Credentials): Promise<'done' | 'code'> {
  const fields = { mode: 'session', username, password, ...(totp !== '' && { totp }) }
  const answer = await fetch('/login', { method: 'POST', body: new URLSearchParams(fields) })
  if (answer.ok) return takeSession()
  const wanted = await answer.json().catch(() => null)
  const problem = problemOf(answer, wanted)
  if (problem.error !== 'Second factor required') throw problem
  const kinds: readonly string[] = wanted.second_factors ?? [wanted.second_factor]
  if (kinds.includes('totp')) return 'code'
  if (!hasPasskeys()) throw problem
  return logInByPasskey()
}

async function refusalOf(answer: Response): Promise<ApiProblem> {
  return problemOf(answer, await answer.json().catch(() => null))
}

async function takeSession(): Promise<'done'> {
  if (await restoreSession()) return 'done'
  throw new ApiProblem({ status: 401, error: 'Authentication required' })
}
