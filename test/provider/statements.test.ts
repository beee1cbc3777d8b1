// A database makes a difference: each statement is a turn of it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { countedDatabase } from '../counted-database.ts'
import {
  application,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signedIn,
  userinfo,
} from './application.ts'

suite('what a request of the protocol costs in the database', async () => {
  const counted = await countedDatabase()
  const app = await providerApp([application('notes')], {}, counted.options)
  const rp = await relyingParty(app, 'notes')
  const { browser, tokens } = await signedIn(app, rp, await app.account('ann'))

  test('a refresh is one transaction of eleven statements at most', async () => {
    const refresh = () => client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    const { count } = await counted.during(refresh)
    assert.equal(count.transactions, 1)
    assert.ok(count.statements <= 11, `${count.statements} statements`)
  })

  test('a code is too', async () => {
    const asked = await request(rp)
    const at = await open(browser, asked.address)
    const { count } = await counted.during(() => redeem(rp, asked, at))
    assert.equal(count.transactions, 1)
    assert.ok(count.statements <= 11, `${count.statements} statements`)
  })

  test('userinfo writes nothing', async () => {
    const { count } = await counted.during(() => userinfo(app, tokens.access_token))
    assert.equal(count.transactions, 0)
    assert.ok(count.statements <= 6, `${count.statements} statements`)
  })
})
