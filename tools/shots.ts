import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../test/browser/chromium.ts'
import { origin, pathOf, serveExamples } from '../test/browser/served-examples.ts'
import { shownExamples } from '../test/page-examples.ts'
import { buildWebIfStale } from './build-web.ts'

/**
 * `npm run shots [word...]`: pictures of every page in each of its states and languages, light and
 * dark, as on a phone and on a desk, in the folder `shots`; words pick pages by their names.
 */
const folder = join(import.meta.dirname, '../shots')
const screens = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const
const schemes = ['light', 'dark'] as const

await buildWebIfStale()
const words = process.argv.slice(2)
const shown = (await shownExamples()).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
if (words.length === 0) rmSync(folder, { recursive: true, force: true })
const browser = await launch()
try {
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 })
      await serveExamples(context, shown)
      const page = await context.newPage()
      for (const one of shown) {
        await page.goto(origin + pathOf(one), { waitUntil: 'load' })
        const name = `${one.example.replaceAll(' ', '-')}.${one.language}.${colorScheme}.${screen}.png`
        mkdirSync(join(folder, one.name), { recursive: true })
        await page.screenshot({ path: join(folder, one.name, name), fullPage: true })
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
}
process.stdout.write(`${shown.length * 4} pictures in ${folder}\n`)
