import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { testApp } from '../app.ts'
import { clockOfToday } from '../identity-provider.ts'
import { appleSite, settings } from '../presets/oidc-sites.ts'
import { world } from '../presets/world.ts'
import { selfSigned } from '../self-signed.ts'
import { launch, openPage } from './chromium.ts'

const ann = { sub: '000792.d7', email: 'relay@privaterelay.appleid.com', email_verified: 'true' }

/** Apple answers with a POST from its own site, which carries no cookie of SameSite=Lax. */
suite('a provider that posts, in a real browser', async () => {
  const sites = await world()
  sites.add(appleSite(sites))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const app = await testApp(
    { ...settings, BASE_URL: url },
    { clock: clockOfToday(), deps: { fetch: sites.fetch } },
  )
  await app.app.server.listen({ host: '127.0.0.1', port })
  const posted: (string | undefined)[] = []
  app.app.server.server.on('request', ({ method, headers }) => {
    if (method === 'POST') posted.push(headers.cookie)
  })
  const atApple = createServer(selfSigned(), (request, response) => {
    const address = `https://appleid.apple.com${request.url}`
    const fields = {
      state: new URL(address).searchParams.get('state') ?? '',
      code: sites.grant(address, ann),
      user: '{&quot;name&quot;:{&quot;firstName&quot;:&quot;Ann&quot;}}',
    }
    const inputs = Object.entries(fields)
      .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
      .join('')
    response.setHeader('content-type', 'text/html')
    response.end(
      `<!doctype html><link rel="icon" href="data:,"><form method="post" action="${url}/oauth/fruit/callback">${inputs}<button>Go</button></form>`,
    )
  })
  await once(atApple.listen(0, '127.0.0.1'), 'listening')
  const { port: applePort } = atApple.address() as AddressInfo // it listens on a port
  after(() => {
    atApple.close()
    atApple.closeAllConnections()
  })
  const browser = await launch([
    `--host-resolver-rules=MAP appleid.apple.com 127.0.0.1:${applePort}`,
    '--ignore-certificate-errors',
  ])
  after(() => browser.close())

  for (const javaScriptEnabled of [true, false]) {
    test(`signs in, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      posted.length = 0
      const context = await browser.newContext({ javaScriptEnabled })
      const { page, complaints } = await openPage(context)
      await page.goto(`${url}/oauth/fruit/login?return_to=/account`)
      await page.click('button')
      await page.waitForURL(`${url}/account`)
      assert.ok((await page.textContent('main'))?.includes(ann.email))
      assert.deepEqual(posted, [undefined], 'the POST of the other site has no cookie')
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }
})
