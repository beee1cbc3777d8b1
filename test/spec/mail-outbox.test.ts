// A database makes a difference: rows are counted in transactions that run at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { isPostgres, transact } from '../../src/core/database/transactions.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { NewMail } from '../../src/extras/mail/outbox.ts'
import { admittedMails } from '../../src/extras/mail/store.ts'
import { testApp } from '../app.ts'
import { addMail, emailOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'

const reset = (to: NewMail<'reset'>['to']) =>
  ({
    message: 'reset',
    to,
    facts: { username: 'ann' },
    language: 'en',
  }) as const satisfies NewMail<'reset'>

suite('the outbox', async () => {
  const app = await testApp()
  const services = await servicesOf(app)
  const { outbox } = services
  const ann = await app.account('ann')
  await verifyAddress(app, ann, 'ann@example.org', 'de')
  const states = async (ids: readonly string[]) => {
    const rows = await mailRows(app)
    return ids.map((id) => rows.find((row) => row.id === id)?.state)
  }

  test('a mail commits with its cause, or not at all', async () => {
    const before = await app.rows()
    await assert.rejects(
      transact(app.deps.db, [], async (trx) => {
        await outbox.add(trx, reset({ userId: ann.userId }))
        throw new Error('the cause fails')
      }),
      /the cause fails/,
    )
    assert.deepEqual(await app.rows(), before)
  })

  test('a row has the address of the account sealed, and its priority', async () => {
    const id = await addMail(app, services, {
      ...reset({ userId: ann.userId }),
      expiresAt: app.clock.now() + 1_800_000,
    })
    const [row] = await mailRows(app)
    assert.ok(row)
    const { sealed, address_index, ...plain } = row
    const now = app.clock.now()
    assert.deepEqual(plain, {
      id,
      message: 'reset',
      kind: 'request',
      state: 'waiting',
      user_id: ann.userId,
      confirmation: null,
      flow: null,
      tries: 0,
      is_extra: 0,
      client_index: null,
      priority: 10,
      attempts: 0,
      due_at: 8_640_000_000_000_000, // a node of the version before takes it at no time
      ready_at: now,
      expires_at: now + 1_800_000,
      locked_until: null,
      lease_until: null,
      locked_by: null,
      response: null,
      created_at: now,
      finished_at: null,
    })
    assert.doesNotMatch(JSON.stringify(row), /ann/)
    assert.match(address_index, /^[\w-]{43}$/)
    assert.ok(sealed)
  })

  test('a decoy, an unknown account and a blocked address leave one row that is never sent', async () => {
    const unverified = await app.account('ben')
    const ids = [
      await addMail(app, services, reset({ address: null })),
      await addMail(app, services, reset({ userId: unverified.userId })),
      await addMail(app, services, {
        ...reset({ address: emailOf('decoy@example.org') }),
        isDecoy: true,
      }),
    ]
    assert.deepEqual(await states(ids), ['dropped', 'dropped', 'dropped'])
    const rows = (await mailRows(app)).filter(({ id }) => ids.includes(id))
    for (const row of rows) assert.equal(row.sealed, null)
  })

  test('an undeliverable address gets no notices, and still what its owner asks for', async () => {
    const cat = await app.account('cat')
    await verifyAddress(app, cat, 'cat@example.org')
    await app.deps.db
      .updateTable('accounts')
      .set({ undeliverable_at: app.clock.now(), undeliverable_reason: '550 no such mailbox' })
      .where('user_id', '=', cat.userId)
      .execute()
    const facts = { username: 'cat', at: app.clock.now(), device: null, address: null }
    const ids = [
      await addMail(app, services, {
        message: 'password_changed',
        to: { userId: cat.userId },
        facts,
        language: 'en',
      }),
      await addMail(app, services, reset({ userId: cat.userId })),
    ]
    assert.deepEqual(await states(ids), ['dropped', 'waiting'])
  })

  test('where there is no mail, nothing waits', async () => {
    const off = await testApp({
      NODE_ENV: 'production',
      BASE_URL: 'https://id.example.org',
      TRUST_PROXY: 'none',
    })
    const without = await servicesOf(off)
    assert.equal(without.outbox.isAvailable, false)
    await addMail(off, without, reset({ address: emailOf('a@example.org') }))
    assert.deepEqual(
      (await mailRows(off)).map(({ state }) => state),
      ['dropped'],
    )
  })
})

suite('the limits of mail', async () => {
  const app = await testApp({ MAIL_REQUESTS_PER_CLIENT: '6' })
  const services = await servicesOf(app)
  const stateOf = async (id: string) => (await mailRows(app)).find((row) => row.id === id)?.state
  const send = async (mail: NewMail<'reset'> | NewMail<'sign_in'> | NewMail<'password_changed'>) =>
    stateOf(await addMail(app, services, mail as NewMail<'reset'>))
  const origin = { at: 0, device: null, address: null }

  test('an address gets a message of a name once a minute, however it is spelt', async () => {
    const to = { address: emailOf('one@example.org') }
    assert.equal(await send(reset(to)), 'waiting')
    assert.equal(await send(reset(to)), 'dropped')
    assert.equal(await send(reset({ address: emailOf('ONE@Example.ORG') })), 'dropped')
    const other = {
      ...reset(to),
      message: 'sign_in',
      facts: { username: 'one', ...origin },
    } as const
    assert.equal(await send(other), 'waiting')
    app.clock.advance(59)
    assert.equal(await send(reset(to)), 'dropped')
    app.clock.advance(1)
    assert.equal(await send(reset(to)), 'waiting')
  })

  test('the counts read no dropped ones, however many there are', async () => {
    const { db } = app.deps
    const plans = await transact(db, [], async (trx) => {
      // PostgreSQL would read a table of few rows as a whole.
      if (isPostgres(trx)) await sql`set local enable_seqscan = off`.execute(trx)
      const explain = isPostgres(trx) ? 'explain' : 'explain query plan'
      const planOf = async (column: 'address_index' | 'user_id', value: string | number) => {
        const query = admittedMails(trx, column, value).where('created_at', '>', 0)
        const compiled = query.select('created_at').compile()
        const { rows } = await trx.executeQuery({ ...compiled, sql: `${explain} ${compiled.sql}` })
        return JSON.stringify(rows)
      }
      return [await planOf('address_index', 'a'), await planOf('user_id', 1)]
    })
    // Both indexes leave out what was dropped; without rows PostgreSQL may take either.
    for (const plan of plans) {
      assert.match(plan, /mails_to_(?:address|account)/)
      assert.doesNotMatch(plan, /mails_by_/)
    }
  })

  test('an address gets five an hour, and dropped ones do not count', async () => {
    const to = { address: emailOf('five@example.org') }
    for (let count = 1; count <= 5; count += 1) {
      assert.equal(await send(reset(to)), 'waiting')
      app.clock.advance(60)
    }
    for (let count = 1; count <= 8; count += 1) {
      assert.equal(await send(reset(to)), 'dropped')
      app.clock.advance(60)
    }
    app.clock.advance(3600 - 13 * 60)
    assert.equal(await send(reset(to)), 'waiting')
  })

  test('an account gets ten an hour over its addresses', async () => {
    const { userId } = await app.account('dan')
    const seen = []
    for (let count = 1; count <= 11; count += 1) {
      seen.push(await send(reset({ userId, address: emailOf(`dan${count}@example.org`) })))
    }
    assert.deepEqual(seen, [...Array(10).fill('waiting'), 'dropped'])
  })

  test('one mail of each name with a link passes them in an hour, and no further one', async () => {
    const { userId } = await app.account('fay')
    const to = { userId, address: emailOf('fay@example.org') }
    const link = (confirmation: string) => send({ ...reset(to), confirmation })
    for (let count = 1; count <= 12; count += 1) {
      await send(reset(to))
      app.clock.advance(60)
    }
    assert.equal(await send(reset(to)), 'dropped')
    assert.equal(await link('one'), 'waiting')
    assert.equal(await link('two'), 'dropped', 'once a minute')
    app.clock.advance(60)
    assert.equal(await link('one'), 'dropped', 'a repeat')
    assert.equal(await link('two'), 'dropped', 'another link')
    const signIn = { ...reset(to), message: 'sign_in', confirmation: 'three' } as const
    assert.equal(await send({ ...signIn, facts: { username: 'fay', ...origin } }), 'waiting')
    app.clock.advance(3600)
    assert.equal(await link('one'), 'waiting')
  })

  test('the one mail beyond them is one of the address for all accounts, and of an account for all addresses', async () => {
    const address = emailOf('shared@example.org')
    const seen = []
    for (let count = 1; count <= 8; count += 1) {
      const { userId } = await app.account(`asker${count}`)
      seen.push(await send({ ...reset({ userId, address }), confirmation: `of ${count}` }))
      app.clock.advance(60)
    }
    assert.deepEqual(seen, [...Array(6).fill('waiting'), 'dropped', 'dropped'])
    const { userId } = await app.account('wanderer')
    const wandering = []
    for (let count = 1; count <= 13; count += 1) {
      const to = { userId, address: emailOf(`place${count}@example.org`) }
      wandering.push(await send({ ...reset(to), confirmation: `place ${count}` }))
    }
    assert.deepEqual(wandering, [...Array(11).fill('waiting'), 'dropped', 'dropped'])
  })

  test('each flow gets a message of a name once a minute, within the five an hour', async () => {
    const to = { address: emailOf('flows@example.org') }
    const ask = (flow: string | null) => send({ ...reset(to), flow })
    assert.equal(await ask('theirs'), 'waiting')
    assert.equal(await ask('mine'), 'waiting')
    assert.equal(await ask('theirs'), 'dropped')
    assert.equal(await ask('mine'), 'dropped')
    app.clock.advance(60)
    assert.equal(await ask('mine'), 'waiting')
    for (const flow of ['a', 'b', 'c', 'd']) await ask(flow)
    const rows = await mailRows(app)
    const flows = rows.filter(({ flow, state }) => flow !== null && state === 'waiting')
    assert.equal(flows.length, 5)
  })

  test('no limit holds a notice back', async () => {
    const { userId } = await app.account('eve')
    await verifyAddress(app, { userId }, 'eve@example.org')
    for (let count = 1; count <= 12; count += 1) {
      const state = await send({
        message: 'password_changed',
        to: { userId },
        facts: { username: 'eve', ...origin },
        language: 'en',
      })
      assert.equal(state, 'waiting')
    }
  })

  test('twenty requests at once mail an address once', async () => {
    const to = { address: emailOf('race@example.org') }
    const states = await Promise.all(Array.from({ length: 20 }, () => send(reset(to))))
    assert.equal(states.filter((state) => state === 'waiting').length, 1)
  })

  test('a client that asks for too much is told when it may again, whatever the address', async () => {
    const from = (client: string, address: string | null) =>
      send({ ...reset({ address: address === null ? null : emailOf(address) }), client })
    const started = app.clock.now()
    for (const address of ['c1@example.org', 'c2@example.org', 'c3@example.org']) {
      assert.equal(await from('2001:db8::1', address), 'waiting')
      assert.equal(await from('2001:db8::2', null), 'dropped')
      app.clock.advance(60)
    }
    const before = await app.rows()
    for (const address of ['c4@example.org', 'c1@example.org', null]) {
      await assert.rejects(from('2001:db8::3', address), (error) => {
        assert.ok(error instanceof ApiError)
        assert.equal(error.row, 'tooManyRequests')
        assert.equal(error.retryAfterSeconds, 3600 - 180)
        assert.deepEqual(error.reason, {
          code: 'limit_mail_of_client',
          facts: { used: 6, max: 6, frees_at: started + 3_600_000 },
        })
        return true
      })
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal(await from('2001:db8:0:1::1', 'c5@example.org'), 'waiting')
    app.clock.advance(3600 - 180)
    assert.equal(await from('2001:db8::9', 'c6@example.org'), 'waiting')
  })
})
