// A database makes a difference: counts come from a statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { fixedClock } from '../../../test/clock.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { createFlowLimit } from './limit.ts'
import { flowStore, type StoredFlow } from './store.ts'

const maxPerPurpose = 100_000

suite('the limits of flows', async () => {
  const db = await databaseWithAccounts(1)
  const clock = fixedClock()
  const limitOf = () =>
    createFlowLimit({ clock, what: 'flows of tests', reason: 'too_many_page_flows' })
  const made = (more: Partial<StoredFlow> = {}): StoredFlow => ({
    ...{ id: 'new', browser: '', purpose: 'page_sign_in', provider: '', userId: null },
    ...{ sealed: '', returnTo: '/', expiresAt: clock.now() + 60_000, address: '203.0.113.7' },
    ...{ step: '', tries: 0, language: null, ...more },
  })
  /** Inserts many at once; each ends so many milliseconds after the one before. */
  const fill = (count: number, { address, userId, expiresAt }: StoredFlow, apart = 1) =>
    sql`insert into flows
        (id, browser, purpose, provider, user_id, sealed, return_to, expires_at, address)
      with recursive numbers (n) as (
        select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select ${sql.lit(`${address} `)} || n, '', 'page_sign_in', '', ${sql.lit(userId)}, '', '/',
        ${sql.lit(expiresAt)} + n * ${sql.lit(apart)}, ${sql.lit(address)} from numbers`.execute(db)
  const ids = async () => {
    const rows = await db.selectFrom('flows').select('id').execute()
    return new Set(rows.map(({ id }) => id))
  }
  const clear = () => db.deleteFrom('flows').execute()

  for (const [what, address, max, flow] of [
    ['an address', '203.0.113.7', 1000, made()],
    ['a network', '2001:db8:1:2::/64', 4000, made({ address: '2001:db8:1:3::/64' })],
  ] as const) {
    test(`keep ${max} flows of ${what}`, async () => {
      await fill(max, made({ address }))
      await flowStore(db).insert(flow)
      await flowStore(db).insert(made({ id: 'other', address: '2001:db8:2:3::/64' }))
      await limitOf().removeOldest(db, flow)
      await limitOf().removeOldest(db, flow)
      const left = await ids()
      assert.equal(left.size, max + 1)
      assert.deepEqual([left.has(`${address} 1`), left.has(`${address} 2`)], [false, true])
      await clear()
    })
  }

  test('keep 20 flows of an account, and none counts for an address', async () => {
    await fill(20, made({ userId: 1, address: '' }))
    await fill(1001, made())
    const flow = made({ userId: 1, address: '' })
    await flowStore(db).insert(flow)
    await limitOf().removeOldest(db, flow)
    const left = await ids()
    assert.equal(left.size, 20 + 1001)
    assert.deepEqual([left.has(' 1'), left.has(' 2')], [false, true])
    await clear()
  })

  test('refuse a flow without an account where 100,000 are under way, per purpose', async () => {
    const limit = limitOf()
    const room = (more: Partial<StoredFlow> = {}) => limit.assertRoom(db, made(more))
    const assertFull = () =>
      assert.rejects(room(), {
        row: 'serviceUnavailable',
        cause: 'too many flows of tests are under way',
        reason: { code: 'too_many_page_flows' },
        retryAfterSeconds: 30,
      })
    await fill(maxPerPurpose - 2, made({ address: 'x', expiresAt: clock.now() + 500 }), 0)
    await room()
    await room()
    await assertFull()
    await assertFull()
    await room({ userId: 1 })
    await room({ purpose: 'page_reset' })
    // A full count is taken again after a second, another one after ten.
    clock.advance(0.999)
    await assertFull()
    clock.advance(0.001)
    await room()
    clock.advance(-9.999)
    await room()
    clock.advance(-0.001)
    await room()
    await room()
    await assertFull()
    clock.advance(9.999)
    for (let more = 0; more < 3; more += 1) await room()
  })
})
