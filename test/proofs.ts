import assert from 'node:assert/strict'
import { type Answer, type Headers, passwordOf, type TestApp } from './app.ts'

/** The proof of the person whom headers authenticate: the password that `app.account` has given. */
export async function proofOf(
  app: TestApp,
  headers: Headers,
): Promise<{ current_password: string } | Record<string, never>> {
  const { status, body } = await app.call('GET', '/api/account', { headers })
  if (status !== 200) return {} // an enrolment token, for example, which is a proof itself
  const isAdmin = body.username === app.admin.username
  return { current_password: isAdmin ? app.admin.password : passwordOf(body.username) }
}

/**
 * Sends a form of the own account that wants proofs, and gives them on the confirmation page; answers
 * what comes after it.
 */
export async function sendConfirmed(
  send: (path: string, form: Record<string, string>) => Promise<Answer>,
  path: string,
  form: Record<string, string>,
  proofs: Record<string, string>,
): Promise<Answer> {
  const { headers, status, text } = await send(path, form)
  const confirm = String(headers.location)
  assert.match(`${status} ${confirm}`, /^303 \/account\/confirm\?flow=[\w-]{43}$/, text)
  return send(confirm, proofs)
}
