import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

suite('a provider whose issuer changes during a sign-in', async () => {
  const first = await identityProvider()
  const second = await identityProvider()
  const clock = clockOfToday()
  const before = await testApp(settingsFor(first), { clock })
  // The same service, started again with another issuer below the same name.
  const after = await testApp(settingsFor(second), { clock, directory: before.directory })

  test('is not sent the code of the one before: the sign-in has failed', async () => {
    const browser = testBrowser(before)
    const { headers } = await browser.call('GET', '/oauth/login')
    const url = await browser.until(String(headers.location))
    url.searchParams.delete('iss') // RFC 9207 would tell; many providers do not send it
    second.asked.length = 0
    const rows = await after.rows('flows')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await after.call('GET', `${url.pathname}${url.search}`, { headers: { cookie } })
    assertRefusal(answer, 400, 'Sign-in failed')
    assert.equal(answer.cookies.JSESSIONID, undefined)
    assert.deepEqual(second.asked, [], 'nothing was asked there, let alone with the code')
    assert.deepEqual(await after.rows('flows'), rows)
    assert.deepEqual((await after.rows()).flows, [], 'and the flow is used up')
  })
})
