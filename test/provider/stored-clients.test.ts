import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { callback } from '../clients.ts'
import { pageBrowser } from '../page-browser.ts'
import {
  errorOf,
  issuer,
  open,
  providerApp,
  relyingParty,
  request,
  signedIn,
  userinfo,
} from './application.ts'
import { signIn } from './pages.ts'

const path = '/api/admin/clients'
const entry = { type: 'web', name: 'Wiki', redirect_uris: [callback] }

suite('an application of the database', async () => {
  const app = await providerApp([])
  const headers = app.basic(app.admin)
  const add = async (id: string): Promise<string> => {
    const made = await app.call('POST', path, { headers, json: { id, ...entry } })
    assert.equal(made.status, 201)
    return made.body.secret
  }
  const change = async (id: string, json: object) =>
    assert.equal((await app.call('PUT', `${path}/${id}`, { headers, json })).status, 200)
  const remove = async (id: string) =>
    assert.equal((await app.call('DELETE', `${path}/${id}`, { headers })).status, 200)

  test('signs people in by its secret, and by no other', async () => {
    const rp = await relyingParty(app, 'wiki', { secret: await add('wiki') })
    const { tokens } = await signedIn(app, rp, await app.account('ann'))
    assert.equal((await userinfo(app, tokens.access_token)).status, 200)
    const wrong = await relyingParty(app, 'wiki', { secret: 'not this one' })
    const refused = client.refreshTokenGrant(wrong, tokens.refresh_token ?? '')
    await assert.rejects(refused, { status: 401 })
  })

  test('has nothing while it is disabled, and what it had when it is enabled', async () => {
    const rp = await relyingParty(app, 'off', { secret: await add('off') })
    const { tokens } = await signedIn(app, rp, await app.account('bob'))
    const statusOf = async () => (await userinfo(app, tokens.access_token)).status
    await change('off', { ...entry, disabled: true })
    assert.equal(await statusOf(), 401)
    const refused = client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    await assert.rejects(refused, { status: 401 })
    await change('off', entry)
    assert.equal(await statusOf(), 200)
  })

  test('has no more than its entry names, from the next request on', async () => {
    const who = await app.account('eve')
    const rp = await relyingParty(app, 'less', { secret: await add('less') })
    const more = { ...entry, resource: issuer }
    await change('less', { ...more, scopes: ['openid', 'groups', 'offline_access', 'posts:read'] })
    const wanted = {
      ...{ scope: 'openid groups offline_access posts:read', prompt: 'consent' },
      ...{ resource: issuer, browser: pageBrowser(app) },
    }
    const { tokens } = await signedIn(app, rp, who, wanted)
    const api = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '', { resource: issuer })
    const posts = async () => {
      const headers = { authorization: `Bearer ${api.access_token}` }
      return (await app.call('GET', '/api/posts', { headers })).status
    }
    const { groups, sub } = (await userinfo(app, tokens.access_token)).body
    assert.deepEqual(groups, ['USER'])
    assert.equal(await posts(), 200)
    await change('less', { ...more, scopes: ['openid', 'offline_access', 'posts:write'] })
    assert.deepEqual((await userinfo(app, tokens.access_token)).body, { sub })
    assert.equal(await posts(), 403)
    await change('less', { ...more, scopes: ['openid'] })
    const refused = errorOf(client.refreshTokenGrant(rp, api.refresh_token ?? ''))
    assert.equal(await refused, '400 invalid_grant')
  })

  test('leaves nothing to another that gets its id: no token, no consent', async () => {
    const who = await app.account('cleo')
    const rp = await relyingParty(app, 'gone', { secret: await add('gone') })
    const { browser, tokens } = await signedIn(app, rp, who)
    await remove('gone')
    const rows = await app.rows()
    const left = JSON.stringify([rows.provider_artifacts, rows.provider_consents])
    assert.ok(!left.includes('"gone"'))
    const other = await relyingParty(app, 'gone', { secret: await add('gone') })
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    const refused = errorOf(client.refreshTokenGrant(other, tokens.refresh_token ?? ''))
    assert.equal(await refused, '400 invalid_grant')
    assert.equal(await open(browser, (await request(other)).address), null)
    assert.match(browser.form().action, /^\/oauth\/interaction\//, 'the consent is asked again')
    assert.match(browser.page().text, new RegExp(new URL(callback).host), 'where it goes on')
  })

  test('that is removed in the middle of a sign-in leads to a page of ours', async () => {
    const who = await app.account('dora')
    const rp = await relyingParty(app, 'short', { secret: await add('short') })
    const browser = pageBrowser(app)
    const { address } = await request(rp)
    assert.equal(await open(browser, address), null)
    await remove('short')
    assert.equal(await signIn(browser, who), null)
    assert.equal(browser.heading(), 'This sign-in cannot be finished')
    const { provider_consents } = await app.rows()
    assert.ok(!JSON.stringify(provider_consents).includes('"short"'))
  })
})
