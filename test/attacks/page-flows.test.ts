// A database makes a difference: a step is taken by a conditional statement, once of many at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, FlowStart } from '../../src/modules/flows/flows.ts'
import { createPageFlows } from '../../src/modules/flows/page-flows.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { testApp } from '../app.ts'

interface Data {
  readonly left: number
}

/** What the rows of flows hold to, whatever the pages make of them. */
suite('flows of pages', async () => {
  const app = await testApp()
  const { db } = app.deps
  const keys = await loadKeySet(app.deps)
  const flows = createPageFlows({ ...app.deps, keys })
  const browser: Browser = { cookie: 'c'.repeat(43), address: '203.0.113.7' }
  const start: FlowStart<Data> = {
    purpose: 'page_sign_in',
    step: 'password',
    data: { left: 2 },
    returnTo: '/users?page=2',
    seconds: 600,
    language: 'de',
  }
  const begin = (more: Partial<FlowStart<Data>> = {}, from = browser) =>
    flows.begin(db, { ...start, ...more }, from)
  const find = (id: unknown, from: Browser | null = browser) =>
    flows.find<Data>(id, from, 'page_sign_in')
  const expired = { row: 'signInFailed' }

  test('a flow is found by its browser, as it was begun', async () => {
    const begun = await begin()
    assert.deepEqual(await find(begun.id), begun)
    assert.deepEqual(
      [begun.step, begun.data, begun.returnTo, begun.tries, begun.userId, begun.language],
      ['password', { left: 2 }, '/users?page=2', 0, null, 'de'],
    )
    assert.equal(begun.expiresAt, app.clock.now() + 600_000)
  })

  test('an opened flow stores nothing, and its browser alone finds it, until it expires', async () => {
    const before = await app.rows()
    const opened = flows.open(start, browser)
    assert.deepEqual(await app.rows(), before)
    assert.deepEqual(await find(opened.id), opened)
    assert.deepEqual([opened.step, opened.data, opened.sealed], ['password', { left: 2 }, null])
    const [sealed, other] = [Buffer.from(opened.id, 'base64url'), flows.open(start, browser)]
    sealed[20] = (sealed[20] ?? 0) ^ 1
    const wrong = [
      find(sealed.toString('base64url')),
      find(opened.secret),
      find(other.id.slice(0, 60) + opened.id.slice(60)),
      find(opened.id, { ...browser, cookie: 'd'.repeat(43) }),
      find(opened.id, null),
      flows.find(opened.id, browser, 'page_reset'),
    ]
    assert.deepEqual(
      await Promise.all(wrong),
      wrong.map(() => null),
    )
    assert.throws(() => flows.assertForm(opened, other.csrfToken), { row: 'csrfTokenInvalid' })
    const returnTo = (id: unknown, from: Browser | null = browser) =>
      flows.returnToOfExpired(id, from, 'page_sign_in')
    assert.equal(returnTo(opened.id), null)
    app.clock.advance(600)
    assert.equal(await find(opened.id), null)
    assert.equal(returnTo(opened.id), '/users?page=2')
    assert.equal(returnTo(opened.id, { ...browser, cookie: 'd'.repeat(43) }), null)
    assert.equal(returnTo('x'.repeat(300)), null)
    await assert.rejects(flows.advance(db, opened, { step: 'next' }), expired)
    assert.deepEqual(await app.rows(), before)
  })

  test('the longest return address fits into the address of a page', async () => {
    const returnTo = `/signin/application?return_to=${'%3D%26'.repeat(1024)}`
    const opened = flows.open({ ...start, returnTo }, browser)
    assert.ok(opened.id.length < 2000, `${opened.id.length}`)
    assert.deepEqual(await find(opened.id), opened)
  })

  test('a request without a proof stores nothing either, and the key stays', async () => {
    const before = await app.rows()
    const opened = flows.open(start, browser)
    const asked = await flows.advanceUnproven(db, opened, { step: 'code', data: { left: 1 } })
    assert.deepEqual(await app.rows(), before)
    assert.deepEqual(await find(asked.id), asked)
    assert.deepEqual(
      [asked.step, asked.data, asked.key, asked.expiresAt, asked.csrfToken],
      ['code', { left: 1 }, opened.key, opened.expiresAt, opened.csrfToken],
    )
    const stored = await begin()
    const next = await flows.advanceUnproven(db, stored, { step: 'code' })
    assert.deepEqual([(await find(stored.id))?.step, next.id], ['code', stored.id])
  })

  test('a proof stores the flow once, and an older form finds the step that it has reached', async () => {
    const opened = flows.open(start, browser)
    const many = Array.from({ length: 8 }, () => flows.advance(db, opened, { step: 'factor' }))
    const outcomes = await Promise.allSettled(many)
    const [stored] = outcomes.filter(({ status }) => status === 'fulfilled')
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 7)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.row, 'signInFailed')
    }
    assert.ok(stored?.status === 'fulfilled')
    assert.deepEqual(await find(opened.id), stored.value)
    assert.deepEqual(await find(stored.value.id), stored.value)
    assert.deepEqual([stored.value.id, stored.value.key], [opened.secret, opened.key])
    await flows.end(db, stored.value)
    assert.equal(await find(stored.value.id), null)
    assert.equal((await find(opened.id))?.step, 'password', 'what it does next needs a proof again')
  })

  test('another browser, purpose or id, and a text that is none, find nothing', async () => {
    const { id, key } = await begin()
    assert.equal(await find(id, { ...browser, cookie: 'd'.repeat(43) }), null)
    assert.equal(await find(id, null), null)
    assert.equal(await flows.find(id, browser, 'page_reset'), null)
    const others = [key, '', undefined, null, [id], `${id}A`, 'A'.repeat(43), { id }]
    for (const other of others) assert.equal(await find(other), null)
    assert.notEqual(await find(id), null)
  })

  test('a flow ends at its time, for every change too', async () => {
    const flow = await begin({ seconds: 60 })
    app.clock.advance(60)
    assert.equal(await find(flow.id), null)
    await assert.rejects(flows.advance(db, flow, { step: 'next' }), expired)
    await assert.rejects(flows.countTry(flow), expired)
    assert.ok((await flows.purge(100)) > 0)
    const left = await db.selectFrom('flows').select('id').where('id', '=', flow.key).execute()
    assert.deepEqual(left, [])
  })

  test('of many requests at a step one goes on', async () => {
    const flow = await begin()
    const many = Array.from({ length: 8 }, () => flows.advance(db, flow, { step: 'password' }))
    const outcomes = await Promise.allSettled(many)
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.row, 'signInFailed')
    }
  })

  test('one that was read before a change neither goes on nor ends it', async () => {
    const before = await begin()
    const after = await flows.advance(db, before, { step: 'second_factor', data: { left: 1 } })
    assert.deepEqual(await find(before.id), after)
    assert.deepEqual([after.step, after.data.left], ['second_factor', 1])
    await assert.rejects(flows.advance(db, before, { step: 'done' }), expired)
    await assert.rejects(flows.end(db, before), expired)
    assert.deepEqual(await find(before.id), after)
    await flows.end(db, after)
    assert.equal(await find(before.id), null)
    await assert.rejects(flows.end(db, after), expired)
  })

  test('the account is kept from step to step, the return address and the deadline for ever', async () => {
    const begun = await begin()
    const known = await flows.advance(db, begun, { step: 'factor', userId: app.admin.userId })
    const later = await flows.advance(db, known, { step: 'password_change' })
    assert.equal(later.userId, app.admin.userId)
    const found = await find(begun.id)
    assert.deepEqual(
      [found?.returnTo, found?.expiresAt, found?.userId],
      [begun.returnTo, begun.expiresAt, app.admin.userId],
    )
  })

  test('tries are counted one by one, whatever becomes of the request, and anew at a step', async () => {
    const flow = await begin()
    const counts = await Promise.all(Array.from({ length: 5 }, () => flows.countTry(flow)))
    assert.deepEqual(counts.toSorted(), [1, 2, 3, 4, 5])
    const tried = (await find(flow.id)) ?? assert.fail('no flow')
    assert.equal(tried.tries, 5)
    const next = await flows.advance(db, tried, { step: 'code' })
    assert.deepEqual([next.tries, (await find(next.id))?.tries], [0, 0])
    assert.equal(await flows.countTry(next), 1)
  })

  test('the data of a flow cannot be read from its row, nor moved to another one', async () => {
    const one = await begin({ data: { left: 77 } })
    const other = await begin()
    const row = await db
      .selectFrom('flows')
      .selectAll()
      .where('id', '=', one.key)
      .executeTakeFirstOrThrow()
    const text = JSON.stringify(row)
    assert.ok(!text.includes('left') && !text.includes(one.id) && !text.includes(browser.cookie))
    await db.updateTable('flows').set({ sealed: row.sealed }).where('id', '=', other.key).execute()
    await assert.rejects(find(other.id))
    await flows.end(db, { key: other.key, sealed: row.sealed })
  })

  test('a form is that of its flow and its browser', async () => {
    const flow = await begin()
    const [otherFlow, otherBrowser] = [
      await begin(),
      await begin({}, { ...browser, cookie: 'e'.repeat(43) }),
    ]
    flows.assertForm(flow, flow.csrfToken)
    const sent = [otherFlow.csrfToken, otherBrowser.csrfToken, '', undefined, [flow.csrfToken]]
    for (const token of sent) {
      assert.throws(() => flows.assertForm(flow, token), { row: 'csrfTokenInvalid' })
    }
  })

  test('a transaction that fails leaves the step as it was', async () => {
    const flow = await begin()
    const failing = db.transaction().execute(async (trx) => {
      await flows.advance(trx, flow, { step: 'second_factor' })
      throw new Error('as if the power failed')
    })
    await assert.rejects(failing, /power/)
    assert.deepEqual(await find(flow.id), flow)
  })

  test('an address has 1000 of a purpose, and pushes out its own oldest alone', async () => {
    await db.deleteFrom('flows').execute()
    const address = '2001:db8::1'
    const other = await begin()
    await sql`insert into flows
        (id, browser, purpose, provider, sealed, return_to, expires_at, address)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
      select 'pretended ' || i, '', 'page_sign_in', '', '', '/', ${sql.lit(app.clock.now())} + i,
        '2001:db8:0:0::/64' from n`.execute(db)
    const flow = await begin({}, { ...browser, address })
    const left = await db
      .selectFrom('flows')
      .select('id')
      .where('address', '=', '2001:db8:0:0::/64')
      .execute()
    const ids = left.map(({ id }) => id)
    assert.equal(ids.length, 1000)
    assert.ok(!ids.includes('pretended 1') && ids.includes('pretended 2') && ids.includes(flow.key))
    assert.notEqual(await find(other.id), null)
  })

  test('a /48 network has 4000 of a purpose, and pushes out its own oldest alone', async () => {
    await db.deleteFrom('flows').execute()
    const neighbours = ['2001:db8:1:ffff::1', '2001:db8:10::1', '2001:db8::1', '198.51.100.1']
    const kept = []
    for (const address of neighbours.slice(1)) kept.push(await begin({}, { ...browser, address }))
    await sql`insert into flows
        (id, browser, purpose, provider, sealed, return_to, expires_at, address)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
      select 'pretended ' || i, '', 'page_sign_in', '', '', '/', ${sql.lit(app.clock.now())} + i,
        '2001:db8:1:' || i || '::/64' from n`.execute(db)
    const flow = await begin({}, { ...browser, address: neighbours[0] ?? '' })
    const left = await db
      .selectFrom('flows')
      .select('id')
      .where('address', 'like', '2001:db8:1:%')
      .execute()
    const ids = left.map(({ id }) => id)
    assert.equal(ids.length, 4000)
    assert.ok(!ids.includes('pretended 1') && ids.includes('pretended 2') && ids.includes(flow.key))
    for (const { id } of kept) assert.notEqual(await find(id), null)
  })

  test('beyond 100,000 of a purpose none begins, and none is removed for it', async () => {
    await db.deleteFrom('flows').execute()
    await sql`insert into flows
        (id, browser, purpose, provider, sealed, return_to, expires_at, address)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      select 'pretended ' || i, '', 'page_sign_in', '', '', '/',
        ${sql.lit(app.clock.now() + 500_000)}, 'address ' || i from n`.execute(db)
    app.clock.advance(11)
    await assert.rejects(begin(), { row: 'serviceUnavailable', retryAfterSeconds: 30 })
    const { total } = await db
      .selectFrom('flows')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    assert.equal(total, 100_000)
    const { userId } = app.admin
    await flows.end(db, await begin({ userId })) // its proof is that of an account
    await flows.end(db, await begin({ purpose: 'page_reset' }))
    await assert.rejects(flows.advance(db, flows.open(start, browser), { step: 'next' }), {
      row: 'serviceUnavailable',
    })
    await db.deleteFrom('flows').execute()
    app.clock.advance(1)
    await begin()
  })
})
