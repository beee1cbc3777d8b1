import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { asClient } from '../clients.ts'
import { runJob } from '../statistics.ts'
import { application, issuer, providerApp, relyingParty, signedIn } from './application.ts'
import { startListener } from './listener.ts'

suite('metrics of the provider', async () => {
  const listener = await startListener()
  const backchannel_logout_uri = listener.url
  const app = await providerApp([
    application('notes', { backchannel_logout_uri }),
    application('report', { type: 'machine', redirect_uris: undefined, ...api() }),
  ])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')

  function api() {
    return { resource: issuer, scopes: ['posts:read'] }
  }

  /** The series of a metric that are not 0. */
  async function read(name: string) {
    const { text } = await app.call('GET', '/metrics', { headers: app.basic(app.admin) })
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith(`gatehouse_application_${name}{`))
    assert.ok(lines.length > 0, name)
    const series = lines.map((line) => /\{(.*)\} (\d+)$/.exec(line)?.slice(1) ?? [])
    return Object.fromEntries(series.filter(([, count]) => count !== '0'))
  }

  test('tokens by type and grant, refusals by error, logouts by result; nothing else', async () => {
    const { browser, tokens } = await signedIn(app, rp, ann)
    await client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    const form = { grant_type: 'client_credentials', scope: 'posts:read', resource: issuer }
    const machine = await app.call('POST', '/oauth/token', { headers: asClient('report'), form })
    assert.equal(machine.status, 200, machine.text)
    assert.deepEqual(await read('tokens_issued_total'), {
      'type="web",grant="authorization_code"': '1',
      'type="web",grant="refresh_token"': '1',
      'type="machine",grant="client_credentials"': '1',
    })
    const wrong = { grant_type: 'refresh_token', refresh_token: 'x' }
    for (const headers of [asClient('notes'), asClient('notes', 'not the secret')]) {
      await app.call('POST', '/oauth/token', { headers, form: wrong })
    }
    await app.call('POST', '/oauth/token', { headers: asClient('notes'), json: {} })
    assert.deepEqual(await read('refusals_total'), {
      'error="invalid_grant"': '1',
      'error="invalid_client"': '1',
      'error="invalid_request"': '1',
    })
    listener.answer(500)
    await browser.open('/signout')
    await browser.submit()
    await runJob(app, 'sign-outs of applications')
    listener.answer(200)
    app.clock.advance(60)
    await runJob(app, 'sign-outs of applications')
    assert.deepEqual(await read('logouts_total'), {
      'result="deferred"': '1',
      'result="delivered"': '1',
    })
  })
})
