import assert from 'node:assert/strict'
import type { Answer, Call, TestApp } from './app.ts'
import { navigation } from './test-browser.ts'

/** A browser without scripts that shows one page of the service: its links and its forms. */
export interface PageBrowser {
  readonly cookies: Map<string, string>
  /** The last answer that was no redirect. */
  readonly page: () => Answer
  /** The path that the address bar shows. */
  readonly path: () => string
  /** Opens a path, and follows redirects within the service. */
  open(path: string, headers?: Call['headers']): Promise<Answer>
  /** Sends a form of the page with its hidden fields and values, and follows redirects. */
  submit(fields?: Record<string, string>, which?: string): Promise<Answer>
  /** Where a redirect led out of the service; null: nowhere. */
  readonly elsewhere: () => string | null
  heading(): string
  /** The hidden fields and values of a form; the one that holds a text, the first by default. */
  form(which?: string): { action: string; fields: Record<string, string> }
}

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Makes a browser with a User-Agent, at an address. */
export function pageBrowser(
  app: TestApp,
  {
    from,
    userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  }: { from?: string; userAgent?: string } = {},
): PageBrowser {
  const cookies = new Map<string, string>()
  let page: Answer | undefined
  let path = ''
  let elsewhere: string | null = null

  async function send(method: string, to: string, call: Call = {}): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      accept: navigation,
      'accept-language': 'en',
      'user-agent': userAgent,
      ...(cookie && { cookie }),
      ...call.headers,
    }
    const answer = await app.call(method, to, { ...call, headers, ...(from && { from }) })
    for (const [name, value] of Object.entries(answer.cookies)) {
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  async function follow(method: string, to: string, call?: Call): Promise<Answer> {
    elsewhere = null
    let [answer, here] = [await send(method, to, call), to]
    for (let steps = 0; answer.status === 303; steps += 1) {
      assert.ok(steps < 5, 'it goes round in circles')
      here = String(answer.headers.location)
      if (!here.startsWith('/')) {
        elsewhere = here
        return answer
      }
      answer = await send('GET', here)
    }
    page = answer
    path = here
    return answer
  }

  const shown = () => {
    if (!page) throw new Error('no page is open')
    return page
  }

  function form(which = '') {
    const forms = [...shown().text.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
    const found = forms.find(([whole]) => whole.includes(which))
    assert.ok(found, `no form with ${which} in ${shown().text}`)
    const [, action = '', inside = ''] = found
    const fields: Record<string, string> = {}
    for (const [input] of inside.matchAll(/<input\b[^>]*>/g)) {
      const [name, value] = ['name', 'value'].map(
        (attribute) => new RegExp(`\\s${attribute}="([^"]*)"`).exec(input)?.[1],
      )
      const isLeft = input.includes('type="checkbox"') && !/\schecked\b/.test(input)
      if (name !== undefined && !isLeft) fields[name] = unescaped(value ?? '')
    }
    return { action: unescaped(action), fields }
  }

  return {
    cookies,
    page: shown,
    path: () => path,
    elsewhere: () => elsewhere,
    open: (to, headers) => follow('GET', to, { headers }),
    async submit(more = {}, which = '') {
      const { action, fields } = form(which)
      return follow('POST', action, { form: { ...fields, ...more } })
    },
    heading: () => unescaped(/<h1[^>]*>(.*?)<\/h1>/s.exec(shown().text)?.[1] ?? ''),
    form,
  }
}
