import type { Answer, Call, TestApp } from './app.ts'

/**
 * The parts of a browser that a sign-in needs: cookies by host, redirects, and Strict cookies that
 * are not sent on a cross-site navigation (RFC 6265bis section 5.2).
 */
export interface TestBrowser {
  /** Follows redirects; answers the last answer, of the service or another server. */
  open(url: string): Promise<Answer>
  /** Sends a request to the service with its cookies. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** Follows redirects until one leads to the service; answers that address. */
  until(url: string): Promise<URL>
  readonly cookies: Map<string, string>
  /** All addresses that the address bar has shown. */
  readonly seen: string[]
}

/** The Accept header of a navigation in Chromium. */
export const navigation =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

const strict = 'JSESSIONID'
const maxRedirects = 20

/** The cookies of a browser, as a header. */
export function cookiesOf({ cookies }: Pick<TestBrowser, 'cookies'>): { readonly cookie: string } {
  return { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
}

/** Makes a browser without cookies; `accept` is the Accept header of its requests. */
export function testBrowser(app: TestApp, accept?: string): TestBrowser {
  const { baseUrl } = app.deps.config
  const cookies = new Map<string, string>()
  const others = new Map<string, Map<string, string>>()
  const seen: string[] = []

  async function call(method: string, path: string, more: Call = {}, crossSite = false) {
    const cookie = [...cookies]
      .filter(([name]) => !crossSite || name !== strict)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const headers = { ...(cookie && { cookie }), ...(accept && { accept }), ...more.headers }
    const answer = await app.call(method, path, { ...more, headers })
    for (const [name, value] of Object.entries(answer.cookies)) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  /** Sends a request to another server; answers the address of its redirect. */
  async function elsewhere(url: URL): Promise<URL> {
    const jar = others.get(url.host) ?? new Map<string, string>()
    others.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url} answers ${response.status} ${await response.text()}`)
    return new URL(location, url)
  }

  async function until(start: string): Promise<URL> {
    let url = new URL(start)
    for (let steps = 0; steps < maxRedirects; steps += 1) {
      seen.push(url.href)
      if (url.origin === baseUrl) return url
      url = await elsewhere(url)
    }
    throw new Error('it goes round in circles')
  }

  return {
    cookies,
    seen,
    call: (method, path, more) => call(method, path, more),
    until,
    async open(start) {
      let url = new URL(start, baseUrl)
      let crossSite = false
      for (;;) {
        url = await until(url.href)
        const answer = await call('GET', `${url.pathname}${url.search}`, {}, crossSite)
        const { location } = answer.headers
        if (answer.status !== 303 || typeof location !== 'string') return answer
        const next = new URL(location, url)
        if (next.origin !== baseUrl) crossSite = true
        url = next
      }
    },
  }
}
