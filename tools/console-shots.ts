import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type MadeUp, withMadeUp } from './made-up.ts'

const views = join(import.meta.dirname, '../web/console/views')
const languages = { en: 'en-GB', de: 'de-DE' } as const

/** Takes pictures of every view of the console, with made-up data of a real service; returns how many. */
export async function shootConsole(
  browser: Browser,
  folder: string,
  looks: readonly (BrowserContextOptions & { readonly about: string })[],
  isWanted: (name: string) => boolean,
): Promise<number> {
  return await withMadeUp(async (madeUp) => {
    const shown = (await viewPaths(madeUp))
      .map((path) => ({ path, name: nameOf(path) }))
      .filter(({ name }) => isWanted(`console/${name}`))
    let count = 0
    for (const { about, ...look } of looks) {
      for (const [language, locale] of Object.entries(languages)) {
        const context = await browser.newContext({ ...look, locale, reducedMotion: 'reduce' })
        await signIn(context, madeUp)
        const page = await context.newPage()
        for (const { path, name } of shown) {
          await openView(page, madeUp.url + path)
          mkdirSync(join(folder, 'console', name), { recursive: true })
          const file = `${language}.${about}.png`
          await page.screenshot({ path: join(folder, 'console', name, file), fullPage: true })
          count += 1
        }
        await context.close()
      }
    }
    return count
  })
}

/** The views of the side bar, an account, an answer to "Why was this refused?", and no view. */
export async function viewPaths({ refusedId }: MadeUp): Promise<string[]> {
  const areas = await Promise.all(
    globSync('*/area.ts', { cwd: views }).map((file) => import(join(views, file))),
  )
  const paths = areas.map(({ area }) => String(area.path))
  return [...paths, '/admin/accounts/person3', `/admin/why?q=${refusedId}`, '/admin/none']
}

/** Signs the administrator in, in all windows of the context. */
export async function signIn(
  context: BrowserContext,
  { url, administrator }: MadeUp & { readonly url: string },
): Promise<void> {
  const form = { ...administrator, mode: 'session' }
  await context.request.post(`${url}/login`, { form })
}

/** Opens a view of the console and waits until it has read its data. */
export async function openView(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('main h1').first().waitFor()
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' })
  await page.waitForLoadState('networkidle')
}

function nameOf(path: string): string {
  const name =
    path.replace('/admin', '').split('?')[0]?.replaceAll('/', '-').replace(/^-/, '') ?? ''
  return `${name || 'overview'}${path.includes('?') ? '-asked' : ''}`
}
