import { readFileSync } from 'node:fs'
import type { BrowserContext } from 'playwright-core'
import { securityHeaders } from '../../src/core/http/headers.ts'
import { builtPages } from '../../src/core/http/pages/renderer.ts'
import { policiesOf } from '../../src/core/http/pages/send-html.ts'
import type { Shown } from '../page-examples.ts'

/** Where a browser finds the examples: a name that is never looked up. */
export const origin = 'https://pages.example'

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The path of an example. */
export function pathOf({ name, example, language }: Omit<Shown, 'text'>): string {
  return `/${[name, example, language].map(encodeURIComponent).join('/')}`
}

/** Answers a browser's requests with the examples and their files, with the headers of the service. */
export async function serveExamples(
  context: BrowserContext,
  shown: readonly Shown[],
): Promise<void> {
  // None goes on by itself to another page, which is not there.
  const still = (text: string) => text.replace(/<meta http-equiv="refresh"[^>]*>/, '')
  const texts = new Map(shown.map((one) => [pathOf(one), still(one.text)]))
  await context.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const text = texts.get(pathname)
    if (text !== undefined) {
      const headers = {
        ...securityHeaders,
        'content-security-policy': policiesOf(null).join(', '),
        'content-type': 'text/html; charset=utf-8',
      }
      return route.fulfill({ body: text, headers })
    }
    const [, file = ''] = /^\/assets\/[\w-]+\/([\w.-]+)$/.exec(pathname) ?? []
    const type = types[file.split('.').at(-1) ?? '']
    if (type === undefined) return route.fulfill({ status: 404, body: '' })
    const folder =
      file === 'icon.svg'
        ? new URL('../../src/core/http/pages/', import.meta.url)
        : new URL('client/', builtPages)
    return route.fulfill({
      body: readFileSync(new URL(file, folder)),
      headers: { 'content-type': type },
    })
  })
}
