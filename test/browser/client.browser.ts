import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client, Store } from '../../packages/client/src/index.ts'
import { copyPackage } from '../../tools/build-packages.ts'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { launch } from './chromium.ts'

const password = 'a password for browsers'

/** What the scripts of a page have: a client for sessions, and one for a pair that tabs share. */
declare global {
  var session: Client
  var pair: Client
  var shared: Store
}
const pageOf = (gatehouse: string) => `<!doctype html><title>A page</title>
<link rel="icon" href="data:,"><script type="module">
  import { createClient, sharedStore } from '/dist/index.js'
  globalThis.shared = sharedStore()
  globalThis.session = createClient({ url: '${gatehouse}', mode: 'session' })
  globalThis.pair = createClient({ url: '${gatehouse}', mode: 'pair', store: shared })
</script>`

/** Only a browser has tabs, Web Locks between them, and its own rules for cookies. */
suite('packages/client in a real browser', async () => {
  const [pagePort, port] = [await freePort(), await freePort()]
  const gatehouse = `http://localhost:${port}`
  const origins = [`http://localhost:${pagePort}`, `http://127.0.0.1:${pagePort}`] as const
  const [sameSite, otherSite] = origins
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ ADMIN_PASSWORD: password, BASE_URL: gatehouse, PORT: String(port) },
    CORS_ORIGINS: origins.join(),
    ...{ REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0', ACCESS_TOKEN_SECONDS: '60' },
  })
  const built = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await copyPackage('client', built)
  const pages = createServer(({ url = '/' }, response) => {
    const isScript = url.startsWith('/dist/')
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? readFileSync(join(built, url)) : pageOf(gatehouse))
  }).listen(pagePort)
  await once(pages, 'listening')
  const browser = await launch()
  after(async () => {
    await browser.close()
    pages.close()
    await service.stop()
    service.remove()
    rmSync(built, { recursive: true })
  })

  /** Tabs of one browser. */
  async function tabs(origin: string, count: number): Promise<Page[]> {
    const context = await browser.newContext()
    const opened = await Promise.all(Array.from({ length: count }, () => context.newPage()))
    await Promise.all(opened.map((page) => page.goto(origin)))
    return opened
  }
  const credentials = { username: 'admin', password }
  const transfer = (page: Page) =>
    page.evaluate(async () => (await session.call('POST', '/api/transfer')).data.message)

  test('a session lives through a reload, and a sign-in in another tab', async () => {
    const [one = assert.fail(), other = assert.fail()] = await tabs(sameSite, 2)
    assert.equal(await one.evaluate(() => session.isSignedIn()), false)
    await one.evaluate((given) => session.signIn(given), credentials)
    assert.equal(await transfer(one), 'Transfer accepted')
    assert.equal(await one.evaluate('document.cookie'), '')
    await one.reload()
    assert.equal(await transfer(one), 'Transfer accepted')
    await other.evaluate((given) => session.signIn(given), credentials)
    assert.equal(await transfer(one), 'Transfer accepted')
    await other.evaluate(() => session.signOut())
    assert.equal(await one.evaluate(() => session.isSignedIn()), false)
  })

  test('a page of another site has no session', async () => {
    const [page = assert.fail()] = await tabs(otherSite, 1)
    await page.evaluate((given) => session.signIn(given), credentials)
    assert.equal(await page.evaluate(() => session.isSignedIn()), false)
  })

  test('three tabs of another site renew one pair by one refresh, and end it together', async () => {
    const all = await tabs(otherSite, 3)
    const [first = assert.fail(), second = assert.fail()] = all
    await first.evaluate((given) => pair.signIn(given), credentials)
    const calls = () =>
      Promise.all(
        all.map((page) =>
          page.evaluate(async () => {
            const answers = [pair.call('GET', '/api/me'), pair.call('GET', '/api/me')]
            return (await Promise.all(answers)).map(({ data }) => data.name)
          }),
        ),
      )
    const names = all.map(() => ['Administrator', 'Administrator'])
    assert.deepEqual(await calls(), names)
    const cookies = await first.context().cookies(gatehouse)
    assert.deepEqual(cookies, [])

    let refreshes = 0
    for (const page of all) {
      page.on('request', (request) => {
        const isRefresh = request.url() === `${gatehouse}/refresh`
        if (isRefresh && request.method() === 'POST') refreshes += 1
      })
    }
    // The access token is spoiled in the store that all tabs read: the next calls are refused.
    for (const wanted of [1, 2, 3, 4, 5]) {
      await first.evaluate(async () => {
        const { refresh_token = '' } = (await shared.read()) ?? {}
        await shared.write({ refresh_token, access_token: 'ended' })
      })
      assert.deepEqual(await calls(), names)
      assert.equal(refreshes, wanted)
    }
    await second.evaluate(() => pair.signOut())
    for (const page of all) assert.equal(await page.evaluate(() => pair.isSignedIn()), false)
  })
})
