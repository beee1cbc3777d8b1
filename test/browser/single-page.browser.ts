import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { clientsFile } from '../clients.ts'
import { launch, openPage } from './chromium.ts'

const password = 'the keeper of the single page'
const library = readFileSync(
  join(import.meta.dirname, '../../node_modules/oidc-client-ts/dist/browser/oidc-client-ts.js'),
)

/** The application: one page, whatever its path is. */
const pageOf = (issuer: string) => `<!doctype html><title>Notes</title>
<link rel="icon" href="data:,"><script src="/oidc-client-ts.js"></script><script>
  const manager = new oidc.UserManager({
    authority: '${issuer}',
    client_id: 'notes',
    redirect_uri: location.origin + '/callback',
    post_logout_redirect_uri: location.origin + '/bye',
    scope: 'openid profile groups',
    loadUserInfo: true,
    automaticSilentRenew: false,
  })
</script>`

/** What the page knows of a signed-in person. */
interface User {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token: string
  readonly profile: { readonly preferred_username: string; readonly groups: readonly string[] }
}

suite('a single-page application on another site, with oidc-client-ts', async () => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const server = createServer(({ url }, response) => {
    const isLibrary = url === '/oidc-client-ts.js'
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html')
    response.end(isLibrary ? library : pageOf(issuer))
  })
  await once(server.listen(0, 'localhost'), 'listening')
  const { port: pagePort } = server.address() as AddressInfo // it listens on a port
  const notes = `http://localhost:${pagePort}`
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ PORT: String(port), BASE_URL: issuer, PROVIDER: 'on', ADMIN_PASSWORD: password },
    REFRESH_GRACE_SECONDS: '0',
    CLIENTS_FILE: clientsFile([
      {
        ...{ id: 'notes', type: 'spa', name: 'Notes' },
        redirect_uris: [`${notes}/callback`],
        post_logout_redirect_uris: [`${notes}/bye`],
      },
    ]),
  })
  const browser = await launch()
  after(async () => {
    await browser.close()
    server.close()
    await service.stop()
    service.remove()
  })
  const { page, complaints } = await openPage(await browser.newContext())
  const evaluate = <T>(script: string) => page.evaluate(script) as Promise<T>
  const userinfo = (token: string) =>
    evaluate<number>(`fetch('${issuer}/oauth/userinfo', {
      headers: { authorization: 'Bearer ${token}' },
    }).then(({ status }) => status)`)
  let first: User
  let renewed: User

  test('signs a person in with PKCE, and gets tokens and claims across origins', async () => {
    await page.goto(notes)
    const asked = page.waitForRequest((one) => one.url().startsWith(`${issuer}/oauth/authorize?`))
    await evaluate('manager.signinRedirect(); null')
    const { searchParams } = new URL((await asked).url())
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    await page.waitForURL(`${issuer}/signin?**`)
    await page.fill('input[name=username]', 'admin')
    await page.fill('input[name=password]', password)
    await page.click('main form button[type=submit]')
    await page.click('text=Allow')
    await page.waitForURL(`${notes}/callback?**`)
    first = await evaluate<User>('manager.signinCallback()')
    assert.equal(first.profile.preferred_username, 'admin')
    assert.ok(first.profile.groups.includes('ADMIN'))
    assert.deepEqual(complaints, [])
  })

  test('renews its tokens in silence, across origins', async () => {
    renewed = await evaluate<User>('manager.signinSilent()')
    assert.notEqual(renewed.access_token, first.access_token)
    assert.notEqual(renewed.refresh_token, first.refresh_token)
    assert.equal(await userinfo(renewed.access_token), 200)
    assert.deepEqual(complaints, [])
  })

  test('may read a refusal, and a page of another origin may not', async () => {
    const send = (origin: string) =>
      fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: 'notes',
          code: 'x',
        }),
      })
    const own = await send(notes)
    assert.equal(own.headers.get('access-control-allow-origin'), notes)
    const other = await send('http://localhost:1')
    assert.equal(other.headers.get('access-control-allow-origin'), null)
    assert.equal(((await other.json()) as { error: string }).error, 'invalid_request')
  })

  test('signs out, which ends its tokens, and comes back', async () => {
    await evaluate('manager.signoutRedirect(); null')
    await page.waitForSelector('text=Notes asks to sign you out.')
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${notes}/bye`)
    await evaluate('manager.signoutCallback()')
    assert.equal(await evaluate('manager.getUser()'), null)
    await page.goto(`${issuer}/account`)
    assert.equal(new URL(page.url()).pathname, '/signin')
    assert.deepEqual(complaints, [])
    const headers = { authorization: `Bearer ${renewed.access_token}` }
    assert.equal((await fetch(`${issuer}/oauth/userinfo`, { headers })).status, 401)
  })
})
