import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { origin, pathOf, serveExamples } from '../test/browser/served-examples.ts'
import type { Shown } from '../test/page-examples.ts'
import { openView, signIn } from './console-shots.ts'
import { withMadeUp } from './made-up.ts'
import { smallPng } from './small-png.ts'

const images = join(import.meta.dirname, '../docs/images')
const form = { width: 640, height: 400 }
const wide = { width: 1000, height: 700 }
const desk = { width: 1280, height: 800 }
const phone = { width: 360, height: 740 }

interface Look {
  readonly size: { readonly width: number; readonly height: number }
  readonly scheme?: 'dark'
  /** Cut below the window. By default the whole page is shown. */
  readonly isCut?: boolean
}

/** File of the picture, name and state of the page. */
const pages: readonly (readonly [file: string, name: string, example: string, look: Look])[] = [
  ['sign-in', 'sign-in', 'with a sign-up', { size: form }],
  ['sign-in-dark', 'sign-in', 'with a sign-up', { size: form, scheme: 'dark' }],
  ['code', 'sign-in-second-factor', 'first', { size: form }],
  ['consent', 'provider-consent', 'plain', { size: form }],
  ['account', 'account', 'plain', { size: wide }],
  ['account-phone', 'account', 'plain', { size: phone, scheme: 'dark', isCut: true }],
  ['home', 'home', 'with providers', { size: form }],
]

const cut = { size: desk, isCut: true } as const

/** File of the picture, and path on the service of made-up data. */
const views: readonly (readonly [file: string, path: string, look: Look])[] = [
  ['console', '/admin', cut],
  ['console-dark', '/admin', { ...cut, scheme: 'dark' }],
  ['accounts', '/admin/accounts', cut],
  ['accounts-phone', '/admin/accounts', { size: phone, scheme: 'dark', isCut: true }],
  ['audit', '/admin/audit', cut],
  ['why', '/admin/why?q=', cut],
  ['settings', '/admin/settings', cut],
  ['dev-mail', '/dev/mail', cut],
]

/** Writes the pictures of README.md and docs to `docs/images`; returns how many. */
export async function shootDocuments(browser: Browser, shown: readonly Shown[]): Promise<number> {
  for (const [file, name, example, look] of pages) {
    const one = shown.find(
      (other) => other.name === name && other.example === example && other.language === 'en',
    )
    if (!one) throw new Error(`there is no example "${example}" of the page ${name}`)
    await withPage(browser, look, async (page) => {
      await serveExamples(page.context(), [one])
      await page.goto(origin + pathOf(one), { waitUntil: 'load' })
      await shoot(page, file, look)
    })
  }
  await withMadeUp(async (madeUp) => {
    // One login for all pictures: each is in the audit log.
    const signedIn = await browser.newContext()
    await signIn(signedIn, madeUp)
    const storageState = await signedIn.storageState()
    await signedIn.close()
    for (const [file, path, look] of views) {
      await withPage(browser, { ...look, storageState }, async (page) => {
        await openView(page, `${madeUp.url}${path}${path.endsWith('=') ? madeUp.refusedId : ''}`)
        await shoot(page, file, look)
      })
    }
  })
  return pages.length + views.length
}

async function withPage(
  browser: Browser,
  { size, scheme, storageState }: Look & Pick<BrowserContextOptions, 'storageState'>,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: scheme ?? 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...(storageState && { storageState }),
  })
  await use(await context.newPage())
  await context.close()
}

async function shoot(page: Page, file: string, { isCut = false }: Look): Promise<void> {
  const picture = await page.screenshot({ fullPage: !isCut })
  writeFileSync(join(images, `${file}.png`), smallPng(picture))
}
