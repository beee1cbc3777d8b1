// A database makes a difference: rows are leased and opened by statements of their own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { isPostgres } from '../../src/core/database/transactions.ts'
import type { NewMail } from '../../src/extras/mail/outbox.ts'
import { mailStore } from '../../src/extras/mail/queue.ts'
import { createSealedMail } from '../../src/extras/mail/sealed-mail.ts'
import { testApp } from '../app.ts'
import { addMail, emailOf, mailerOf, mailRows, servicesOf, verifyAddress } from '../mail.ts'
import { startRelay } from '../relay.ts'

suite('mail of an account, which is sealed under the key of its person', async () => {
  const relay = await startRelay()
  const app = await testApp(relay.env)
  const { db, clock, random } = app.deps
  const services = await servicesOf(app)
  const { keys } = services
  const mailer = mailerOf(app, services)
  const ann = await app.account('ann')
  await verifyAddress(app, ann, 'ann@example.org')
  const add = (to: NewMail<'test'>['to']) =>
    addMail(app, services, { message: 'test', to, facts: { at: clock.now() }, language: 'en' })
  const row = async (id: string) =>
    (await mailRows(app)).find((mail) => mail.id === id) ?? assert.fail('no row')

  /** The statement by which a node of 0.7.0 leases a row. */
  const leaseOfOlder = async (now: number) => {
    const free = sql`select id from mails
      where (state = 'waiting' and due_at <= ${now}
             or state = 'sending' and locked_until <= ${now})
      order by priority, due_at limit 1`
    const isFree = isPostgres(db)
      ? sql`= any(array(${free} for update skip locked))`
      : sql`in (${free})`
    const { rows } = await sql<{ id: string }>`update mails
      set state = 'sending', locked_by = 'older', locked_until = ${now + 1000},
          attempts = attempts + 1
      where id ${isFree} returning id`.execute(db)
    return rows[0]?.id
  }
  const leaseMs = 240_000
  const lease = (now: number) => mailStore(db).lease({ owner: 'one', now })

  test('is never leased by a node that knows the data key alone; other mail still is', async () => {
    const own = await add({ userId: ann.userId })
    const later = clock.now() + 90 * 86_400_000
    assert.equal(await leaseOfOlder(later), undefined)
    assert.equal((await lease(clock.now()))?.id, own)
    assert.equal(await leaseOfOlder(later), undefined, 'nor when the lease has ended')
    assert.equal(await lease(clock.now() + leaseMs - 1), null)
    const again = (await lease(clock.now() + leaseMs)) ?? assert.fail('a killed worker keeps it')
    const due = clock.now() + 5000
    assert.ok(await mailStore(db).retry(again, due))
    assert.equal(await leaseOfOlder(later), undefined, 'nor when it was put back')
    assert.equal(await lease(due - 1), null)

    const other = await add({ address: emailOf('other@example.org') })
    assert.equal(await leaseOfOlder(clock.now()), other)
    assert.equal(await lease(clock.now() + 999), null, 'nor does this version take one of theirs')
    assert.equal((await lease(clock.now() + 1000))?.id, other)
    assert.equal(await leaseOfOlder(clock.now() + 999 + leaseMs), undefined)
    assert.equal(await leaseOfOlder(clock.now() + 1000 + leaseMs), other)
    await db.deleteFrom('mails').execute()
  })

  test('goes out once, also if an older node had it repeated, and a row of an older node does', async () => {
    const own = await add({ userId: ann.userId })
    await db.updateTable('mails').set({ due_at: clock.now() }).where('id', '=', own).execute()
    const sealedMail = createSealedMail({ keys, random })
    const content = { address: 'ann@example.org', language: 'en', facts: { at: 0 } } as const
    const older = await add({ userId: ann.userId })
    await db
      .updateTable('mails')
      .set({ sealed: sealedMail.seal(older, content), due_at: clock.now(), ready_at: null })
      .where('id', '=', older)
      .execute()
    await mailer.run()
    for (const id of [own, older]) {
      const { state, sealed, locked_until, lease_until } = await row(id)
      assert.deepEqual([state, sealed, locked_until, lease_until], ['sent', null, null, null])
    }
    assert.deepEqual(
      relay.mails.splice(0).map(({ to }) => to),
      [['ann@example.org'], ['ann@example.org']],
    )
  })

  test('opens under no other key, and under none after an erasure', async () => {
    const ben = await app.account('ben')
    await verifyAddress(app, ben, 'ben@example.org')
    app.clock.advance(1) // so that it is the newest
    const id = await add({ userId: ben.userId })
    const before = await row(id)
    const sealedMail = createSealedMail({ keys, random })
    const sealed = before.sealed ?? assert.fail('it is not sealed')
    assert.throws(() => sealedMail.open(id, sealed))
    const key = (await sealedMail.keysOf(db, [before])).get(id)
    assert.equal(sealedMail.open(id, sealed, key).address, 'ben@example.org')
    const { address } = (await services.mailAdmin.page({}, 0, 1))[0] ?? {}
    assert.equal(address, 'ben@example.org')

    const headers = app.basic(app.admin)
    const { status } = await app.call('DELETE', `/users/${ben.userId}`, { headers })
    assert.equal(status, 200)
    // As a copy would bring it back: from a disk, or by a worker that was slow.
    const back = { sealed, state: 'waiting', finished_at: null } as const
    await db.updateTable('mails').set(back).where('id', '=', id).execute()
    assert.equal((await sealedMail.keysOf(db, [before, await row(id)])).size, 0)
    assert.equal((await services.mailAdmin.page({}, 0, 1))[0]?.address, null)
    await mailer.run()
    const after = await row(id)
    assert.deepEqual([after.state, after.sealed], ['cancelled', null])
    assert.deepEqual(relay.mails, [])
  })
})
