import { type Headers, passwordOf, type TestApp } from './app.ts'

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
