// A database makes a difference: two nodes share it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { type TestApp, testApp } from '../app.ts'
import { clientsFile } from '../clients.ts'
import { heard } from '../database.ts'
import { pageBrowser } from '../page-browser.ts'
import {
  allow,
  application,
  errorOf,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signedIn,
  signIn,
  userinfo,
} from './application.ts'

suite('two nodes are one provider', async () => {
  const clients = [application('notes')]
  const one = await providerApp(clients)
  const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile(clients) }
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const atOne = await relyingParty(one, 'notes')
  const atTwo = await relyingParty(two, 'notes')

  /** Sends each request to the other node than the one before. */
  function inTurn(first: TestApp, second: TestApp): TestApp {
    let sent = 0
    const call: TestApp['call'] = (...request) => {
      sent += 1
      return (sent % 2 ? first : second).call(...request)
    }
    return { ...one, call }
  }

  for (const [name, first, second] of [
    ['one', one, two],
    ['two', two, one],
  ] as const) {
    test(`each step at the other node, the first at node ${name}`, async () => {
      const who = await one.account(`first-at-${name}`)
      await heard(two)
      const browser = pageBrowser(inTurn(first, second))
      const asked = await request(atOne)
      assert.equal(await open(browser, asked.address), null)
      assert.equal(await signIn(browser, who), null)
      const tokens = await redeem(atTwo, asked, await allow(browser))
      const next = await client.refreshTokenGrant(atOne, tokens.refresh_token ?? '')
      for (const node of [one, two]) {
        assert.equal((await userinfo(node, tokens.access_token)).status, 200)
        assert.equal((await userinfo(node, next.access_token)).status, 200)
      }
    })
  }

  test('a code that both nodes get at once is used once at most, and its tokens end', async () => {
    const who = await one.account('racer')
    await heard(two)
    const browser = pageBrowser(one)
    const asked = await request(atOne)
    await open(browser, asked.address)
    await signIn(browser, who)
    const at = await allow(browser)
    const answers = await Promise.allSettled([redeem(atOne, asked, at), redeem(atTwo, asked, at)])
    const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    assert.ok(given.length <= 1, `${given.length} answers`)
    for (const { access_token } of given) {
      for (const node of [one, two]) assert.equal((await userinfo(node, access_token)).status, 401)
    }
  })

  test('what ends at one node has ended at the other', async () => {
    const who = await one.account('leaver')
    await heard(two)
    const { browser, tokens } = await signedIn(one, atOne, who)
    assert.equal((await userinfo(two, tokens.access_token)).status, 200)
    await browser.open('/signout')
    await browser.submit()
    await heard(two)
    assert.equal((await userinfo(two, tokens.access_token)).status, 401)
    const refused = errorOf(client.refreshTokenGrant(atTwo, tokens.refresh_token ?? ''))
    assert.equal(await refused, '400 invalid_grant')
  })
})
