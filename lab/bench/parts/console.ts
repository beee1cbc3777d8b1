import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'
import { executablePath, launch } from '../../../test/browser/chromium.ts'
import type { Figure } from '../report/figure.ts'
import type { Service } from '../service.ts'
import { type Contender, linesOf, type Plan, takeTurns } from '../turns.ts'
import { seeded, sessionOf } from './seeded.ts'

const about = `Milliseconds from the start of a navigation to \`/admin\` until the heading of the overview is painted, in Debian's headless
Chromium on the same two cores, signed in already: with an empty cache, and with the files that an earlier visit has kept. The browser
reports when the frame with the heading was shown (Element Timing). Each visit begins in an empty tab that was opened a second before, because a new
window occupies the browser. SQLite with 1,000 users.`

const newTabMs = 1000
const [empty, kept] = ['empty cache', 'kept files'] as const

export async function console(plan: Plan): Promise<Figure> {
  const figure = { name: 'console', title: 'First view of the console', about, unit: 'ms' } as const
  if (!existsSync(executablePath)) {
    const lines = [empty, kept].map((what) => ({ what, values: [], missing: 'not installed' }))
    const at = new Date().toISOString()
    return { ...figure, lines, at, turns: 'none', loadBefore: 0, others: 0 }
  }
  const data = await seeded(plan, 'SQLite', 1000)
  const service = await data.start()
  const browser = await launch()
  const { cookie } = await sessionOf(service)
  const signedIn = async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const [name = '', value = ''] = cookie.split('=', 2)
    await context.addCookies([{ name, value, url: service.url }])
    await context.addInitScript(watchHeading)
    return context
  }
  const earlier = await signedIn()
  const contenders: Contender[] = [
    {
      name: empty,
      async run() {
        const context = await signedIn()
        const rate = await visit(context, service)
        await context.close()
        return { rate }
      },
    },
    { name: kept, run: async () => ({ rate: await visit(earlier, service) }) },
  ]
  const { samples, about: taken } = await takeTurns(plan, contenders, empty)
  await browser.close()
  await service.stop()
  await data.close()
  const goals = {
    [empty]: [{ to: 'itself', atMost: 300 }],
    [kept]: [{ to: 'itself', atMost: 200 }],
  }
  return { ...figure, lines: linesOf(contenders, samples, goals), ...taken }
}

/** Runs before the page's scripts. `paintedAt` resolves with the time at which the heading was painted. */
const watchHeading = `globalThis.paintedAt = new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()[0].renderTime)).observe({ type: 'element' })
  new MutationObserver((_, observer) => {
    const heading = document.querySelector('main h1')
    if (!heading) return
    heading.setAttribute('elementtiming', 'heading')
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
})`

/** One visit, until everything of the view is read. */
async function visit(context: BrowserContext, { url }: Service): Promise<number> {
  const page = await context.newPage()
  await wait(newTabMs)
  await page.goto(`${url}/admin`)
  const paintedAt: unknown = await page.evaluate('paintedAt')
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' })
  await page.close()
  return Number(paintedAt)
}
