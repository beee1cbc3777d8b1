// A database makes a difference: on PostgreSQL other nodes read which kept tokens have ended.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry, writeClients } from '../clients.ts'
import { countedDatabase } from '../counted-database.ts'
import { heard } from '../database.ts'
import type { PageBrowser } from '../page-browser.ts'
import { runJob } from '../statistics.ts'
import { application, providerApp, relyingParty, signedIn, userinfo } from './application.ts'

const rights = { may: ['introspect'], audiences: ['api'] }
const notes = application('notes', { allow: ['USER'], ...rights })
const machine = {
  ...{ id: 'machine', type: 'machine', secret_hash: entry('machine').secret_hash, ...rights },
}

async function introspected(app: TestApp, token: string, by = 'notes') {
  const call = { headers: asClient(by), form: { token } }
  const { status, body } = await app.call('POST', '/oauth/introspect', call)
  assert.equal(status, 200)
  return body
}

interface Login {
  readonly who: Someone
  readonly browser: PageBrowser
  readonly token: string
}

type End = (app: TestApp, login: Login) => Promise<unknown>

const asAdmin = (app: TestApp) => ({ headers: app.basic(app.admin) })
const change =
  (json: object): End =>
  (app, { who }) =>
    app.call('PUT', `/api/admin/accounts/${who.username}`, { ...asAdmin(app), json })

const ends: readonly (readonly [string, End])[] = [
  [
    'a sign-out',
    async (_, { browser }) => {
      await browser.open('/signout')
      await browser.submit()
    },
  ],
  ['a lock', change({ locked: true })],
  ['a role that the application does not let in', change({ roles: ['EDITOR'] })],
  [
    'the deletion of the user',
    (app, { who }) => app.call('DELETE', `/users/${who.userId}`, asAdmin(app)),
  ],
  [
    'the withdrawal of the access',
    async (_, { browser }) => {
      await browser.open('/account/applications')
      await browser.submit()
    },
  ],
  [
    'the revocation by the application',
    (app, { token }) =>
      app.call('POST', '/oauth/revoke', { headers: asClient('notes'), form: { token } }),
  ],
]

suite('a token that a node keeps in memory', async () => {
  const one = await providerApp([notes, machine])
  const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile([notes, machine]) }
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const rp = await relyingParty(one, 'notes')
  let made = 0

  for (const [name, end] of ends) {
    test(`ends at both nodes with ${name}`, async () => {
      made += 1
      const who = await one.account(`person${made}`)
      await heard(two)
      const { browser, tokens } = await signedIn(one, rp, who)
      const token = tokens.access_token
      for (const node of [one, two, one, two]) {
        assert.equal((await introspected(node, token)).active, true)
      }
      await end(one, { who, browser, token })
      await heard(two)
      for (const node of [one, two]) {
        assert.deepEqual(await introspected(node, token), { active: false })
      }
    })
  }

  test('shows new roles at once at both nodes', async () => {
    const who = await one.account('riser')
    await heard(two)
    const { tokens } = await signedIn(one, rp, who)
    const rolesAt = async (node: TestApp) => (await introspected(node, tokens.access_token)).roles
    for (const node of [one, two]) assert.deepEqual(await rolesAt(node), ['USER'])
    await change({ roles: ['USER', 'EDITOR'] })(one, { who } as Login)
    await heard(two)
    for (const node of [one, two]) assert.deepEqual(await rolesAt(node), ['USER', 'EDITOR'])
  })

  test('of an application itself ends at both nodes by its revocation', async () => {
    const { access_token } = await client.clientCredentialsGrant(await relyingParty(one, 'machine'))
    const activeAt = async (node: TestApp) =>
      (await introspected(node, access_token, 'machine')).active
    for (const node of [one, two, two]) assert.equal(await activeAt(node), true)
    const call = { headers: asClient('machine'), form: { token: access_token } }
    assert.equal((await one.call('POST', '/oauth/revoke', call)).status, 200)
    await heard(two)
    for (const node of [one, two]) assert.equal(await activeAt(node), false)
  })
})

suite('a kept token of a session that is used at another node alone', async () => {
  const idle = { SESSION_IDLE_SECONDS: '300' }
  const one = await providerApp([notes], idle)
  const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile([notes]), ...idle }
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const rp = await relyingParty(one, 'notes')

  test('lives as long as the session', async () => {
    const { browser, tokens } = await signedIn(one, rp, await one.account('walker'))
    await heard(two)
    const isActive = async () => (await introspected(two, tokens.access_token)).active
    const flush = one.app.jobs.find(({ name }) => name === 'session activity')
    assert.equal(await isActive(), true)
    for (let step = 0; step < 3; step += 1) {
      one.clock.advance(200)
      await browser.open('/account')
      await flush?.run()
    }
    assert.equal(await isActive(), true)
    one.clock.advance(200)
    assert.equal(await isActive(), true)
    one.clock.advance(100) // no later than the end of the token
    assert.equal(await isActive(), false)
  })
})

suite('a kept token with offline_access', async () => {
  const entryWith = (scopes: readonly string[]) => application('notes', { ...rights, scopes })
  const path = clientsFile([entryWith(['openid', 'offline_access'])])
  const app = await providerApp([], { CLIENTS_FILE: path })
  const rp = await relyingParty(app, 'notes')

  test('counts as long as the entry has the scope, as at userinfo', async () => {
    const more = { scope: 'openid offline_access', prompt: 'consent' }
    const { tokens } = await signedIn(app, rp, await app.account('ann'), more)
    const token = tokens.access_token
    assert.equal((await introspected(app, token)).active, true)
    writeClients(path, [entryWith(['openid'])])
    await runJob(app, 'clients file')
    assert.deepEqual(await introspected(app, token), { active: false })
    assert.equal((await userinfo(app, token)).status, 401)
  })
})

suite('what introspection costs in the database', async () => {
  const counted = await countedDatabase()
  const app = await providerApp([notes], {}, counted.options)
  const rp = await relyingParty(app, 'notes')
  const { tokens } = await signedIn(app, rp, await app.account('ann'))

  test('a token that is known costs no statement', async () => {
    const ask = () => introspected(app, tokens.access_token)
    await ask()
    const { count, result } = await counted.during(ask)
    assert.equal(result.active, true)
    assert.deepEqual(count, { statements: 0, transactions: 0, roundTrips: 0 })
  })
})
