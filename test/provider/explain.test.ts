// A database makes a difference: tokens are found by their digests.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import type { Someone } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { clientsFile, writeClients } from '../clients.ts'
import { pageBrowser } from '../page-browser.ts'
import { runJob } from '../statistics.ts'
import {
  allow,
  application,
  errorOf,
  issuer,
  open,
  providerApp,
  relyingParty,
  request,
  signedIn,
  signIn,
  userinfo,
} from './application.ts'

const access = 'access token of an application'
const refresh = 'refresh token of an application'

suite('why a token of an application counts or not', async () => {
  const scopes = ['openid', 'profile', 'email', 'groups', 'posts:read']
  const entry = (more: object = {}) =>
    application('notes', { scopes, resource: issuer, allow: ['USER', 'EDITOR'], ...more })
  const path = clientsFile([entry()])
  const app = await providerApp([], { CLIENTS_FILE: path })
  const rp = await relyingParty(app, 'notes')
  let made = 0

  const someone = () => {
    made += 1
    return app.account(`someone${made}`)
  }
  const tokensOf = async (who: Someone) => (await signedIn(app, rp, who)).tokens
  const change = (who: Someone, json: object) =>
    app.call('PUT', `/api/admin/accounts/${who.username}`, {
      headers: app.basic(app.admin),
      json,
    })
  const ask = async (json: object) => {
    const headers = app.basic(app.admin)
    const { body, text } = await app.call('POST', '/api/admin/explain', { headers, json })
    assert.ok(body.of, text)
    return body
  }
  /** By the whole token, by the field of the console: the same answer. */
  const explained = async (token = '') => {
    const answer = await ask({ token })
    assert.deepEqual(await ask({ text: token }), answer)
    assert.ok(!JSON.stringify(answer).includes(token))
    return answer
  }
  const use = async (clients: readonly object[]) => {
    writeClients(path, clients)
    await runJob(app, 'clients file')
  }

  test('one that counts: whose, of which client, for which scopes, until when', async () => {
    const who = await someone()
    const tokens = await tokensOf(who)
    for (const [token, of] of [
      [tokens.access_token, access],
      [tokens.refresh_token, refresh],
    ] as const) {
      const answer = await explained(token)
      const { facts, passes, subject, username } = answer
      assert.deepEqual([answer.of, passes, answer.code], [of, true, null])
      assert.deepEqual([subject, username], [String(who.userId), who.username])
      assert.deepEqual(
        [facts.client, facts.scopes],
        ['notes', ['openid', 'profile', 'email', 'groups']],
      )
      assert.match(facts.expires_at, /^\d{4}-.*Z$/)
    }
    const before = await app.rows()
    await explained(tokens.refresh_token)
    assert.deepEqual((await app.rows()).provider_artifacts, before.provider_artifacts)
    const { body } = await app.call('GET', '/oauth/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    assert.equal(body.sub, String(who.userId))
  })

  test('a code', async () => {
    const who = await someone()
    const browser = pageBrowser(app)
    await open(browser, (await request(rp)).address)
    await signIn(browser, who)
    const code = new URL((await allow(browser)) ?? '').searchParams.get('code') ?? ''
    const { of, passes, username } = await explained(code)
    assert.deepEqual([of, passes, username], ['code of an application', true, who.username])
  })

  test('a JWT for the API of this service', async () => {
    const who = await someone()
    const more = { scope: 'openid posts:read', resource: issuer }
    const { browser, tokens } = await signedIn(app, rp, who, more)
    const api = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '', { resource: issuer })
    const answer = await explained(api.access_token)
    assert.deepEqual([answer.of, answer.passes], [access, true])
    assert.deepEqual([answer.username, answer.facts.client], [who.username, 'notes'])
    assert.deepEqual(answer.facts.scopes, ['posts:read'])
    await browser.open('/signout')
    await browser.submit()
    const after = await explained(api.access_token)
    assert.deepEqual([after.passes, after.status], [false, 401])
    assert.match(after.code, /^application_(token|login)_ended$/)
  })

  test('one whose account is locked, and what remedies it', async () => {
    const who = await someone()
    const { access_token } = await tokensOf(who)
    await app.deps.db
      .updateTable('accounts')
      .set({ active: 0 })
      .where('user_id', '=', who.userId)
      .execute()
    const { code, facts, remedies, status } = await explained(access_token)
    assert.deepEqual([code, status, remedies], ['account_disabled', 401, ['enable']])
    assert.equal(facts.client, 'notes')
  })

  test('one whose account lacks the role', async () => {
    const who = await someone()
    const { access_token, refresh_token } = await tokensOf(who)
    await use([entry({ allow: ['EDITOR'] })])
    const [one, other] = [await explained(access_token), await explained(refresh_token)]
    await use([entry()])
    assert.deepEqual([one.code, one.facts.roles], ['application_role_missing', ['EDITOR']])
    assert.deepEqual([one.status, one.error], [401, 'invalid_token'])
    assert.deepEqual([other.status, other.error], [400, 'invalid_grant'])
    assert.deepEqual(one.remedies, ['change_roles'])
  })

  test('one that the entry of its application no longer allows', async () => {
    const kept = [...scopes, 'offline_access']
    await use([entry({ scopes: kept })])
    const more = { scope: 'openid offline_access', prompt: 'consent' }
    const { access_token, refresh_token } = (await signedIn(app, rp, await someone(), more)).tokens
    await use([entry({ scopes: kept, two_factor: true })])
    const { code, status } = await explained(refresh_token)
    const refused = errorOf(client.refreshTokenGrant(rp, refresh_token ?? ''))
    assert.deepEqual([code, status], ['application_entry_changed', 400])
    assert.equal(await refused, '400 invalid_grant')
    assert.equal((await userinfo(app, access_token)).status, 200)
    assert.equal((await explained(access_token)).passes, true)
    await use([entry()])
    for (const token of [access_token, refresh_token]) {
      const { code, facts, passes } = await explained(token)
      assert.deepEqual([passes, code], [false, 'application_entry_changed'])
      assert.equal(facts.client, 'notes')
    }
    assert.equal((await userinfo(app, access_token)).status, 401)
  })

  test('one whose client is gone', async () => {
    const { access_token } = await tokensOf(await someone())
    await use([])
    const { code, facts } = await explained(access_token)
    await use([entry()])
    assert.deepEqual([code, facts.client], ['application_unknown', 'notes'])
  })

  test('a refresh token that was used, within the grace and after it', async () => {
    const { refresh_token } = await tokensOf(await someone())
    await client.refreshTokenGrant(rp, refresh_token ?? '')
    assert.equal((await explained(refresh_token)).passes, true)
    app.clock.advance(60)
    const { code, passes, status } = await explained(refresh_token)
    assert.deepEqual([passes, code, status], [false, 'application_grant_used', 400])
  })

  test('one that has ended, and one that never was', async () => {
    const who = await someone()
    const { access_token } = await tokensOf(who)
    await change(who, { locked: true })
    for (const token of [access_token, 'x'.repeat(43)]) {
      const { code, of, passes, subject } = await explained(token)
      assert.deepEqual([of, passes], ['token of an application', false])
      assert.deepEqual([code, subject], ['application_token_ended', null])
    }
  })

  test('by the command line, which does not show it', async () => {
    const who = await someone()
    const { access_token } = await tokensOf(who)
    const env = { PROVIDER: 'on', CLIENTS_FILE: path }
    const surroundings = { env, stdin: access_token, clock: app.clock }
    const { code, stdout, stderr } = await gatehouse(
      app.directory,
      'explain --token --json',
      surroundings,
    )
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).username, who.username)
    assert.ok(!stdout.includes(access_token))
  })
})
