import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startWorld } from './world.ts'

const manifest = join(import.meta.dirname, '../../web/dist/built.json')
const built: Readonly<Record<string, { file: string; imports?: string[] }>> = JSON.parse(
  readFileSync(manifest, 'utf8'),
)

/** The files of what comes when the view stands: plots, and the tables of the throttle. */
const later = new Set(
  Object.entries(built).flatMap(([source, { file, imports = [] }]) =>
    /^console\/(components\/plot|views\/throttle)\//.test(source)
      ? [file, ...imports.flatMap((one) => built[one]?.file ?? [])].map((one) => basename(one))
      : [],
  ),
)

suite('the first view of the console', async () => {
  const world = await startWorld()
  const status = /\/api\/admin\/status$/
  const session = /\/api\/session$/

  test('session and first data are asked for at the same time, once', async () => {
    const hand = await world.window()
    const asked = askedBy(hand.page)
    const dataAsked = hand.page.waitForRequest(status)
    // The session is not answered before the data is asked for.
    await hand.page.route(session, async (route) => {
      await dataAsked
      await route.continue()
    })
    await hand.open('/admin')
    assert.equal(await hand.heading(), 'Overview')
    for (const path of ['/api/session', '/api/admin/status', '/api/admin/statistics']) {
      assert.equal(asked.filter((one) => one === path).length, 1, path)
    }
    await hand.close()
  })

  test('the page names the scripts that are loaded, and no other', async () => {
    for (const locale of ['en-GB', 'de-DE']) {
      const hand = await world.window(undefined, { locale })
      const { page } = hand
      const asked = askedBy(page)
      const named: string[] = []
      await page.route(`${world.url}/admin`, async (route) => {
        const answer = await route.fetch()
        const text = await answer.text()
        for (const [, file = ''] of text.matchAll(/rel="modulepreload" href="([^"]*)"/g)) {
          named.push(file)
        }
        // What is asked for without them is what the scripts need.
        const body = text.replaceAll(/<link rel="(?:modulep|p)reload"[^>]*>/g, '')
        await route.fulfill({ response: answer, body })
      })
      await hand.open('/admin')
      const [entry = '', ...loaded] = asked.filter((path) => path.endsWith('.js'))
      assert.match(entry, /\/console\.js$/)
      const before = loaded.filter((path) => named.includes(path) || !later.has(basename(path)))
      assert.deepEqual(before.toSorted(), named.toSorted(), locale)
      await hand.close()
    }
  })

  test('a session that has ended meanwhile: nothing is shown, and no login is asked for', async () => {
    const hand = await world.window()
    const { page } = hand
    await page.route(/\/api\//, (route) =>
      route.fulfill({ status: 401, json: { error: 'Authentication required' } }),
    )
    await hand.open('/admin')
    assert.equal(await hand.heading(), 'Nothing is here')
    assert.equal(await page.locator('nav.areas a').count(), 0)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await hand.close()
  })

  test('an EDITOR asks for nothing of administrators', async () => {
    const hand = await world.window(await world.account('ella', ['EDITOR']))
    const asked = askedBy(hand.page)
    await hand.open('/admin')
    await hand.page.waitForURL('**/admin/posts')
    await hand.settled()
    const ofApi = asked.filter((path) => path.startsWith('/api/'))
    assert.deepEqual(ofApi, ['/api/session', '/api/editor/posts'])
    assert.ok(!asked.some((path) => path.endsWith('/overview.js')))
    await hand.close()
  })

  test('a view that does not load says so in its frame, and a button tries again', async () => {
    const hand = await world.window()
    const { page } = hand
    await page.route(/\/overview\.js$/, (route) => route.abort())
    await page.goto(`${world.url}/admin`)
    const button = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await button.waitFor()
    await page.locator('nav.areas').getByRole('link', { name: 'Accounts' }).waitFor()
    await page.unroute(/\/overview\.js$/)
    await button.click()
    await hand.settled()
    assert.equal(await hand.heading(), 'Overview')
    await hand.close()
  })
})

/** The paths that a page asks for from now on. */
function askedBy(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  return paths
}
