import assert from 'node:assert/strict'
import * as client from 'openid-client'
import type { Answer, Someone, TestApp, TestOptions } from '../app.ts'
import { testApp } from '../app.ts'
import { callback, clientsFile, secretOf } from '../clients.ts'
import { clockOfToday } from '../identity-provider.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { allow, open, signIn } from './pages.ts'

export { application, callback } from '../clients.ts'
export { allow, open, settle, signIn } from './pages.ts'

export const issuer = 'http://127.0.0.1:3000'

/** An application without a secret. */
export function publicApplication(id: string, more: object = {}) {
  return { id, type: 'spa', name: 'Notes', redirect_uris: [callback], ...more }
}

/** A service that applications sign in at, by the clock of the machine. */
export function providerApp(
  clients: readonly object[],
  env: Record<string, string> = {},
  options: TestOptions = {},
): Promise<TestApp> {
  return testApp(
    { PROVIDER: 'on', CLIENTS_FILE: clientsFile(clients), ...env },
    { clock: clockOfToday(), ...options },
  )
}

/** An application with a certified client library, which speaks to the service over real HTTP. */
export async function relyingParty(
  app: TestApp,
  id: string,
  { url, secret = secretOf(id) }: { readonly url?: string; readonly secret?: string | null } = {},
): Promise<client.Configuration> {
  const base = url ?? (await listening(app))
  const own: client.CustomFetch = (asked, options) =>
    fetch(asked.replace(issuer, base), options as RequestInit)
  const auth = secret === null ? client.None() : client.ClientSecretBasic(secret)
  return client.discovery(new URL(issuer), id, {}, auth, {
    [client.customFetch]: own,
    execute: [client.allowInsecureRequests],
  })
}

const urls = new WeakMap<TestApp, Promise<string>>()

export function listening(app: TestApp): Promise<string> {
  return urls.getOrInsertComputed(app, async () => (await app.listen()).url)
}

export interface Request {
  readonly address: URL
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** A request of an application, with all that protects it. */
export async function request(
  rp: client.Configuration,
  more: Record<string, string> = {},
): Promise<Request> {
  const verifier = client.randomPKCECodeVerifier()
  const [state, nonce] = [client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(rp, {
    redirect_uri: callback,
    scope: 'openid profile email groups',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...{ state, nonce },
    ...more,
  })
  return { address, verifier, state, nonce }
}

/** The tokens of a code. */
export function redeem(
  rp: client.Configuration,
  { nonce, state, verifier }: Request,
  address: string | null,
  more: Record<string, string> = {},
) {
  assert.ok(address?.startsWith(callback), `at the application: ${address}`)
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  return client.authorizationCodeGrant(rp, new URL(address ?? ''), checks, more)
}

/** Signs a person in at an application: a browser, and what the application got. */
export async function signedIn(
  app: TestApp,
  rp: client.Configuration,
  someone: Someone,
  { browser = pageBrowser(app), ...more }: { browser?: PageBrowser; [name: string]: unknown } = {},
) {
  const asked = await request(rp, more as Record<string, string>)
  let at = await open(browser, asked.address)
  if (at === null && browser.path().startsWith('/signin')) at = await signIn(browser, someone)
  if (at === null) at = await allow(browser)
  return { browser, tokens: await redeem(rp, asked, at) }
}

/** The error of a refused grant. */
export async function errorOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (error instanceof client.ResponseBodyError) return `${error.status} ${error.error}`
    if (error instanceof client.AuthorizationResponseError) return error.error
    throw error
  }
  return 'no error'
}

/** Whether a token is live, as userinfo says. */
export async function userinfo(app: TestApp, token: string): Promise<Answer> {
  return app.call('GET', '/oauth/userinfo', { headers: { authorization: `Bearer ${token}` } })
}
