import { formOf } from '../../test/page-forms.ts'
import type { Attempt, Kind } from './compare.ts'

export interface Sent {
  readonly method?: 'POST' | 'PUT'
  readonly path: string
  readonly body: () => object
  /** Prepares the request, unmeasured; answers further headers. */
  readonly prepare?: () => Promise<Readonly<Record<string, string>>>
}

let tries = 0

export const attempts = () => tries

// Each attempt comes from another address, so that no limit of a client is exceeded.
function nextClient(): Record<string, string> {
  tries += 1
  const address = `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`
  return { 'x-forwarded-for': address }
}

/** An attempt of one request with a JSON body. */
export function json(url: string, { method = 'POST', path, body: bodyOf, prepare }: Sent): Kind {
  return async () => {
    const headers = { ...nextClient(), 'content-type': 'application/json', ...(await prepare?.()) }
    const body = JSON.stringify(bodyOf())
    const { milliseconds, response, text } = await timed(url + path, { method, headers, body })
    return { milliseconds, look: lookOf(response, text, []) }
  }
}

/**
 * An attempt by a form: opens the page without scripts and sends its form, which alone is measured.
 * Follows the next page too.
 */
export function form(url: string, path: string, fieldsOf: () => Record<string, string>): Kind {
  return async (): Promise<Attempt> => {
    const headers = { ...nextClient(), 'sec-fetch-site': 'same-origin', accept: 'text/html' }
    const page = await fetch(url + path, { headers })
    const { action, hidden } = formOf({ text: await page.text() })
    const cookie = page.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ')
    const fields = fieldsOf()
    const secrets = [...Object.values(hidden), ...Object.values(fields)]
    const { milliseconds, response, text } = await timed(url + action, {
      method: 'POST',
      headers: { ...headers, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...hidden, ...fields }).toString(),
      redirect: 'manual',
    })
    let look = lookOf(response, text, secrets)
    const next = response.headers.get('location')
    if (next !== null) {
      const after = await fetch(url + next, { headers: { ...headers, cookie } })
      look += `\n${lookOf(after, await after.text(), secrets)}`
    }
    return { milliseconds, look }
  }
}

async function timed(url: string, request: RequestInit) {
  const start = performance.now()
  const response = await fetch(url, request)
  const text = await response.text()
  return { milliseconds: performance.now() - start, response, text }
}

// What is new at each answer whatever was asked, and what follows from the length of what was typed.
const changing = ['date', 'x-request-id', 'content-length', 'set-cookie', 'etag']

/** All that an answer shows, without what was typed, ids, nonces and times. */
function lookOf(response: Response, text: string, typed: readonly string[]): string {
  const headers = [...response.headers]
    .map(([name, value]) => (changing.includes(name) ? name : `${name}: ${value}`))
    .sort()
  let shown = `${response.status} ${text} ${headers.join(' | ')}`
  for (const value of typed) if (value.length > 3) shown = shown.replaceAll(value, 'typed')
  return shown
    .replace(/"expires_at":"[^"]{24}"/g, 'end')
    .replace(/"retry_after":\d+/g, 'wait')
    .replace(/<time[^>]*>[^<]*<\/time>/g, 'time')
    .replace(/[\w-]{22,}/g, (word) => (/\d|[A-Z]/.test(word) ? 'random' : word))
}
