import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { startService } from '../../tools/service.ts'
import { fromBase32 } from '../factor.ts'
import { startApplication } from '../forward/application.ts'
import { hosts, startProxy } from '../forward/proxied.ts'
import { forwardFile } from '../forward-file.ts'
import { proxyPrograms } from '../proxies.ts'
import { assertAccessible, launch } from './chromium.ts'

const adminPassword = 'seven lamps in a quiet harbour'
const wiki = `https://${hosts.wiki}`
const files = `https://${hosts.files}`
const gatehouse = `https://${hosts.gatehouse}`
const mainButton = 'main form button[type=submit]:not(.quiet)'
const rules = [
  { hosts: [hosts.wiki], paths: ['/public/*'], policy: 'bypass' },
  { hosts: [hosts.wiki], paths: ['/admin/*'], roles: ['ADMIN'], policy: 'one_factor' },
  { hosts: [hosts.wiki], paths: ['/admin/*'], policy: 'deny' },
  { hosts: [hosts.files], paths: ['/safe/*'], policy: 'two_factor' },
  { hosts: [hosts.wiki, hosts.files], policy: 'one_factor' },
]

/**
 * Applications behind the proxies of docs/forward-auth.md, in a real browser: only that shows which
 * cookies go where. wiki.example.org is of the same site as Gatehouse, files.example.net of another.
 */
