// A database makes a difference: a subject is computed anew from what a copy or another node has.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import type { Someone, TestApp } from '../app.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { steppingClock } from '../clock.ts'
import { backupOf, restoredApp } from '../copies.ts'
import { keep, newKey } from '../master-key-rotation.ts'
import {
  application,
  callback,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signedIn,
  userinfo,
} from './application.ts'

const elsewhere = 'https://shop.example.org/callback'
const pairwise = { subject: 'pairwise' }
const clients = [
  application('notes', pairwise),
  application('drafts', { ...pairwise, redirect_uris: [callback, `${callback}/2`] }),
  application('elsewhere', { ...pairwise, redirect_uris: [elsewhere] }),
  application('public'),
  entry('audit', { audiences: ['notes', 'public'], may: ['introspect'] }),
]
const format = /^[\w-]{43}$/

async function subjectAt(app: TestApp, id: string, who: Someone): Promise<string> {
  const { tokens } = await signedIn(app, await relyingParty(app, id), who, { scope: 'openid' })
  return tokens.claims()?.sub ?? ''
}

suite('a pairwise subject', async () => {
  const app = await providerApp(clients)
  const rp = await relyingParty(app, 'notes')
  const [ann, bob] = [await app.account('ann'), await app.account('bob')]

  test('is the same in all that an application gets, and no id', async () => {
    const { browser, tokens } = await signedIn(app, rp, ann)
    const sub = tokens.claims()?.sub ?? ''
    assert.match(sub, format)
    assert.equal((await userinfo(app, tokens.access_token)).body.sub, sub)
    const next = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    assert.equal(decodeJwt(next.id_token ?? '').sub, sub)
    const hint = { id_token_hint: tokens.id_token ?? '', prompt: 'none' }
    const again = await request(rp, hint)
    const answer = await redeem(rp, again, await open(browser, again.address))
    assert.equal(answer.claims()?.sub, sub)
    const form = { token: next.access_token }
    const call = { headers: asClient('audit'), form }
    const { body } = await app.call('POST', '/oauth/introspect', call)
    assert.deepEqual([body.active, body.sub, body.username], [true, sub, 'ann'])
    const all = JSON.stringify([tokens.claims(), body])
    assert.ok(!new RegExp(`"${ann.userId}"`).test(all), all)
  })

  test('names nobody without the scope profile', async () => {
    const { tokens } = await signedIn(app, rp, ann, { scope: 'openid' })
    const call = { headers: asClient('audit'), form: { token: tokens.access_token } }
    const { body } = await app.call('POST', '/oauth/introspect', call)
    assert.deepEqual([body.active, body.username], [true, undefined])
    assert.match(body.sub, format)
  })

  test('is one for a host and a person', async () => {
    const ofAnn = await subjectAt(app, 'notes', ann)
    assert.equal(await subjectAt(app, 'drafts', ann), ofAnn)
    assert.notEqual(await subjectAt(app, 'notes', bob), ofAnn)
    assert.equal(await subjectAt(app, 'public', ann), String(ann.userId))
  })

  test('of another host is another', async () => {
    const other = await relyingParty(app, 'elsewhere')
    const asked = await request(other, { redirect_uri: elsewhere, scope: 'openid' })
    const { browser } = await signedIn(app, rp, ann)
    await open(browser, asked.address)
    await browser.submit({}, 'value="allow"')
    const at = /content="0; ?url=([^"]*)"/i.exec(browser.page().text)?.[1]?.replaceAll('&amp;', '&')
    await browser.open(at ?? '')
    const target = new URL(browser.elsewhere() ?? '')
    const { nonce, state, verifier } = asked
    const tokens = await client.authorizationCodeGrant(other, target, {
      ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
    })
    assert.match(tokens.claims()?.sub ?? '', format)
    assert.notEqual(tokens.claims()?.sub, await subjectAt(app, 'notes', ann))
  })

  test('a hint of the public subject is not the person', async () => {
    const { tokens } = await signedIn(app, await relyingParty(app, 'public'), ann)
    const { browser } = await signedIn(app, rp, ann)
    const hint = { id_token_hint: tokens.id_token ?? '', prompt: 'none' }
    const at = new URL((await open(browser, (await request(rp, hint)).address)) ?? '')
    assert.equal(at.searchParams.get('code'), null)
  })

  test('is offered, and no row has it', async () => {
    const { body } = await app.call('GET', '/.well-known/openid-configuration')
    assert.deepEqual(body.subject_types_supported, ['public', 'pairwise'])
    const sub = await subjectAt(app, 'notes', ann)
    assert.ok(!JSON.stringify(await app.rows()).includes(sub))
  })
})

suite('a pairwise subject stays', () => {
  test('under another master key, and in a restored copy', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const file = join(directory, 'one.master')
    keep(file, newKey())
    const env = { PROVIDER: 'on', CLIENTS_FILE: clientsFile(clients) }
    const own = { ...env, MASTER_KEY: '', MASTER_KEY_FILE: file }
    const app = await providerApp(clients, own, { directory })
    const ann = await app.account('ann')
    const before = await subjectAt(app, 'notes', ann)
    keep(`${file}.next`, newKey())
    const { now, wait } = steppingClock(app.clock)
    const clock = {
      now,
      async wait(milliseconds: number) {
        for (const job of app.app.jobs) {
          if (job.name === 'keys of other processes') await job.run()
        }
        await wait(milliseconds)
      },
    }
    const words = 'keys rotate-master --json --processes 1'
    const turned = await gatehouse(directory, words, { env: own, clock })
    assert.equal(turned.code, 0, turned.stderr)
    assert.equal(await subjectAt(app, 'notes', ann), before)
    const restored = await restoredApp(await backupOf(app), app, {}, env)
    assert.equal(await subjectAt(restored, 'notes', ann), before)
    const fresh = await testApp(env, { seed: 77 })
    const other = await subjectAt(fresh, 'notes', await fresh.account('ann'))
    assert.notEqual(other, before, 'another service has another key')
  })
})
