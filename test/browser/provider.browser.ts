import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import * as client from 'openid-client'
import { freePort } from '../../tools/free-port.ts'
import { startService } from '../../tools/service.ts'
import { application, clientsFile, secretOf } from '../clients.ts'
import { assertAccessible, assertFits, launch, openPage } from './chromium.ts'

const password = 'the keeper of the provider'

/** An application on another site, whose pages are plain texts. */
async function startApplication(issuer: string) {
  let rp: client.Configuration | undefined
  const waiting = new Map<string, { verifier: string; redirect_uri: string }>()
  let ended = ''
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.end(String(error)))
  })
  await once(server.listen(0, 'localhost'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = `http://localhost:${port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    rp ??= await client.discovery(new URL(issuer), 'notes', secretOf('notes'), undefined, {
      execute: [client.allowInsecureRequests],
    })
    response.setHeader('content-type', 'text/html')
    if (pathname === '/start') {
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const redirect_uri = `${url}/callback`
      waiting.set(state, { verifier, redirect_uri })
      const address = client.buildAuthorizationUrl(rp, {
        ...Object.fromEntries(searchParams),
        ...{ redirect_uri, state, scope: 'openid profile groups' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      response.writeHead(303, { location: address.href }).end()
    } else if (pathname === '/callback') {
      const body = request.method === 'POST' ? await new Response(request as never).text() : ''
      const given = request.method === 'POST' ? new URLSearchParams(body) : searchParams
      const state = given.get('state') ?? ''
      const { verifier = '' } = waiting.get(state) ?? {}
      const at = new URL(`${url}/callback?${given}`)
      const checks = { pkceCodeVerifier: verifier, expectedState: state }
      const tokens = await client.authorizationCodeGrant(rp, at, checks)
      ended = tokens.id_token ?? ''
      const { body: claims } = { body: tokens.claims() }
      response.end(`<h1>Hello ${claims?.preferred_username} ${claims?.groups}</h1>`)
    } else if (pathname === '/out') {
      const query = { id_token_hint: ended, post_logout_redirect_uri: `${url}/bye` }
      response.writeHead(303, { location: client.buildEndSessionUrl(rp, query).href }).end()
    } else response.end('<h1>Bye</h1>')
  }

  return { url, close: () => server.close() }
}

suite('an application on another site, in a real browser', async () => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const notes = await startApplication(issuer)
  after(() => notes.close())
  const service = await startService([process.execPath, 'src/main.ts'], {
    ...{ PORT: String(port), BASE_URL: issuer, PROVIDER: 'on', ADMIN_PASSWORD: password },
    CLIENTS_FILE: clientsFile([
      application('notes', {
        redirect_uris: [`${notes.url}/callback`],
        post_logout_redirect_uris: [`${notes.url}/bye`],
      }),
    ]),
  })
  after(async () => {
    await service.stop()
    service.remove()
  })
  const browser = await launch()
  after(() => browser.close())
  const context = await browser.newContext()
  const { page, complaints } = await openPage(context)

  async function signIn(): Promise<void> {
    await page.waitForSelector('input[name=password]')
    if (await page.isEditable('input[name=username]'))
      await page.fill('input[name=username]', 'admin')
    await page.fill('input[name=password]', password)
    await page.click('main form button[type=submit]')
  }

  test('signs a person in by our pages, under our policy', async () => {
    await page.goto(`${notes.url}/start`)
    await signIn()
    await page.waitForSelector('text=Sign in to Notes')
    await assertAccessible(page, 'the consent')
    await assertFits(page, 'the consent')
    await page.click('text=Allow')
    await page.waitForURL(`${notes.url}/callback?**`)
    assert.match((await page.textContent('h1')) ?? '', /^Hello admin /)
    assert.deepEqual(complaints, [])
  })

  test('then asks nothing, and a login that the application wants is one', async () => {
    await page.goto(`${notes.url}/start`)
    assert.equal(await page.textContent('h1'), await page.textContent('h1'))
    assert.ok(page.url().startsWith(`${notes.url}/callback`))
    await page.goto(`${notes.url}/start?prompt=login`)
    await signIn()
    await page.waitForURL(`${notes.url}/callback?**`)
    assert.deepEqual(complaints, [])
  })

  test('gets the code by a form that sends itself, where it wants one', async () => {
    await page.goto(`${notes.url}/start?response_mode=form_post`)
    await page.waitForURL(`${notes.url}/callback`)
    assert.match((await page.textContent('h1')) ?? '', /^Hello admin /)
    assert.deepEqual(complaints, [])
  })

  test('two hundred requests that nobody finishes leave no cookie, and end no session', async () => {
    const query = new URLSearchParams({
      ...{ client_id: 'notes', response_type: 'code', redirect_uri: `${notes.url}/callback` },
      ...{ scope: 'openid', prompt: 'login', code_challenge_method: 'S256' },
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    })
    const before = (await context.cookies(issuer)).map(({ name }) => name).sort()
    for (let count = 0; count < 200; count += 1) {
      await context.request.get(`${issuer}/oauth/authorize?${query}`, { maxRedirects: 0 })
    }
    assert.deepEqual((await context.cookies(issuer)).map(({ name }) => name).sort(), before)
    await page.goto(`${notes.url}/start`)
    assert.ok(page.url().startsWith(`${notes.url}/callback`))
  })

  test('signs out, and comes back', async () => {
    await page.goto(`${notes.url}/out`)
    await page.waitForSelector('text=Notes asks to sign you out.')
    await page.click('main form button[type=submit]')
    await page.waitForURL(`${notes.url}/bye`)
    await page.goto(`${issuer}/account`)
    assert.equal(new URL(page.url()).pathname, '/signin')
    assert.deepEqual(complaints, [])
  })
})
