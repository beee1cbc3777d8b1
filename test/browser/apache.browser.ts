import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { application, clientsFile, secretOf } from '../clients.ts'
import { until } from '../until.ts'
import { listingsOf, textOf } from '../use-it/listings.ts'
import { missingApache, startApache } from './apache.ts'
import { launch } from './chromium.ts'

const adminPassword = 'the keeper of the wiki'
const password = 'a lantern for each door'
const document = 'docs/applications.md'
const callback = '/protected/callback'

suite('docs/applications.md: Apache with mod_auth_openidc', { skip: missingApache }, async () => {
  const [port, wikiPort, toldPort] = [await freePort(), await freePort(), await freePort()]
  const issuer = `http://127.0.0.1:${port}`
  const [wiki, told] = [`http://localhost:${wikiPort}`, `http://localhost:${toldPort}`]
  const claims = JSON.parse(/^\{ "claims".*\}$/m.exec(textOf(document))?.[0] ?? '')
  const entry = (id: string, url: string, more: object) =>
    application(id, {
      ...{ name: 'Wiki', redirect_uris: [`${url}${callback}`] },
      ...{ post_logout_redirect_uris: [`${url}/`], ...more },
    })
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ PORT: String(port), BASE_URL: issuer, PROVIDER: 'on', ADMIN_PASSWORD: adminPassword },
    CLIENTS_FILE: clientsFile([
      entry('wiki', wiki, claims),
      entry('told', told, { backchannel_logout_uri: `${told}${callback}?logout=backchannel` }),
    ]),
  })
  const listing = listingsOf(document).get('apache.conf') ?? ''
  const placesOf = (id: string, url: string) => ({
    'https://id.example.org': issuer,
    'https://wiki.example.org': url,
    'the-secret-of-the-client': secretOf(id),
    'OIDCClientID wiki': `OIDCClientID ${id}`,
  })
  const often = { 'Interval 60': 'Interval 1' }
  await startApache(listing, { places: { ...placesOf('wiki', wiki), ...often }, port: wikiPort })
  await startApache(listing, { places: placesOf('told', told), port: toldPort })
  const browser = await launch()
  after(async () => {
    await browser.close()
    await service.stop()
    service.remove()
  })

  /** A browser of a new account, at the protected page; answers the status that it got there. */
  async function signedIn(url: string, username: string, roles: readonly string[]) {
    const authorization = `Basic ${btoa(`admin:${adminPassword}`)}`
    const made = await fetch(`${service.url}/api/admin/accounts`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ username, password, roles, name: username, email: 'a@example.org' }),
    })
    assert.equal(made.status, 201, await made.text())
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${url}/protected/`)
    await page.fill('input[name=username]', username)
    await page.fill('input[name=password]', password)
    await page.click('main form button[type=submit]')
    const arrived = page.waitForResponse((answer) => answer.url() === `${url}/protected/`)
    await page.click('text=Allow')
    const status = (await arrived).status()
    await page.waitForURL(`${url}/protected/`)
    return { page, status }
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${issuer}/signout`)
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${issuer}/signout?done=1`)
  }

  /** Asks again until the page is not shown any more. */
  async function untilRefused(page: Page, url: string): Promise<number | undefined> {
    let status: number | undefined
    await until(async () => {
      status = (await page.goto(`${url}/protected/`))?.status()
      return !(await page.content()).includes('The wiki')
    })
    return status
  }

  test('lets a person with the role in, and a sign-out here ends it there', async () => {
    const { page, status } = await signedIn(wiki, 'ann', ['EDITOR'])
    assert.equal(status, 200)
    assert.equal(await page.textContent('h1'), 'The wiki')
    await signOut(page)
    assert.equal(await untilRefused(page, wiki), 401)
  })

  test('an entry with an address for sign-outs ends it within seconds', async () => {
    const { page, status } = await signedIn(told, 'tom', ['EDITOR'])
    assert.equal(status, 200)
    await signOut(page)
    await untilRefused(page, told)
    assert.ok(page.url().startsWith(`${issuer}/signin`), page.url())
  })

  test('refuses a person without the role', async () => {
    const { page, status } = await signedIn(wiki, 'bob', ['USER'])
    assert.equal(status, 401)
    assert.doesNotMatch(await page.content(), /The wiki/)
  })

  test('signs out at both', async () => {
    const { page } = await signedIn(wiki, 'eve', ['EDITOR'])
    await page.goto(`${wiki}${callback}?logout=${encodeURIComponent(`${wiki}/`)}`)
    await page.waitForSelector('text=Wiki asks to sign you out.')
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${wiki}/`)
    await page.goto(`${wiki}/protected/`)
    assert.ok(page.url().startsWith(`${issuer}/signin`), page.url())
  })
})
