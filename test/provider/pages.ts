import assert from 'node:assert/strict'
import type { Someone, TestApp } from '../app.ts'
import { callback } from '../clients.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'

// RFC 7636 appendix B
export const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const parameters = {
  ...{ client_id: 'notes', response_type: 'code', redirect_uri: callback, scope: 'openid' },
  ...{ state: 'x', code_challenge, code_challenge_method: 'S256' },
}
export const authorize = `/oauth/authorize?${new URLSearchParams(parameters)}`

const refresh = /http-equiv="refresh" content="0; ?url=([^"]*)"/i

/** Follows the pages that go on by themselves; answers where the browser leaves the service. */
export async function settle(browser: PageBrowser): Promise<string | null> {
  for (let steps = 0; browser.elsewhere() === null; steps += 1) {
    assert.ok(steps < 10, `it goes round in circles at ${browser.path()}`)
    const next = refresh.exec(browser.page().text)?.[1]?.replaceAll('&amp;', '&')
    if (next === undefined) return null
    if (!next.startsWith('/')) return next
    await browser.open(next)
  }
  return browser.elsewhere()
}

/** Opens a request in a browser, and goes as far as no person is asked. */
export async function open(browser: PageBrowser, address: URL | string): Promise<string | null> {
  const path = typeof address === 'string' ? address : `${address.pathname}${address.search}`
  await browser.open(path)
  return settle(browser)
}

/** Signs in at the page that is open. */
export async function signIn(browser: PageBrowser, { username, password }: Someone) {
  await browser.submit({ username, password })
  return settle(browser)
}

/** Allows what the application asks for. */
export async function allow(browser: PageBrowser): Promise<string | null> {
  await browser.submit({}, 'value="allow"')
  return settle(browser)
}

/** A browser at the consent page of the application `notes`. */
export async function asked(app: TestApp, who: Someone): Promise<PageBrowser> {
  const browser = pageBrowser(app)
  await open(browser, authorize)
  await signIn(browser, who)
  return browser
}

/** The request by which `notes` uses a code of a person. */
export async function codeFor(app: TestApp, who: Someone): Promise<Record<string, string>> {
  const at = new URL((await allow(await asked(app, who))) ?? '')
  const code = at.searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
}
