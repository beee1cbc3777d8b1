import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { digest } from '../../src/core/crypto/digest.ts'
import { type Headers, testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { proofOf } from '../proofs.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

/** Anyone can begin a sign-in: what one address, or one account, can make of it. */
suite('sign-ins under way', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const app = await testApp({ ...settingsFor(idp), TRUST_PROXY: '127.0.0.1' }, { clock })
  const { db } = app.deps
  const flood = '203.0.113.9'
  const via = (address: string): Headers => ({ 'x-forwarded-for': address })
  const begin = (address: string) => app.call('GET', '/oauth/login', { headers: via(address) })

  const begun = (address: string) =>
    db.selectFrom('flows').select('id').where('address', '=', address).orderBy('id').execute()
  /** As if this many had begun, the first the longest ago. */
  async function pretend(count: number, address: string) {
    const until = clock.now() + 500_000
    await sql`insert into flows
        (id, browser, purpose, provider, sealed, return_to, expires_at, address)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
      select ${sql.lit(address)} || ' ' || i, '', 'sign_in', 'default', '', '/', ${sql.lit(until)} + i,
        ${sql.lit(address)} from n`.execute(db)
  }
  async function count() {
    const { rows } = await sql<{ total: number }>`select count(*) as total from flows`.execute(db)
    return rows[0]?.total
  }
  const job = (wanted: string) => app.app.jobs.find(({ name }) => name === wanted)?.run()
  /** A browser that stands at the callback, and would be signed in by the next request. */
  async function underWay() {
    const browser = testBrowser(app)
    const { headers } = await browser.call('GET', '/oauth/login')
    const { pathname, search } = await browser.until(String(headers.location))
    return () => browser.call('GET', `${pathname}${search}`)
  }

  test('one address has 1000, and pushes out its own oldest alone', async () => {
    const comeBack = await underWay()
    await pretend(999, flood)
    const others = await begun('127.0.0.1')
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assert.equal((await begin(flood)).status, 303)
    }
    const left = (await begun(flood)).map(({ id }) => id)
    assert.equal(left.length, 1000)
    for (const gone of [1, 2]) assert.ok(!left.includes(`${flood} ${gone}`))
    for (const kept of [3, 999]) assert.ok(left.includes(`${flood} ${kept}`))
    assert.deepEqual(await begun('127.0.0.1'), others)
    assert.equal((await comeBack()).status, 200)
    await db.deleteFrom('flows').execute()
  })

  test('of many at once from one address no more than 1000 stay, once one more has begun', async () => {
    await pretend(995, flood)
    const answers = await Promise.all(Array.from({ length: 20 }, () => begin(flood)))
    assert.ok(answers.every(({ status }) => status === 303))
    await begin(flood)
    assert.equal((await begun(flood)).length, 1000)
    await db.deleteFrom('flows').execute()
  })

  test('IPv6 counts by its /64', async () => {
    await pretend(999, '2001:db8:1:2::/64')
    for (const last of ['1', 'ffff:1', '2']) await begin(`2001:db8:1:2::${last}`)
    assert.equal((await begun('2001:db8:1:2::/64')).length, 1000)
    await begin('2001:db8:1:3::1')
    assert.equal((await begun('2001:db8:1:3::/64')).length, 1)
    await db.deleteFrom('flows').execute()
  })

  test('all addresses together have 100,000: one more is 503, and those under way go on', async () => {
    const comeBack = await underWay()
    await pretend(100_000, 'everywhere')
    clock.advance(10)
    await job('sign-ins under way')
    const before = await app.rows('flows')
    assert.equal(await count(), 100_001, 'nothing that is under way is removed')
    const answer = await begin('198.51.100.1')
    assertRefusal(answer, 503, 'Service unavailable')
    assert.equal(answer.headers['retry-after'], '30')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual([await app.rows('flows'), await count()], [before, 100_001])
    assert.equal((await comeBack()).status, 200)
    clock.advance(700)
    assert.equal((await begin('198.51.100.1')).status, 303, 'what has expired does not count')
    await db.deleteFrom('flows').execute()
  })

  test('one account has 20 links, and pushes out its own oldest alone', async () => {
    const [ann, ben] = [await app.account('linker'), await app.account('other')]
    const link = async (headers: Headers) => {
      const json = { provider: 'default', ...(await proofOf(app, headers)) }
      return app.call('POST', '/api/account/identities', { headers, json })
    }
    await link(await app.bearer(ben))
    const headers = await app.bearer(ann)
    const begun: string[] = [] // the digests of their states
    for (let attempt = 0; attempt < 23; attempt += 1) {
      clock.advance(1)
      const { body } = await link(headers)
      begun.push(digest(new URL(body.url).searchParams.get('state') ?? ''))
    }
    const rows = await db.selectFrom('flows').select(['id', 'user_id', 'address']).execute()
    const own = rows.filter(({ user_id }) => user_id === ann.userId)
    assert.deepEqual(own.map(({ id }) => id).sort(), begun.slice(3).sort(), 'the latest stay')
    assert.equal(rows.length, 21)
    assert.ok(rows.every(({ address }) => address === ''))
  })
})
