import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../test/browser/chromium.ts'
import { origin, pathOf, serveExamples } from '../test/browser/served-examples.ts'
import { shownExamples } from '../test/page-examples.ts'
import { buildWebIfStale } from './build-web.ts'
import { shootConsole } from './console-shots.ts'

/**
 * `npm run shots [word...]`: pictures of every page in each of its states and languages, and of every
 * view of the console, light and dark, as on a phone and on a desk, in the folder `shots`; words pick
 * pages and views by their names, which begin with `console/`. Two of the pictures are those of
 * README.md, and are written to `docs/images` as well.
 */
const folder = join(import.meta.dirname, '../shots')
const images = join(import.meta.dirname, '../docs/images')
const screens = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } } as const
const schemes = ['light', 'dark'] as const

await buildWebIfStale()
const words = process.argv.slice(2)
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
const shown = (await shownExamples()).filter(({ name }) => isWanted(name))
if (words.length === 0) rmSync(folder, { recursive: true, force: true })
const browser = await launch()
let ofConsole = 0
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
        if (`${one.name}/${name}` === 'sign-in/with-a-sign-up.en.light.desk.png') {
          const clip = { x: 320, y: 0, width: 640, height: 580 }
          await page.screenshot({ path: join(images, 'sign-in.png'), clip })
        }
      }
      await context.close()
    }
  }
  const looks = Object.entries(screens).flatMap(([screen, viewport]) =>
    schemes.map((colorScheme) => ({ viewport, colorScheme, about: `${colorScheme}.${screen}` })),
  )
  ofConsole = await shootConsole(browser, folder, looks, isWanted, join(images, 'console.png'))
} finally {
  await browser.close()
}
process.stdout.write(`${shown.length * 4 + ofConsole} pictures in ${folder}\n`)
