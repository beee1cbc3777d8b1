import assert from 'node:assert/strict'
import type { ProtectedChange } from '../src/modules/authentication/proof-kinds.ts'
import { type Answer, type Headers, passwordOf, type TestApp } from './app.ts'
import type { TestBrowser } from './test-browser.ts'

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

/**
 * Proves the person of a browser, whose account has no password, by a fresh sign-in at a provider, for
 * one change; answers the page that comes after it.
 */
export async function confirmAtProvider(
  browser: TestBrowser,
  change: ProtectedChange,
  provider = 'default',
): Promise<Answer> {
  const csrf_token = await csrfTokenOf(browser)
  const asked = await browser.call('POST', `/account/confirm?for=${change}`, {
    form: { csrf_token, by: 'provider', provider },
  })
  assert.equal(asked.status, 303, asked.text)
  const page = await browser.call('GET', String(asked.headers.location))
  const [, url = ''] = /class="button" href="(http[^"]*)"/.exec(page.text) ?? []
  return browser.open(url.replaceAll('&amp;', '&'))
}

/** The headers of a browser that is signed in. */
export async function headersOf(browser: TestBrowser): Promise<Headers> {
  const csrf = await csrfTokenOf(browser)
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  return { cookie, 'x-csrf-token': csrf }
}

async function csrfTokenOf(browser: TestBrowser): Promise<string> {
  return (await browser.call('GET', '/api/session')).body.csrf_token
}
