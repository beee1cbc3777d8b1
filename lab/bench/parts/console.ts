import type { Browser } from 'playwright-core'
import { launch } from '../../../test/browser/chromium.ts'
import { type Figure, type Line, median } from '../report/figure.ts'
import { admin, type Service, service } from '../service.ts'
import { type Plan, takeOnce } from '../turns.ts'

const repetitions = 20

const about = `The first view of the console in Chromium, the overview in English, of a new service on SQLite: bytes of its scripts and style sheet
as they were sent (gzip: a browser takes brotli over HTTPS alone), and milliseconds from the navigation until its heading stands and takes a
click, and until what it reads is shown; with an empty cache, and once more with what the browser has kept. Median of ${repetitions}.`

interface View {
  readonly scripts: number
  readonly styles: number
  readonly requests: number
  readonly headingMs: number
  readonly wholeMs: number
}

/** Bytes and time to the first view of the console. */
export async function consoleView(plan: Plan): Promise<Figure> {
  const target = await service(plan.nodeOptions)
  const browser = await launch()
  const { result: lines, about: taken } = await takeOnce(plan, () => measure(browser, target))
  await browser.close()
  await target.stop()
  return {
    name: 'console',
    title: 'The first view of the console',
    about,
    unit: 'ms',
    lines,
    ...taken,
  }
}

async function measure(browser: Browser, target: Service): Promise<Line[]> {
  const views: { cold: View; warm: View }[] = []
  for (let seen = 0; seen <= repetitions; seen += 1) {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1440, height: 900 },
    })
    const form = { ...admin, mode: 'session' }
    await context.request.post(`${target.url}/login`, { form })
    const page = await context.newPage()
    const look = async (): Promise<View> => {
      await page.goto('about:blank')
      await page.goto(`${target.url}/admin`, { waitUntil: 'commit' })
      await page.locator('main h1').waitFor()
      const headingMs = await page.evaluate('performance.now()')
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' })
      const wholeMs = await page.evaluate('performance.now()')
      const loaded = (await page.evaluate(`performance.getEntriesByType('resource')
        .map(({ name, encodedBodySize }) => [name, encodedBodySize])`)) as [string, number][]
      const bytes = (ending: string) =>
        loaded
          .filter(([name]) => name.endsWith(ending))
          .reduce((total, [, size]) => total + size, 0)
      return {
        scripts: bytes('.js'),
        styles: bytes('.css'),
        requests: loaded.length,
        headingMs: Number(headingMs),
        wholeMs: Number(wholeMs),
      }
    }
    const view = { cold: await look(), warm: await look() }
    await context.close()
    if (seen > 0) views.push(view)
  }
  const of = (pick: (view: { cold: View; warm: View }) => number) => [median(views.map(pick))]
  return [
    { what: 'scripts, compressed', values: of(({ cold }) => cold.scripts / 1000), unit: 'kB' },
    { what: 'style sheet, compressed', values: of(({ cold }) => cold.styles / 1000), unit: 'kB' },
    { what: 'heading, empty cache', values: of(({ cold }) => cold.headingMs) },
    { what: 'all that it reads, empty cache', values: of(({ cold }) => cold.wholeMs) },
    { what: 'heading, kept files', values: of(({ warm }) => warm.headingMs) },
    { what: 'all that it reads, kept files', values: of(({ warm }) => warm.wholeMs) },
  ]
}
