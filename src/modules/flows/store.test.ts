// A database makes a difference: rows are inserted once, and the order of the oldest comes from a statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { endWaitingSignIns, flowStore, purgeFlows, type StoredFlow } from './store.ts'

const now = 1_000_000

suite('stored flows', async () => {
  const db = await databaseWithAccounts(2)
  const store = flowStore(db)
  let count = 0
  const made = (more: Partial<StoredFlow> = {}): StoredFlow => {
    count += 1
    return {
      ...{ id: `flow${count}`, browser: 'ann', purpose: 'page_sign_in', provider: 'acme' },
      ...{ userId: null, sealed: `sealed${count}`, returnTo: '/users', expiresAt: now + 1 },
      ...{ address: '203.0.113.7', step: 'password', tries: 0, language: 'de' },
      ...more,
    }
  }
  const insert = async (more: Partial<StoredFlow> = {}) => {
    const flow = made(more)
    assert.equal(await store.insert(flow), true)
    return flow
  }
  const ids = async () => {
    const rows = await db.selectFrom('flows').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id).toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
  }
  const clear = () => db.deleteFrom('flows').execute()
  const of = { purpose: 'page_sign_in', now }

  test('are found whole by id, browser and purpose until their end, and stay', async () => {
    const flow = await insert({ userId: 1, language: null })
    await insert()
    const { id, browser } = flow
    assert.deepEqual(await store.find({ id, browser }, of), flow)
    assert.deepEqual(await store.find({ id, browser }, of), flow)
    const wrong = [
      store.find({ id: 'flow0', browser }, of),
      store.find({ id, browser: 'bob' }, of),
      store.find({ id, browser }, { ...of, purpose: 'page_reset' }),
      store.find({ id, browser }, { ...of, now: now + 1 }),
    ]
    assert.deepEqual(await Promise.all(wrong), [null, null, null, null])
    await clear()
  })

  test('are not inserted twice under one id', async () => {
    const flow = await insert()
    assert.equal(await store.insert({ ...flow, step: 'other' }), false)
    assert.deepEqual(await store.find(flow, of), flow)
    await clear()
  })

  test('are taken once, by their browser and provider, until their end', async () => {
    const [flow, other] = [await insert(), await insert()]
    const { id, browser } = flow
    const by = { provider: 'acme', now }
    assert.equal(await store.take({ id: 'flow0', browser }, by), null)
    assert.equal(await store.take({ id, browser: 'bob' }, by), null)
    assert.equal(await store.take({ id, browser }, { ...by, provider: 'other' }), null)
    assert.equal(await store.take({ id, browser }, { ...by, now: now + 1 }), null)
    assert.deepEqual(await ids(), [id, other.id])
    assert.deepEqual(await store.take({ id, browser }, by), flow)
    assert.equal(await store.take({ id, browser }, by), null)
    assert.deepEqual(await ids(), [other.id])
    await clear()
  })

  test('advance from the text that was read, until their end', async () => {
    const [flow, other] = [await insert({ sealed: 'same' }), await insert({ sealed: 'same' })]
    await store.countTry(flow.id, now)
    const next = { step: 'second_factor', sealed: 'next', userId: 1, tries: 0 }
    assert.equal(await store.advance({ ...flow, sealed: 'before' }, next, now), false)
    assert.equal(await store.advance(flow, next, now + 1), false)
    assert.deepEqual(await store.find(flow, of), { ...flow, tries: 1 })
    assert.equal(await store.advance(flow, next, now), true)
    assert.equal(await store.advance(flow, next, now), false)
    assert.deepEqual(await store.find(flow, of), { ...flow, ...next })
    assert.deepEqual(await store.find(other, of), other)
    await clear()
  })

  test('are removed if they are as they were read', async () => {
    const [flow, other] = [await insert({ sealed: 'same' }), await insert({ sealed: 'same' })]
    assert.equal(await store.remove({ ...flow, sealed: 'before' }), false)
    assert.equal((await ids()).length, 2)
    assert.equal(await store.remove(flow), true)
    assert.equal(await store.remove(flow), false)
    assert.deepEqual(await ids(), [other.id])
    await clear()
  })

  test('count their tries until their end', async () => {
    const [flow, other] = [await insert(), await insert()]
    assert.equal(await store.countTry(flow.id, now), 1)
    assert.equal(await store.countTry(flow.id, now), 2)
    assert.equal(await store.countTry(flow.id, now + 1), null)
    assert.equal(await store.countTry('flow0', now), null)
    assert.deepEqual(
      [await store.find(flow, of), await store.find(other, of)],
      [{ ...flow, tries: 2 }, other],
    )
    await clear()
  })

  test('of a step belong to a person in a browser, the newest first, at most 20', async () => {
    const wanted = { browser: 'ann', purpose: 'page_confirm', step: 'email', userId: 1, now }
    const own = { purpose: 'page_confirm', step: 'email', userId: 1 } as const
    const found = []
    for (const at of [3, 1, 2]) found.push(await insert({ ...own, expiresAt: now + at }))
    await insert({ ...own, browser: 'bob' })
    await insert({ ...own, purpose: 'page_account' })
    await insert({ ...own, step: 'password' })
    await insert({ ...own, userId: 2 })
    await insert({ ...own, expiresAt: now })
    const [third, first, second] = found
    assert.deepEqual(await store.ofStep(wanted), [third, second, first])
    for (let more = 0; more < 20; more += 1) await insert({ ...own, expiresAt: now + 10 })
    const most = await store.ofStep(wanted)
    assert.deepEqual(
      [most.length, most.every(({ expiresAt }) => expiresAt === now + 10)],
      [20, true],
    )
    await clear()
  })

  test('of a purpose without an account are counted until their end', async () => {
    await insert()
    await insert({ address: '2001:db8:1:2::/64' })
    await insert({ userId: 1, address: '' })
    await insert({ expiresAt: now })
    await insert({ purpose: 'page_reset' })
    assert.equal(Number(await store.countOfAddresses('page_sign_in', now)), 2)
    assert.equal(Number(await store.countOfAddresses('page_sign_up', now)), 0)
    await clear()
  })

  const bounds = [
    {
      name: 'an account',
      of: { userId: 1 },
      own: { userId: 1, address: '' },
      other: { userId: 2 },
    },
    {
      ...{ name: 'an address', of: { address: '203.0.113.7' } },
      ...{ own: { address: '203.0.113.7' }, other: { address: '203.0.113.70' } },
    },
    {
      ...{ name: 'a network', of: { network: '2001:db8:1:' } },
      ...{ own: { address: '2001:db8:1:2::/64' }, other: { address: '2001:db8:10:2::/64' } },
    },
  ]
  for (const bound of bounds) {
    test(`of ${bound.name} beyond the limit are removed, the oldest first`, async () => {
      const kept = [
        await insert({ ...bound.own, expiresAt: now + 9 }),
        await insert(bound.other),
        await insert({ ...bound.own, purpose: 'page_reset' }),
      ]
      if ('network' in bound.of) kept.push(await insert({ address: '2001:db8:0:2::/64' }))
      const old = await insert({ ...bound.own, expiresAt: now + 4 })
      kept.push(await insert({ ...bound.own, expiresAt: now + 5 }))
      // Its end may be the first, if it is short.
      const newest = await insert({ ...bound.own, expiresAt: now + 1 })
      kept.push(newest)
      await store.bound(newest, bound.of, 4)
      assert.ok((await ids()).includes(old.id))
      await store.bound(newest, bound.of, 3)
      assert.deepEqual(
        await ids(),
        kept.map(({ id }) => id),
      )
      await clear()
    })
  }

  test('beyond the limit are removed by the hundred', async () => {
    for (let more = 0; more < 105; more += 1) await insert()
    await store.bound(await insert(), { address: '203.0.113.7' }, 2)
    assert.equal((await ids()).length, 6)
    await clear()
  })

  test('that wait for a sign-in of an account end with it', async () => {
    const kept = [
      await insert({ userId: 1, purpose: 'page_account' }),
      await insert({ userId: 2 }),
      await insert(),
    ]
    await insert({ userId: 1 })
    await insert({ userId: 1, purpose: 'second_factor' })
    await endWaitingSignIns(db, 1)
    assert.deepEqual(
      await ids(),
      kept.map(({ id }) => id),
    )
    await clear()
  })

  test('are purged after their end, in batches', async () => {
    for (let more = 0; more < 3; more += 1) await insert({ expiresAt: now })
    const kept = await insert()
    assert.equal(await purgeFlows(db, now, 2), 2)
    assert.equal(await purgeFlows(db, now, 2), 1)
    assert.equal(await purgeFlows(db, now, 2), 0)
    assert.deepEqual(await ids(), [kept.id])
    await clear()
  })
})
