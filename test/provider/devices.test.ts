// A database makes a difference: a code is decided once, and used once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { testApp } from '../app.ts'
import { asClient, clientsFile, deviceApplication } from '../clients.ts'
import { fixedClock } from '../clock.ts'
import { pageBrowser } from '../page-browser.ts'
import { interruptedReads } from '../watched-database.ts'
import {
  application,
  errorOf,
  issuer,
  providerApp,
  relyingParty,
  settle,
  signIn,
  userinfo,
} from './application.ts'

suite('a device without a browser', async () => {
  const scopes = ['openid', 'profile', 'offline_access']
  const app = await providerApp(
    [
      deviceApplication('tv', { scopes }),
      deviceApplication('staff', { allow: ['EDITOR'] }),
      application('notes'),
    ],
    {},
    { clock: fixedClock(new Date().toISOString()) }, // intervals of seconds, on a machine that may be busy
  )
  const rp = await relyingParty(app, 'tv')
  const ann = await app.account('ann')
  const begin = () => client.initiateDeviceAuthorization(rp, { scope: 'openid profile' })
  const grant = 'urn:ietf:params:oauth:grant-type:device_code'
  const poll = ({ device_code }: client.DeviceAuthorizationResponse) =>
    client.genericGrantRequest(rp, grant, { device_code })

  test('gets tokens when a person has allowed it, by its code', async () => {
    const device = await begin()
    assert.equal(device.verification_uri, `${issuer}/device`)
    const shape = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/ // 34 bits
    assert.match(device.user_code, shape)
    assert.equal(await errorOf(poll(device)), '400 authorization_pending')
    const browser = pageBrowser(app)
    const complete = new URL(device.verification_uri_complete ?? '')
    await browser.open(`${complete.pathname}${complete.search}`)
    await signIn(browser, ann)
    assert.equal(browser.heading(), 'Connect a device')
    await browser.submit()
    assert.equal(browser.heading(), 'Sign in to Television on a device?')
    assert.match(browser.page().text, new RegExp(device.user_code))
    assert.match(browser.page().text, /127\.0\.0\.1/)
    app.clock.advance(5)
    assert.equal(await errorOf(poll(device)), '400 authorization_pending')
    await browser.submit({}, 'value="allow"')
    assert.equal(browser.heading(), 'The device is connected')
    const tokens = await poll(device)
    const { body } = await userinfo(app, tokens.access_token)
    assert.equal(body.preferred_username, 'ann')
    await browser.open('/signout')
    await browser.submit()
    assert.equal(await settle(browser), null)
    const next = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    assert.equal((await userinfo(app, next.access_token)).status, 200, 'it stays signed in')
    assert.equal(await errorOf(poll(device)), '400 invalid_grant', 'used')
    assert.equal((await userinfo(app, next.access_token)).status, 401)
  })

  test('gets nothing when the person refuses', async () => {
    const device = await begin()
    const browser = pageBrowser(app)
    await browser.open('/device')
    await signIn(browser, ann)
    await browser.submit({ user_code: device.user_code.toLowerCase() })
    await browser.submit({}, 'value="deny"')
    assert.equal(browser.heading(), 'The device is refused')
    assert.equal(await errorOf(poll(device)), '400 access_denied')
  })

  test('of an application for others is refused, whatever form is sent', async () => {
    const staff = await relyingParty(app, 'staff')
    const device = await client.initiateDeviceAuthorization(staff, { scope: 'openid' })
    const browser = pageBrowser(app)
    await browser.open('/device')
    await signIn(browser, ann)
    await browser.submit({ user_code: device.user_code })
    assert.match(browser.page().text, /may not use Television/)
    await browser.submit({ decision: 'allow' }, 'value="deny"')
    assert.equal(browser.heading(), 'The device is refused')
  })

  test('waits its interval between two requests, which grows each time it does not', async () => {
    const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile([deviceApplication('tv', { scopes })]) }
    const two = await testApp(env, { directory: app.directory, clock: app.clock })
    const device = await begin()
    const form = { grant_type: grant, device_code: device.device_code, client_id: 'tv' }
    let sent = 0
    const after = async (seconds: number) => {
      app.clock.advance(seconds)
      sent += 1
      const at = sent % 2 ? app : two
      const { status, body } = await at.call('POST', '/oauth/token', {
        headers: asClient('tv'),
        form,
      })
      return `${status} ${body.error}`
    }
    const [pending, slowDown] = ['400 authorization_pending', '400 slow_down']
    assert.equal(await after(0), pending)
    assert.equal(await after(3), slowDown, 'the interval is 10 s now')
    assert.equal(await after(9), slowDown, '15 s')
    assert.equal(await after(13), slowDown, '20 s')
    assert.equal(await after(20), pending)
    assert.equal(await after(18), slowDown, '25 s')
    assert.equal(await after(25), pending)
    const other = await begin()
    assert.equal(await errorOf(poll(other)), pending, 'each code has its own interval')
    const browser = pageBrowser(app)
    await browser.open(`/device?user_code=${device.user_code}`)
    await signIn(browser, ann)
    await browser.submit()
    await browser.submit({}, 'value="allow"')
    assert.equal(await after(0), '200 undefined', 'a decision is told at once')
  })

  test('that asks at both nodes at once waits once', async () => {
    const device = await begin()
    const answers = await Promise.all([1, 2, 3].map(() => errorOf(poll(device))))
    const expected = ['400 authorization_pending', '400 slow_down', '400 slow_down']
    assert.deepEqual(answers.sort(), expected)
    app.clock.advance(14)
    assert.equal(await errorOf(poll(device)), '400 slow_down', 'twice 5 s more')
  })

  test('codes are guessed a few times for an address', async () => {
    const browser = pageBrowser(app, { from: '203.0.113.9' })
    await browser.open('/device')
    await signIn(browser, ann)
    const statuses: number[] = []
    for (let count = 0; count < 30; count += 1) {
      await browser.open('/device')
      const { status } = await browser.submit({ user_code: `BCDF-BCD${count}` })
      statuses.push(status)
    }
    assert.equal(statuses.at(-1), 429, statuses.join())
    assert.ok(statuses.filter((status) => status === 200).length <= 10)
  })

  test('a form of another site decides nothing', async () => {
    const device = await begin()
    const { cookie } = await app.session(ann)
    const form = { user_code: device.user_code, decision: 'allow', csrf_token: 'x' }
    const { status } = await app.call('POST', '/device/decide', { headers: { cookie }, form })
    assert.equal(status, 403)
    assert.equal(await errorOf(poll(device)), '400 authorization_pending')
  })
})

suite('a session that ends while a person decides about a device', async () => {
  const { options, atNextRead, isWaiting } = await interruptedReads('provider_artifacts')
  const app = await providerApp([deviceApplication('tv')], {}, options)
  const rp = await relyingParty(app, 'tv')
  const ann = await app.account('ann')

  test('gives the device nothing', async () => {
    const device = await client.initiateDeviceAuthorization(rp, { scope: 'openid' })
    const browser = pageBrowser(app)
    await browser.open('/device')
    await signIn(browser, ann)
    await browser.submit({ user_code: device.user_code })
    const before = (await app.rows()).provider_artifacts
    atNextRead(async () => {
      const path = `/api/admin/accounts/${ann.username}/sessions`
      assert.equal((await app.call('DELETE', path, { headers: app.basic(app.admin) })).status, 200)
    })
    const { status } = await browser.submit({}, 'value="allow"')
    assert.equal(isWaiting(), false)
    assert.equal(status, 400)
    const rows = await app.rows()
    assert.deepEqual([rows.provider_artifacts, rows.provider_consents], [before, []])
    assert.equal(app.log.filter(({ event }) => event === 'application_access_given').length, 0)
  })
})
