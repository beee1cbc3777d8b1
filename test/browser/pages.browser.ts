import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startService } from '../../tools/service.ts'
import { launch } from './chromium.ts'

const password = 'a password for browsers'

suite('in a real browser', async () => {
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: password,
    LOG_LEVEL: 'info',
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
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
