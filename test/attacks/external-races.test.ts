// A database makes a difference: two sign-ins of one identity meet in it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { tally } from '../logins.ts'
import { testBrowser } from '../test-browser.ts'

suite('sign-ins through a provider that meet', async () => {
  const idp = await identityProvider()
  const app = await testApp(settingsFor(idp), { clock: clockOfToday() })

  /** As far as the address that the provider sends the browser back to. */
  async function comeBack() {
    const browser = testBrowser(app)
    const { headers } = await browser.call('GET', '/oauth/login')
    const url = await browser.until(String(headers.location))
    return () => browser.call('GET', `${url.pathname}${url.search}`)
  }

  test('T84: one answer, 50 times at once, makes one session', async () => {
    idp.person = {
      sub: 'once',
      name: 'Once',
      email: 'once@example.org',
      preferred_username: 'once',
    }
    const open = await comeBack()
    const sessions = (await app.rows()).sessions?.length ?? 0
    const answers = await Promise.all(Array.from({ length: 50 }, open))
    assert.deepEqual(tally(answers), { 200: 1, 400: 49 })
    assert.equal((await app.rows()).sessions?.length, sessions + 1)
  })

  test('T84: the first sign-in of one person in ten browsers at once makes one account', async () => {
    idp.person = {
      sub: 'many',
      name: 'Many',
      email: 'many@example.org',
      preferred_username: 'many',
    }
    const before = (await app.rows()).accounts?.length ?? 0
    const ways = await Promise.all(Array.from({ length: 10 }, () => comeBack()))
    const answers = await Promise.all(ways.map((open) => open()))
    assert.deepEqual(tally(answers), { 200: 10 })
    assert.equal((await app.rows()).accounts?.length, before + 1)
  })
})
