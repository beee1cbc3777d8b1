import assert from 'node:assert/strict'
import type { Someone } from '../app.ts'
import type { PageBrowser } from '../page-browser.ts'

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
