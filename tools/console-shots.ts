import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { madeUpPassword, makeUp } from './made-up.ts'
import { startService } from './service.ts'

const views = join(import.meta.dirname, '../web/console/views')
const languages = { en: 'en-GB', de: 'de-DE' } as const

/**
 * Pictures of every view of the console, with made-up data of a real service; answers how many. The
 * upper part of the overview is written to `documented` as well.
 */
export async function shootConsole(
  browser: Browser,
  folder: string,
  looks: readonly (BrowserContextOptions & { readonly about: string })[],
  isWanted: (name: string) => boolean,
  documented: string,
): Promise<number> {
  const areas = await Promise.all(
    globSync('*/area.ts', { cwd: views }).map((file) => import(join(views, file))),
  )
  const paths = areas.map(({ area }) => String(area.path))
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: madeUpPassword,
    LOG_LEVEL: 'info', // its address is in the log
    WORKERS: '1',
  })
  try {
    const { administrator, refusedId } = await makeUp(service)
    const shown = [...paths, '/admin/accounts/person3', `/admin/why?q=${refusedId}`, '/admin/none']
      .map((path) => ({ path, name: nameOf(path) }))
      .filter(({ name }) => isWanted(`console/${name}`))
    let count = 0
    for (const { about, ...look } of looks) {
      for (const [language, locale] of Object.entries(languages)) {
        const context = await browser.newContext({ ...look, locale, reducedMotion: 'reduce' })
        const form = { ...administrator, mode: 'session' }
        await context.request.post(`${service.url}/login`, { form })
        const page = await context.newPage()
        for (const { path, name } of shown) {
          await page.goto(service.url + path)
          await page.locator('main h1').first().waitFor()
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' })
          await page.waitForLoadState('networkidle')
          mkdirSync(join(folder, 'console', name), { recursive: true })
          const file = `${language}.${about}.png`
          await page.screenshot({ path: join(folder, 'console', name, file), fullPage: true })
          if (`${name}/${file}` === 'overview/en.light.desk.png') {
            await page.screenshot({ path: documented })
          }
          count += 1
        }
        await context.close()
      }
    }
    return count
  } finally {
    await service.stop()
    service.remove()
  }
}

function nameOf(path: string): string {
  const name =
    path.replace('/admin', '').split('?')[0]?.replaceAll('/', '-').replace(/^-/, '') ?? ''
  return `${name || 'overview'}${path.includes('?') ? '-asked' : ''}`
}
