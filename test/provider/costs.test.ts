// A database makes a difference: statements are counted at its driver.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { type CountedDatabase, countedDatabase } from '../counted-database.ts'
import {
  application,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  signedIn,
} from './application.ts'

const most = 11 + 2 // begin and commit

async function assertCost<T>(counted: CountedDatabase, work: () => Promise<T>): Promise<T> {
  const { count, result } = await counted.during(work)
  assert.equal(count.transactions, 1)
  assert.ok(count.statements <= most, `${count.statements} statements`)
  return result
}

suite('a request of an application for tokens is one transaction of few statements', async () => {
  const counted = await countedDatabase()
  const app = await providerApp([application('notes')], {}, counted.options)
  const rp = await relyingParty(app, 'notes')
  const { browser, tokens } = await signedIn(app, rp, await app.account('ann'))

  test('a refresh', async () => {
    const use = (token = '') => client.refreshTokenGrant(rp, token)
    const first = await use(tokens.refresh_token)
    await assertCost(counted, () => use(first.refresh_token))
  })

  test('a code', async () => {
    const asked = await request(rp)
    const at = await open(browser, asked.address)
    await assertCost(counted, () => redeem(rp, asked, at))
  })
})
