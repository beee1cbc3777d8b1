// A database makes a difference: both services store what a sign-in and its end change.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { type Someone, testApp } from '../app.ts'
import { application, secretOf } from '../clients.ts'
import { mailboxes } from '../emails.ts'
import { clockOfToday } from '../identity-provider.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import { allow, open, providerApp, settle, signIn } from './application.ts'

/** A person's browser, with the cookies of both services. */
interface Browser {
  readonly atProvider: PageBrowser
  readonly atClient: PageBrowser
}

suite('Gatehouse as a client of Gatehouse', async () => {
  const [clientPort, providerPort] = [await freePort(), await freePort()]
  const at = (port: number) => `http://127.0.0.1:${port}`
  const clock = clockOfToday()
  const provider = await providerApp(
    [
      application('other-gatehouse', {
        name: 'The other Gatehouse',
        redirect_uris: [`${at(clientPort)}/oauth/callback`],
        post_logout_redirect_uris: [`${at(clientPort)}/`],
      }),
    ],
    { BASE_URL: at(providerPort) },
    { clock },
  )
  await provider.app.server.listen({ host: '127.0.0.1', port: providerPort })
  const client = await testApp(
    {
      BASE_URL: at(clientPort),
      OIDC_ISSUER: at(providerPort),
      OIDC_CLIENT_ID: 'other-gatehouse',
      OIDC_CLIENT_SECRET: secretOf('other-gatehouse'),
      OIDC_SIGN_UP: 'on',
    },
    { clock },
  )
  const addresses = await mailboxes(provider)
  const ann = await provider.account('ann')
  await addresses.verify(await provider.session(ann), 'ann@example.org', ann.password)
  const bob = await provider.account('bob')
  const browserOf = (): Browser => ({
    atProvider: pageBrowser(provider),
    atClient: pageBrowser(client),
  })

  /** Starts at the client; goes as far as the provider asks for nothing. */
  async function start({ atProvider, atClient }: Browser): Promise<string | null> {
    await atClient.open('/oauth/login?return_to=/api/session')
    return open(atProvider, new URL(atClient.elsewhere() ?? ''))
  }

  /** Comes back to the client with what the provider sends; answers its session. */
  async function comeBack({ atClient }: Browser, address: string | null) {
    const arrived = address ?? ''
    assert.ok(arrived.startsWith(`${at(clientPort)}/oauth/callback?`), arrived)
    await open(atClient, new URL(arrived))
    await settle(atClient)
    return atClient.page()
  }

  async function signInFirst(browser: Browser, who: Someone): Promise<void> {
    assert.equal(await start(browser), null)
    assert.match(browser.atProvider.path(), /^\/signin\?/)
    assert.equal(await signIn(browser.atProvider, who), null)
    assert.equal(browser.atProvider.heading(), 'Sign in to The other Gatehouse')
  }

  const anns = browserOf()

  test('the first sign-in makes a user with the verified address', async () => {
    await signInFirst(anns, ann)
    const { status, body } = await comeBack(anns, await allow(anns.atProvider))
    assert.deepEqual([status, body.username, body.roles], [200, 'ann', ['USER']])
    const headers = client.basic(client.admin)
    const user = await client.call('GET', `/users/${body.user_id}`, { headers })
    assert.equal(user.body.email, 'ann@example.org', 'that she has verified, not that of her user')
  })

  test('the second one asks nothing, and is the same account', async () => {
    const again = { ...anns, atClient: pageBrowser(client) }
    const { body } = await comeBack(again, await start(again))
    assert.equal(body.username, 'ann')
    assert.equal((await client.rows()).identities?.length, 1)
    Object.assign(anns, again)
  })

  test('a sign-out leads to the provider, ends both sessions and comes back', async () => {
    const { atClient, atProvider } = anns
    await atClient.open('/oauth/logout')
    await atClient.submit()
    const there = new URL((await settle(atClient)) ?? '')
    assert.equal(there.origin, at(providerPort))
    assert.equal(await open(atProvider, there), null)
    assert.match(atProvider.page().text, /The other Gatehouse asks to sign you out\./)
    await atProvider.submit()
    assert.equal(await settle(atProvider), `${at(clientPort)}/`)
    for (const browser of [atClient, atProvider]) {
      await browser.open('/account')
      assert.match(browser.path(), /^\/signin\?/)
    }
  })

  test('an account without a verified address is told why the client refuses it', async () => {
    const bobs = browserOf()
    await signInFirst(bobs, bob)
    const { text } = bobs.atProvider.page()
    const told = 'Your account has no verified e-mail address. The other Gatehouse may refuse you'
    assert.ok(text.includes(told), text)
    const before = await client.rows('flows')
    const { status } = await comeBack(bobs, await allow(bobs.atProvider))
    assert.equal(status, 403)
    assert.equal(bobs.atClient.heading(), 'You were not signed in')
    assert.deepEqual(await client.rows('flows'), before)
  })
})
