import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, suite, test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { listingsOf } from '../use-it/listings.ts'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const password = 'a password for browsers'

/**
 * The listings of docs/use-it.md for pages, in pages: localhost and 127.0.0.1 are two sites, and each
 * port is an origin. Only a real browser shows what SameSite=Strict and CORS allow.
 */
suite('docs/use-it.md, in a real browser', async () => {
  const pagePort = await freePort()
  const origins = [`http://localhost:${pagePort}`, `http://127.0.0.1:${pagePort}`] as const
  const [sameSite, otherSite] = origins
  const port = await freePort()
  const gatehouse = `http://localhost:${port}`
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    BASE_URL: gatehouse,
    CORS_ORIGINS: origins.join(),
    REDIRECT_ORIGINS: sameSite,
    PORT: String(port),
  })
  const listings = listingsOf('docs/use-it.md')
  const pages = createServer(({ url = '/' }, response) => {
    const text = listings.get(url.slice(1))?.replace('https://auth.example.org', gatehouse)
    response.setHeader('content-type', text === undefined ? 'text/html' : 'text/javascript')
    response.end(text ?? '<!doctype html><title>A page</title>')
  }).listen(pagePort)
  await once(pages, 'listening')
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  })
  after(async () => {
    await browser.close()
    pages.close()
    await service.stop()
    service.remove()
  })

  async function open(origin: string): Promise<Page> {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(origin)
    return page
  }

  /** Calls a function of a listing in the page; answers its result, or what it threw. */
  function run(page: Page, file: string, name: string, ...args: unknown[]): Promise<unknown> {
    return page.evaluate(
      async ([path, what, given]) => {
        const module = await import(path)
        try {
          const result = await module[what](...given)
          return result instanceof Response ? [result.status, await result.json()] : result
        } catch (error) {
          const { status, body, message } = error as Error & { status?: number; body?: unknown }
          return { threw: status ?? message, body }
        }
      },
      [`/${file}`, name, args] as const,
    )
  }

  test('a page of another origin of the same site has a session', async () => {
    const page = await open(sameSite)
    const session = (name: string, ...args: unknown[]) => run(page, 'session.js', name, ...args)
    assert.equal(await session('restore'), null)
    assert.deepEqual(await session('signIn', 'admin', 'a wrong password'), {
      threw: 401,
      body: { error: 'Invalid credentials' },
    })
    await session('signIn', 'admin', password)
    assert.deepEqual(await session('call', 'POST', '/api/transfer', {}), {
      message: 'Transfer accepted',
    })
    await page.reload()
    assert.equal(await page.evaluate('document.cookie'), '')
    const before = await session('call', 'POST', '/api/transfer')
    assert.deepEqual(before, { threw: 403, body: { error: 'CSRF token invalid' } })
    const restored = (await session('restore')) as { username: string }
    assert.equal(restored.username, 'admin')
    const renamed = await session('call', 'PUT', '/users/1', { name: 'Ada' })
    assert.equal((renamed as { name: string }).name, 'Ada')
    await session('signOut')
    assert.equal(await session('restore'), null)
  })

  test('a page leads to the sign-in of the service, which leads back with a session', async () => {
    const page = await open(sameSite)
    const here = `${sameSite}/orders?page=2`
    await page.goto(here)
    await page.evaluate("import('/sign-in-page.js').then(({ signedIn }) => signedIn()); null")
    await page.waitForURL(`${gatehouse}/signin?**`)
    await page.getByLabel('Username or e-mail address').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(here)
    const session = (await run(page, 'sign-in-page.js', 'signedIn')) as { username: string }
    assert.equal(session.username, 'admin')
    assert.equal(page.url(), here)
  })

  test('a page of another site gets no session, whatever CORS_ORIGINS allows', async () => {
    const page = await open(otherSite)
    assert.equal(await run(page, 'session.js', 'signIn', 'admin', password), undefined)
    assert.equal(await run(page, 'session.js', 'restore'), null)
    assert.deepEqual(await page.context().cookies(gatehouse), [])
  })

  test('a page of another site has a pair of tokens, and renews it once for all', async () => {
    const basic = `Basic ${btoa(`admin:${password}`)}`
    const change = async (method: string, path: string, json: object) => {
      const answer = await fetch(service.url + path, {
        method,
        headers: { authorization: basic, 'content-type': 'application/json' },
        body: JSON.stringify(json),
      })
      assert.ok(answer.ok, await answer.text())
    }
    const ann = { username: 'ann', password: 'a garden of forking paths', roles: ['USER'] }
    await change('POST', '/api/admin/accounts', { ...ann, name: 'Ann', email: 'ann@example.org' })

    const page = await open(otherSite)
    const bearer = (name: string, ...args: unknown[]) => run(page, 'bearer.js', name, ...args)
    const me = `${gatehouse}/api/me`
    const answer = (roles: string[]) => [
      200,
      { sub: '2', email: 'ann@example.org', name: 'Ann', roles },
    ]
    assert.deepEqual(await bearer('call', me), { threw: 401, body: undefined })
    await bearer('signIn', ann.username, ann.password)
    assert.deepEqual(await bearer('call', me), answer(['USER']))

    let refreshes = 0
    page.on('request', (request) => {
      if (request.url() === `${gatehouse}/refresh` && request.method() === 'POST') refreshes += 1
    })
    // The second call is slow: the first has renewed the pair before it is refused.
    const renewed = page.waitForResponse(`${gatehouse}/refresh`)
    let calls = 0
    await page.route(me, async (route) => {
      calls += 1
      if (calls === 2) await renewed
      await route.continue()
    })
    await change('PUT', '/api/admin/accounts/ann', { roles: ['EDITOR'] }) // ends access tokens
    const both = await Promise.all([bearer('call', me), bearer('call', me)])
    assert.deepEqual(both, [answer(['EDITOR']), answer(['EDITOR'])])
    assert.equal(refreshes, 1)

    await bearer('signOut')
    assert.deepEqual(await bearer('call', me), { threw: 401, body: undefined })
    await bearer('signIn', ann.username, ann.password)
    await change('PUT', '/api/admin/accounts/ann', { locked: true }) // ends refresh tokens as well
    const ended = await bearer('call', me)
    assert.deepEqual(ended, { threw: 401, body: { error: 'Invalid refresh token' } })
  })
})
