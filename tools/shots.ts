import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../test/browser/chromium.ts'
import { origin, pathOf, serveExamples } from '../test/browser/served-examples.ts'
import { shownExamples } from '../test/page-examples.ts'
import { buildWebIfStale } from './build-web.ts'
import { shootConsole } from './console-shots.ts'
import { shootDocuments } from './document-shots.ts'

/**
 * `npm run shots`: the pictures of README.md and docs, in `docs/images`. `npm run shots -- all`, or words
 * that pick pages and views by their names (those of views begin with `console/`): pictures of every
 * page in each of its states and languages, and of every view of the console, light and dark, as on a
 * phone and on a desk, in the folder `shots`.
 */
const folder = join(import.meta.dirname, '../shots')
const screens = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 900 } } as const
const schemes = ['light', 'dark'] as const

await buildWebIfStale()
const words = process.argv.slice(2)
const isAll = words.includes('all')
const isWanted = (name: string) => isAll || words.some((word) => name.includes(word))
const examples = await shownExamples()
const browser = await launch()
try {
  if (words.length === 0) {
    process.stdout.write(`${await shootDocuments(browser, examples)} pictures in docs/images\n`)
  } else {
    if (isAll) rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`${(await shootPages()) + (await shootViews())} pictures in ${folder}\n`)
  }
} finally {
  await browser.close()
}

async function shootPages(): Promise<number> {
  const shown = examples.filter(({ name }) => isWanted(name))
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
  return shown.length * 4
}

async function shootViews(): Promise<number> {
  const looks = Object.entries(screens).flatMap(([screen, viewport]) =>
    schemes.map((colorScheme) => ({ viewport, colorScheme, about: `${colorScheme}.${screen}` })),
  )
  return await shootConsole(browser, folder, looks, isWanted)
}
