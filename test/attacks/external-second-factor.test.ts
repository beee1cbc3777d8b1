import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { type Device, enrol } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { type TestBrowser, testBrowser } from '../test-browser.ts'
import { watchedDatabase } from '../watched-database.ts'

const idp = await identityProvider()

/** Somebody who signs in by the provider and has a second factor, in a service of these settings. */
async function withFactor(app: TestApp, username: string): Promise<Device> {
  idp.person = { sub: username, preferred_username: username, email: 'someone@example.org' }
  const browser = testBrowser(app)
  await browser.open('/oauth/login')
  const { body } = await browser.call('GET', '/api/session')
  const cookie = `JSESSIONID=${browser.cookies.get('JSESSIONID')}`
  const device = await enrol(app, { cookie, 'x-csrf-token': body.csrf_token })
  app.clock.advance(30)
  return device
}

/** As far as the question for the code. */
async function signedIn(app: TestApp): Promise<TestBrowser> {
  const browser = testBrowser(app)
  const page = await browser.open('/oauth/login')
  assert.ok(page.text.includes('action="/oauth/second-factor"'), page.text)
  return browser
}

suite('an account that vanishes on the way from its provider', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined
  const watched = await watchedDatabase(async ({ table }) => {
    if (table !== 'accounts' || !meanwhile) return
    const act = meanwhile
    meanwhile = undefined
    await act()
  })
  const app = await testApp(settingsFor(idp), { clock: clockOfToday(), ...watched })
  const headers = await app.bearer(app.admin)
  const remove = (path: string) => async () => {
    const removed = await app.call('DELETE', path, { headers })
    assert.equal(removed.status, 200)
  }

  for (const what of ['account', 'user'] as const) {
    const pathOf = async (username: string) => {
      const path = `/api/admin/accounts/${username}`
      if (what === 'account') return path
      return `/users/${(await app.call('GET', path, { headers })).body.user_id}`
    }

    test(`T57: its ${what} goes before the second factor is asked for: 401, and nothing is left`, async () => {
      await withFactor(app, `early-${what}`)
      const browser = testBrowser(app)
      const begun = await browser.call('GET', '/oauth/login')
      const back = await browser.until(String(begun.headers.location))
      meanwhile = remove(await pathOf(`early-${what}`))
      const answer = await browser.call('GET', `${back.pathname}${back.search}`)
      assert.equal(meanwhile, undefined)
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.deepEqual((await app.rows()).flows, [])
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    })

    test(`T57: its ${what} goes while the code is looked at: 401, and no session`, async () => {
      const { code } = await withFactor(app, `late-${what}`)
      const browser = await signedIn(app)
      meanwhile = remove(await pathOf(`late-${what}`))
      const form = { totp: code() }
      const answer = await browser.call('POST', '/oauth/second-factor', { form })
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    })
  }

  test('T57: an account that goes while it asks for a link, or for a second factor: 401', async () => {
    const ways = {
      '/api/account/identities': { provider: 'default' },
      '/api/account/totp': undefined,
    }
    for (const [index, [path, json]] of Object.entries(ways).entries()) {
      const who = await app.account(`asker${index}`)
      const own = await app.session(who)
      meanwhile = remove(`/api/admin/accounts/${who.username}`)
      const answer = await app.call('POST', path, { headers: own, json })
      assertRefusal(answer, 401, 'Invalid credentials')
      const { flows, second_factors } = await app.rows()
      assert.deepEqual([flows, second_factors], [[], []])
    }
  })
})
