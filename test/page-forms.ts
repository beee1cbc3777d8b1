import assert from 'node:assert/strict'
import type { Answer, TestApp } from './app.ts'
import type { Caller } from './example.ts'
import { cookiesOf, navigation, type TestBrowser, testBrowser } from './test-browser.ts'

/** A person at pages without scripts: opens addresses, fills in the form of a page, presses its button. */
export interface PageVisitor extends Pick<TestBrowser, 'call' | 'cookies'> {
  /** Opens an address and follows its redirects to a page, which the next `press` belongs to. */
  open(path: string): Promise<Answer>
  /** Sends the first form of the page, with these fields, and follows what it answers. */
  press(fields?: Record<string, string>): Promise<Answer>
  /** Sends it, and answers without following. */
  send(fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** The address in the address bar. */
  at(): string
  /** The last page. */
  page(): Answer
}

export function pageVisitor(app: TestApp): PageVisitor {
  const browser = testBrowser(app, navigation)
  let page: Answer | undefined
  let at = ''

  const shown = () => page ?? assert.fail('no page was opened')

  async function open(path: string): Promise<Answer> {
    let next = path
    for (let steps = 0; steps < 5; steps += 1) {
      at = next
      const answer = await browser.call('GET', next)
      page = answer
      if (answer.status !== 303) return answer
      next = String(answer.headers.location)
    }
    throw new Error(`${path} goes round in circles`)
  }

  function send(fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const { action, hidden } = formOf(shown())
    return browser.call('POST', action, { form: { ...hidden, ...fields }, headers })
  }

  return {
    cookies: browser.cookies,
    call: browser.call,
    open,
    send,
    async press(fields) {
      const answer = await send(fields)
      if (answer.status === 303) return open(String(answer.headers.location))
      page = answer
      return answer
    },
    at: () => at,
    page: shown,
  }
}

/** The first form of a page: where it goes, and its hidden fields. */
export function formOf({ text }: Pick<Answer, 'text'>) {
  const [form = ''] = /<form .*?<\/form>/s.exec(text) ?? []
  const [, action] = /action="([^"]*)"/.exec(form) ?? []
  if (action === undefined) throw new Error(`no form in ${text}`)
  const hidden: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const [, name = ''] = /name="([^"]*)"/.exec(input) ?? []
    const [, value = ''] = /value="([^"]*)"/.exec(input) ?? []
    hidden[name] = value
  }
  return { action: action.replaceAll('&amp;', '&'), hidden }
}

/** The request that sends the first form of a page, with these fields, in a browser of its own. */
export async function formAt(app: TestApp, path: string, fields: Record<string, string> = {}) {
  const visitor = pageVisitor(app)
  await visitor.open(path)
  const { action, hidden } = formOf(visitor.page())
  const headers = { ...cookiesOf(visitor), accept: navigation }
  return { path: action, form: { ...hidden, ...fields }, headers }
}

/** The request of a browser that follows the answer to a form, which a caller with a session sends. */
export async function afterForm(
  app: TestApp,
  { headers }: Pick<Caller, 'headers'>,
  path: string,
  fields: Record<string, string>,
) {
  const browser = testBrowser(app, navigation)
  const { cookie = '', 'x-csrf-token': csrf_token = '' } = headers
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  const answer = await browser.call('POST', path, { form: { csrf_token, ...fields } })
  assert.equal(answer.status, 303, answer.text)
  return { path: String(answer.headers.location), headers: cookiesOf(browser) }
}

/** The heading of a page, and its problem or notice as text. */
export function readPage({ text }: Pick<Answer, 'text'>) {
  const plain = (html = '') =>
    html
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  const [, heading] = /<h1>(.*?)<\/h1>/s.exec(text) ?? []
  const [, problem] = /id="problem"[^>]*>(.*?)<\/div>/s.exec(text) ?? []
  return { heading: plain(heading), problem: plain(problem), text: plain(text) }
}
