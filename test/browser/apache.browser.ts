import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { application, clientsFile, secretOf } from '../clients.ts'
import { listingsOf, textOf } from '../use-it/listings.ts'
import { missingApache, startApache } from './apache.ts'
import { launch } from './chromium.ts'

const adminPassword = 'the keeper of the wiki'
const password = 'a lantern for each door'

suite('docs/applications.md: Apache with mod_auth_openidc', { skip: missingApache }, async () => {
  const [port, apachePort] = [await freePort(), await freePort()]
  const [issuer, wiki] = [`http://127.0.0.1:${port}`, `http://localhost:${apachePort}`]
  const entry = /^\{ "claims".*\}$/m.exec(textOf('docs/applications.md'))?.[0]
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ PORT: String(port), BASE_URL: issuer, PROVIDER: 'on', ADMIN_PASSWORD: adminPassword },
    CLIENTS_FILE: clientsFile([
      application('wiki', {
        name: 'Wiki',
        ...JSON.parse(entry ?? ''),
        redirect_uris: [`${wiki}/protected/callback`],
        post_logout_redirect_uris: [`${wiki}/`],
      }),
    ]),
  })
  const listing = listingsOf('docs/applications.md').get('apache.conf') ?? ''
  const places = {
    'https://id.example.org': issuer,
    'https://wiki.example.org': wiki,
    'the-secret-of-the-client': secretOf('wiki'),
    'Interval 60': 'Interval 1',
  }
  await startApache(listing, { places, port: apachePort })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })

  /** A browser of a new account, at the protected page; answers the status that it got there. */
  async function signedIn(username: string, roles: readonly string[]) {
    const authorization = `Basic ${btoa(`admin:${adminPassword}`)}`
    const made = await fetch(`${service.url}/api/admin/accounts`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ username, password, roles, name: username, email: 'a@example.org' }),
    })
    assert.equal(made.status, 201, await made.text())
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${wiki}/protected/`)
    await page.fill('input[name=username]', username)
    await page.fill('input[name=password]', password)
    await page.click('main form button[type=submit]')
    const arrived = page.waitForResponse((answer) => answer.url() === `${wiki}/protected/`)
    await page.click('text=Allow')
    const status = (await arrived).status()
    await page.waitForURL(`${wiki}/protected/`)
    return { page, status }
  }

  const isAtSignIn = (page: Page) => page.url().startsWith(`${issuer}/signin`)

  test('lets a person with the role in, and a sign-out here ends it there', async () => {
    const { page, status } = await signedIn('ann', ['EDITOR'])
    assert.equal(status, 200)
    assert.equal(await page.textContent('h1'), 'The wiki')
    await page.goto(`${issuer}/signout`)
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${issuer}/signout?done=1`)
    for (let tries = 0; (await page.goto(`${wiki}/protected/`))?.status() !== 401; tries += 1) {
      assert.ok(tries < 300, 'the claims are never asked for again')
    }
    assert.doesNotMatch(await page.content(), /The wiki/)
  })

  test('refuses a person without the role', async () => {
    const { page, status } = await signedIn('bob', ['USER'])
    assert.equal(status, 401)
    assert.doesNotMatch(await page.content(), /The wiki/)
  })

  test('signs out at both', async () => {
    const { page } = await signedIn('eve', ['EDITOR'])
    await page.goto(`${wiki}/protected/callback?logout=${encodeURIComponent(`${wiki}/`)}`)
    await page.waitForSelector('text=Wiki asks to sign you out.')
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${wiki}/`)
    await page.goto(`${wiki}/protected/`)
    assert.ok(isAtSignIn(page), page.url())
  })
})
