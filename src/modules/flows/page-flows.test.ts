// A database makes a difference: a flow is found by its row.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import type { Browser, FlowStart } from './flows.ts'
import { createPageFlows, type PageFlowsDeps } from './page-flows.ts'

suite('flows of pages', async () => {
  const db = await databaseWithAccounts(1)
  const clock = fixedClock()
  const keys = { dataKey: Buffer.alloc(32, 1) } as unknown as PageFlowsDeps['keys'] // what they read
  const flows = createPageFlows({ db, asyncCommitDb: db, clock, keys, random: seededRandom(1) })
  const browser: Browser = { cookie: 'c'.repeat(43), address: '203.0.113.7' }
  const start: FlowStart<object> = {
    ...{ purpose: 'page_sign_in', step: 'password', data: { left: 2 }, returnTo: '/users' },
    seconds: 600,
  }

  test('take a form with the token of the flow; the reason says whether there was another', () => {
    const flow = flows.open(start, browser)
    flows.assertForm(flow, flow.csrfToken)
    const refused = (code: string) => ({ row: 'csrfTokenInvalid', reason: { code } })
    for (const none of [undefined, null, '']) {
      assert.throws(() => flows.assertForm(flow, none), refused('csrf_token_absent'))
    }
    const { csrfToken } = flows.open(start, browser)
    for (const other of [csrfToken, 'x', 7, [flow.csrfToken], { csrfToken: flow.csrfToken }]) {
      assert.throws(() => flows.assertForm(flow, other), refused('csrf_token_other'))
    }
  })

  test('that have expired keep their return address for their browser alone', () => {
    const { id } = flows.open(start, browser)
    const returnTo = (of: unknown, from: Browser | null = browser) =>
      flows.returnToOfExpired(of, from, 'page_sign_in')
    clock.advance(599.999)
    assert.equal(returnTo(id), null)
    clock.advance(0.001)
    assert.equal(returnTo(id), '/users')
    assert.equal(returnTo(id, null), null)
    assert.equal(returnTo(id, { ...browser, cookie: 'd'.repeat(43) }), null)
    assert.equal(flows.returnToOfExpired(id, browser, 'page_reset'), null)
    for (const none of [undefined, null, '', 7, [id]]) assert.equal(returnTo(none), null)
  })

  test('begin without a try, an account or a row', () => {
    const { csrfToken, id, key, secret, ...flow } = flows.open(start, browser)
    const { seconds, ...begun } = start
    const expiresAt = clock.now() + seconds * 1000
    const none = { tries: 0, userId: null, sealed: null, language: null }
    assert.deepEqual(flow, { ...begun, ...none, browser, expiresAt })
    assert.equal(new Set([csrfToken, id, key, secret]).size, 4)
  })

  test('count for their account, or else for the address of the browser', async () => {
    const addressOf = async (userId: number | null) => {
      const { key } = await flows.begin(db, { ...start, userId }, browser)
      const row = db.selectFrom('flows').select('address').where('id', '=', key)
      return (await row.executeTakeFirst())?.address
    }
    assert.deepEqual([await addressOf(1), await addressOf(null)], ['', browser.address])
  })

  test('are found by a text and a browser', async () => {
    const begun = await flows.begin(db, { ...start, userId: 1 }, browser)
    assert.deepEqual(await flows.find(begun.id, browser, 'page_sign_in'), begun)
    for (const [id, from] of [
      [begun.id, null],
      [[begun.id], browser],
      [undefined, browser],
    ] as const) {
      assert.equal(await flows.find(id, from, 'page_sign_in'), null)
    }
  })
})
