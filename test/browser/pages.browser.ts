import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { chromium } from 'playwright-core'
import { startService } from '../../tools/service.ts'

// Run by `npm run test:browser`, where Debian's chromium is installed.
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const password = 'a password for browsers'

suite('in a real browser', async () => {
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    LOG_LEVEL: 'info',
  })
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  })
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })

  test('the documentation page works under the Content-Security-Policy', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${service.url}/api/docs`)
    assert.equal(await page.title(), 'Gatehouse API')
    const first = page.locator('details').first()
    await first.locator('summary').click()
    assert.equal(await first.locator('table').isVisible(), true)
    const width = await page.evaluate('getComputedStyle(document.body).maxWidth')
    assert.equal(width, '960px', 'the style sheet is applied')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('a page logs in, keeps its cookie from scripts, and needs the CSRF token', async () => {
    const page = await browser.newPage()
    await page.goto(`${service.url}/api/docs`)
    const seen = await page.evaluate(
      async ([username, secret]) => {
        const post = (path: string, headers: Record<string, string>, body?: URLSearchParams) =>
          fetch(path, { method: 'POST', headers, ...(body && { body }) })
        const form = new URLSearchParams({ username: username ?? '', password: secret ?? '' })
        const login = await post('/login', {}, form)
        const { csrf_token } = (await login.json()) as { csrf_token: string }
        return {
          login: login.status,
          cookie: (globalThis as unknown as { document: { cookie: string } }).document.cookie,
          greeting: await (await fetch('/api/protected')).json(),
          without: (await post('/api/transfer', {})).status,
          with: (await post('/api/transfer', { 'X-CSRF-Token': csrf_token })).status,
        }
      },
      ['admin', password],
    )
    assert.deepEqual(seen, {
      login: 200,
      cookie: '',
      greeting: { message: 'Hello, admin' },
      without: 403,
      with: 200,
    })
    await page.close()
  })
})
