// A database makes a difference: rows are found and removed by client.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { type TestApp, testApp } from '../app.ts'
import { clientsFile, writeClients } from '../clients.ts'
import { runJob } from '../statistics.ts'
import {
  application,
  errorOf,
  open,
  providerApp,
  relyingParty,
  request,
  signedIn,
  userinfo,
} from './application.ts'

suite('an application that is taken out of the file', async () => {
  const scopes = ['openid', 'profile', 'offline_access']
  const both = [application('notes', { scopes }), application('other', { scopes })]
  const path = clientsFile(both)
  const app = await providerApp([], { CLIENTS_FILE: path })
  const rp = await relyingParty(app, 'notes')
  const other = await relyingParty(app, 'other')
  const kept = { scope: 'openid offline_access', prompt: 'consent' }
  const use = async (clients: readonly object[]) => {
    writeClients(path, clients)
    await runJob(app, 'clients file')
  }
  const consents = async () =>
    (await app.rows()).provider_consents?.map((row) => (row as { client: string }).client).sort()
  const later = async (seconds: number) => {
    app.clock.advance(seconds)
    await runJob(app, 'removed applications')
  }

  test('for a moment loses nothing', async () => {
    const { tokens } = await signedIn(app, rp, await app.account('ann'), kept)
    await use(both.slice(1))
    await later(0)
    await later(599)
    assert.equal((await userinfo(app, tokens.access_token)).status, 401, 'while it is gone')
    await use(both)
    await later(2)
    await use(both.slice(1))
    await later(0)
    await later(599)
    await use(both)
    assert.deepEqual(await consents(), ['notes'])
    assert.equal(
      await errorOf(client.refreshTokenGrant(rp, tokens.refresh_token ?? '')),
      'no error',
    )
  })

  test('for ten minutes leaves nothing to a later one of its id, and others keep theirs', async () => {
    const who = await app.account('bob')
    const { browser, tokens } = await signedIn(app, rp, who, kept)
    const { tokens: others } = await signedIn(app, other, who, { browser, ...kept })
    await use(both.slice(1))
    await later(0)
    await later(600)
    assert.deepEqual(await consents(), ['other'])
    const left = JSON.stringify((await app.rows()).provider_artifacts)
    assert.ok(!left.includes('"notes"'))
    const ended = app.log.filter(({ event }) => event === 'application_accesses_ended')
    assert.deepEqual(
      ended.map(({ client: id, consents: count }) => [id, count]),
      [['notes', 2]],
    )
    await later(600)
    assert.equal(app.log.filter(({ event }) => event === 'application_accesses_ended').length, 1)
    await use(both)
    const refused = errorOf(client.refreshTokenGrant(rp, tokens.refresh_token ?? ''))
    assert.equal(await refused, '400 invalid_grant')
    assert.equal(await open(browser, (await request(rp, { scope: 'openid' })).address), null)
    assert.match(browser.form().action, /^\/oauth\/interaction\//, 'the consent is asked again')
    const refreshed = client.refreshTokenGrant(other, others.refresh_token ?? '')
    assert.equal(await errorOf(refreshed), 'no error')
  })
})

suite('a node with an older file', async () => {
  const notes = application('notes')
  const one = await providerApp([notes, application('other')])
  const file = clientsFile([application('other')])
  const env = { PROVIDER: 'on', CLIENTS_FILE: file }
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const rp = await relyingParty(one, 'notes')
  const minutes = async (count: number, nodes: readonly TestApp[]) => {
    for (let minute = 0; minute < count; minute += 1) {
      for (const node of nodes) await runJob(node, 'removed applications')
      one.clock.advance(60)
    }
  }

  test('ends nothing while another node has the client, and then all of it', async () => {
    await signedIn(one, rp, await one.account('ann'))
    const consents = async () => (await one.rows()).provider_consents?.length
    await minutes(25, [two, one])
    assert.equal(await consents(), 1)
    await minutes(10, [two])
    await minutes(1, [two])
    assert.equal(await consents(), 0)
  })
})

suite('a file of clients that is broken, gone or empty', async () => {
  const path = clientsFile([application('notes', { scopes: ['openid', 'offline_access'] })])
  const app = await providerApp([], { CLIENTS_FILE: path })
  const rp = await relyingParty(app, 'notes')
  const kept = { scope: 'openid offline_access', prompt: 'consent' }
  const { tokens } = await signedIn(app, rp, await app.account('ann'), kept)
  const consents = async () => (await app.rows()).provider_consents?.length ?? 0
  const later = async (seconds: number) => {
    app.clock.advance(seconds)
    await runJob(app, 'clients file')
    await runJob(app, 'removed applications')
  }

  test('broken or gone ends nothing, and its clients stay', async () => {
    for (const breakFile of [
      () => writeFileSync(path, ''),
      () => writeFileSync(path, '[{]'),
      () => writeFileSync(path, '[{"id":"notes"}]'),
      () => rmSync(path),
    ]) {
      breakFile()
      await later(0)
      await later(601)
      assert.equal(await consents(), 1, breakFile.toString())
    }
    assert.equal(
      await errorOf(client.refreshTokenGrant(rp, tokens.refresh_token ?? '')),
      'no error',
    )
  })

  test('empty ends what its clients had after a day', async () => {
    writeClients(path, [])
    await later(0)
    await later(86_399)
    assert.equal(await consents(), 1)
    await later(1)
    assert.equal(await consents(), 0)
  })
})