suite('docs/forward-auth.md, in a real browser', async () => {
  const application = await startApplication()
  const service = await startService([process.execPath, 'src/main.ts'], {
    ADMIN_PASSWORD: adminPassword,
    BASE_URL: gatehouse,
    FORWARD_AUTH_FILE: forwardFile(rules),
    LOGIN_IP_ATTEMPTS: '0',
    TRUST_PROXY: '127.0.0.1',
  })
  const elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Elsewhere</title><a href="${wiki}/from-elsewhere">wiki</a>`)
  })
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
  const elsewherePort = (elsewhere.address() as AddressInfo).port // it listens on a port
  const running: Browser[] = []
  after(async () => {
    for (const browser of running) await browser.close()
    elsewhere.close()
    elsewhere.closeAllConnections()
    await service.stop()
    service.remove()
  })
  const ports = { gatehouse: Number(new URL(service.url).port), application: application.port }

  async function account(username: string) {
    const person = { username, password: `lantern ${[...username].reverse().join('')} quilt 42` }
    const answer = await fetch(`${service.url}/api/admin/accounts`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`admin:${adminPassword}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        ...person,
        roles: ['USER'],
        name: username,
        email: `${username}@example.org`,
      }),
    })
    assert.equal(answer.status, 201, await answer.text())
    return person
  }

  for (const [index, program] of proxyPrograms.entries()) {
    suite(program.name, { skip: program.missing }, async () => {
      const port = program.missing ? 0 : await startProxy(program, ports)
      const names = Object.values(hosts).map((host) => `MAP ${host}:443 127.0.0.1:${port}`)
      const browser = await launch([`--host-resolver-rules=${names.join(',')}`])
      running.push(browser)

      /** A browser of a person, and the addresses of all pages that it has shown. */
      async function person(): Promise<{ context: BrowserContext; page: Page; shown: string[] }> {
        const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
        const page = await context.newPage()
        const shown: string[] = []
        page.on('framenavigated', (frame) => {
          if (frame === page.mainFrame()) shown.push(frame.url())
        })
        return { context, page, shown }
      }

      /** Signs in on the page that is shown; waits for the application. */
      async function signIn(
        page: Page,
        who: { username: string; password: string },
        arrival: string,
      ) {
        assert.equal(new URL(page.url()).origin, gatehouse, page.url())
        await page.fill('input[name=username]', who.username)
        await page.fill('input[name=password]', who.password)
        await page.click(mainButton)
        await page.waitForURL(arrival)
      }
      const userOf = (page: Page) => page.textContent('#user')

      test('a sign-in leads back to the address, and counts silently for another host', async () => {
        const ann = await account(`ann${index}`)
        const { context, page, shown } = await person()
        await page.goto(`${wiki}/public/page`)
        assert.equal(await userOf(page), 'unknown')
        await page.goto(`${wiki}/pages/one?x=1&y=a%20b`)
        await assertAccessible(page, 'the sign-in for an application')
        await signIn(page, ann, `${wiki}/pages/one?x=1&y=a%20b`)
        assert.equal(await userOf(page), ann.username)

        shown.length = 0
        await page.goto(`${files}/folder?z=2`)
        await page.waitForURL(`${files}/folder?z=2`)
        assert.equal(await userOf(page), ann.username)
        assert.equal(await page.locator('input').count(), 0)

        for (const [origin, names] of [
          [wiki, ['__Host-gatehouse', '__Host-gatehouse-browser', 'theme']],
          [files, ['__Host-gatehouse', '__Host-gatehouse-browser', 'theme']],
        ] as const) {
          const cookies = await context.cookies(origin)
          assert.deepEqual(cookies.map(({ name }) => name).toSorted(), names, origin)
          for (const { name, httpOnly, secure, sameSite } of cookies) {
            if (name === 'theme') continue
            assert.deepEqual(
              { httpOnly, secure, sameSite },
              { httpOnly: true, secure: true, sameSite: 'Lax' },
            )
          }
        }
        // What the application itself was sent: neither of them.
        const last = application.seen.at(-1)
        assert.ok(!JSON.stringify(last?.headers).includes('__Host-'), JSON.stringify(last))
        await context.close()
      })

      test('a second factor that a rule wants is set up on the way, and asked for elsewhere', async () => {
        const bea = await account(`bea${index}`)
        const first = await person()
        await first.page.goto(`${wiki}/`)
        await signIn(first.page, bea, `${wiki}/`)
        application.forget()
        await first.page.goto(`${files}/safe/page`)
        // Signed in with one factor: the password again, and no other name, then the factor.
        assert.equal(await first.page.inputValue('input[name=username][readonly]'), bea.username)
        await first.page.fill('input[name=password]', bea.password)
        await first.page.click(mainButton)
        await first.page.waitForSelector('#secret')
        assert.deepEqual(application.seen, [])
        const secret = fromBase32(
          ((await first.page.textContent('#secret')) ?? '').replaceAll(' ', ''),
        )
        const code = (later: number) =>
          codeOfStep(secret, Math.floor(Date.now() / 1000 / stepSeconds) + later)
        await first.page.fill('input[name=totp]', code(0))
        await first.page.click(mainButton)
        await first.page.waitForSelector('#codes')
        await first.page.click(mainButton)
        await first.page.waitForURL(`${files}/safe/page`)
        assert.equal(await userOf(first.page), bea.username)
        await first.context.close()

        const second = await person()
        await second.page.goto(`${files}/safe/page`)
        await second.page.fill('input[name=username]', bea.username)
        await second.page.fill('input[name=password]', bea.password)
        await second.page.click(mainButton)
        await second.page.waitForSelector('input[name=totp]')
        await second.page.fill('input[name=totp]', code(1))
        await second.page.click(mainButton)
        await second.page.waitForURL(`${files}/safe/page`)
        assert.equal(await userOf(second.page), bea.username)
        await second.context.close()
      })

      test('a sign-out at one host signs out of all', async () => {
        const cat = await account(`cat${index}`)
        const { context, page } = await person()
        await page.goto(`${wiki}/`)
        await signIn(page, cat, `${wiki}/`)
        await page.goto(`${files}/`)
        await page.waitForURL(`${files}/`)
        await page.goto(`${files}/.gatehouse/signout`)
        await page.waitForURL(`${gatehouse}/signout?*`)
        await page.click(mainButton)
        await page.waitForURL('**/signout?done=1&*')
        assert.equal(await page.getAttribute('main a.button', 'href'), `${files}/`)
        application.forget()
        for (const origin of [wiki, files]) {
          await page.goto(`${origin}/again`)
          await page.waitForSelector('input[name=password]')
          assert.equal(new URL(page.url()).origin, gatehouse)
        }
        assert.deepEqual(application.seen, [])
        await context.close()
      })

      test('a link of another site arrives, for a person who is signed in, without a question', async () => {
        const dan = await account(`dan${index}`)
        const { context, page } = await person()
        await page.goto(`${gatehouse}/signin`)
        await signIn(page, dan, `${gatehouse}/account`)
        await page.goto(`http://127.0.0.1:${elsewherePort}/`)
        await page.click('a')
        await page.waitForURL(`${wiki}/from-elsewhere`)
        assert.equal(await userOf(page), dan.username)
        // And again, with the cookie of the host.
        await page.goto(`http://127.0.0.1:${elsewherePort}/`)
        await page.click('a')
        await page.waitForURL(`${wiki}/from-elsewhere`)
        assert.equal(await userOf(page), dan.username)
        await context.close()
      })

      test('a second person at the same browser is never taken for the first', async () => {
        const [eve, fay] = [await account(`eve${index}`), await account(`fay${index}`)]
        const { context, page } = await person()
        await page.goto(`${wiki}/`)
        await signIn(page, eve, `${wiki}/`)
        await page.goto(`${gatehouse}/signout`)
        await page.click(mainButton)
        await page.waitForLoadState()
        await page.goto(`${wiki}/mine`)
        await signIn(page, fay, `${wiki}/mine`)
        assert.equal(await userOf(page), fay.username)
        await page.goto(`${files}/mine`)
        await page.waitForURL(`${files}/mine`)
        assert.equal(await userOf(page), fay.username)
        await context.close()
      })

      test('a page that is denied says who is signed in, and scripts get 401 or 403', async () => {
        const gus = await account(`gus${index}`)
        const { context, page } = await person()
        const statusOf = (path: string) =>
          page.evaluate(async (asked) => (await fetch(asked, { redirect: 'manual' })).status, path)
        await page.goto(`${wiki}/public/page`)
        assert.equal(await statusOf('/data'), 401)
        await page.goto(`${wiki}/`)
        await signIn(page, gus, `${wiki}/`)
        assert.equal(await statusOf('/data'), 200)
        assert.equal(await statusOf('/admin/data'), 403)
        const denied = await page.goto(`${wiki}/admin/users`)
        assert.equal(denied?.status(), 403)
        assert.match((await page.textContent('main')) ?? '', new RegExp(gus.username))
        await assertAccessible(page, 'a page that is denied')
        await context.close()
      })
    })
  }
})
