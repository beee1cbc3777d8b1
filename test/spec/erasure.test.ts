// A database makes a difference: locks, races, and what a transaction sees of others.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { transact } from '../../src/core/database/transactions.ts'
import type { Someone, TestApp } from '../app.ts'
import { testApp } from '../app.ts'
import { verified } from '../audit-log.ts'
import { testEvent } from '../events.ts'
import { verifyAddress } from '../mail.ts'
import { usersOfIds } from '../users-of-ids.ts'

const noted = testEvent<{ user_id: number; note: string }>('noted')

const runJob = async ({ app }: TestApp, name: string) => {
  const job = app.jobs.find((one) => one.name === name)
  assert.ok(job, name)
  await job.run()
}

const record = (app: TestApp, { userId }: Pick<Someone, 'userId'>, note: string) =>
  transact(app.deps.db, [], (trx) =>
    app.deps.events.emitInTransaction(trx, noted, { user_id: userId, note }),
  )

const keysOf = async (app: TestApp, { userId }: Pick<Someone, 'userId'>) => {
  const rows = await app.deps.db
    .selectFrom('audit_subjects')
    .select('subject')
    .where('subject', '=', String(userId))
    .execute()
  return rows.length
}

/** How many records an index finds of those that no key opens. */
const foundClosed = async ({ deps }: TestApp) => {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from audit_records
    where actor_index is not null and actor_key <> 'service'
        and actor_key not in (select pseudonym from audit_subjects)
      or target_index is not null and target_key <> 'service'
        and target_key not in (select pseudonym from audit_subjects)`.execute(deps.db)
  return Number(rows[0]?.total)
}

const erased = async (app: TestApp) => {
  const { problems, erased: records } = await verified(app.deps)
  assert.deepEqual(problems, [])
  return records
}

suite('the erasure of a person from the audit log', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const remove = async ({ userId }: Someone) => {
    const { status } = await app.call('DELETE', `/users/${userId}`, { headers })
    assert.equal(status, 200)
  }
  const ann = await app.account('ann')
  await app.session(ann)

  test('takes the key in the transaction of the removal, and the log stays whole', async () => {
    assert.equal(await keysOf(app, ann), 1)
    const before = await erased(app)
    await remove(ann)
    assert.equal(await keysOf(app, ann), 0)
    assert.ok((await erased(app)) >= before + 4, 'whole before the indexes are emptied')
    const { body } = await app.call('GET', `/api/admin/audit?target=${ann.userId}`, { headers })
    assert.deepEqual(body.data, [])
    const all = await app.call('GET', '/api/admin/audit?limit=1000', { headers })
    assert.doesNotMatch(JSON.stringify(all.body.data), /\bann\b|ann@/)
    const [deletion] = all.body.data.filter(({ type }: { type: string }) => type === 'user_deleted')
    assert.deepEqual([deletion.erased, deletion.target], [true, null])
    assert.equal(deletion.actor.username, 'admin')
  })

  test('empties the indexes in steps, and is forgotten after ten minutes', async () => {
    assert.ok((await foundClosed(app)) > 0)
    await runJob(app, 'erasures')
    assert.equal(await foundClosed(app), 0)
    assert.ok((await erased(app)) > 0)
    app.clock.advance(601)
    await runJob(app, 'erasures')
    const left = await app.deps.db.selectFrom('erasures').selectAll().execute()
    assert.deepEqual(left, [])
    assert.ok((await erased(app)) > 0)
  })

  test('is not undone by a record that comes later, of this process or of another', async () => {
    const other = await testApp({}, { directory: app.directory, clock: app.clock })
    const ben = await app.account('ben')
    await record(other, ben, 'known') // its memory has the key
    await remove(ben)
    await record(app, ben, 'after, here')
    await record(other, ben, 'after, there')
    app.deps.events.emit(noted, { user_id: ben.userId, note: 'told' })
    await runJob(app, 'audit records')
    assert.equal(await keysOf(app, ben), 0)
    await erased(app)
    await runJob(other, 'keys of erased persons')
    await record(other, ben, 'after it has heard')
    await runJob(app, 'erasures')
    app.clock.advance(601)
    await runJob(app, 'erasures')
    assert.equal(await foundClosed(app), 0)
    assert.equal(await keysOf(app, ben), 0)
    await erased(app)
    const all = await app.call('GET', '/api/admin/audit?limit=1000&type=noted', { headers })
    assert.equal(all.body.data.length, 5)
    for (const one of all.body.data) assert.deepEqual([one.erased, one.target], [true, null])
  })

  test('waits for a transaction that makes the key at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const userId = 5000 + round
      await usersOfIds(app.deps.db, userId, userId) // without a record, so that there is no key
      const other = await testApp({}, { directory: app.directory, clock: app.clock })
      await Promise.all([
        remove({ userId, username: '', password: '' }),
        record(other, { userId }, 'at once'),
        record(app, { userId }, 'at once'),
      ])
      assert.equal(await keysOf(app, { userId }), 0)
      await runJob(app, 'keys of erased persons')
      await runJob(app, 'erasures')
      await other.close()
    }
    app.clock.advance(601)
    await runJob(app, 'erasures')
    assert.equal(await foundClosed(app), 0)
  })

  test('reaches the records of an identity from before it was linked', async () => {
    const dora = await app.account('dora')
    const subject = 'https://id.example.org#dora@mail.example'
    await app.deps.db
      .insertInto('identities')
      .values({
        user_id: dora.userId,
        issuer: 'https://id.example.org',
        subject: 'dora@mail.example',
        created_at: 1,
      })
      .execute()
    await app.deps.db
      .insertInto('audit_subjects')
      .values({ subject, pseudonym: 'of dora', sealed: 'does not open' })
      .execute()
    await remove(dora)
    const { rows } = await sql<{ subject: string }>`
      select subject from audit_subjects where subject like 'https%'`.execute(app.deps.db)
    assert.deepEqual(rows, [])
  })
})

test('the key of a user whom an earlier version has removed is erased by a job', async () => {
  const app = await testApp()
  const cleo = await app.account('cleo')
  await app.deps.db.deleteFrom('users').where('id', '=', cleo.userId).execute()
  assert.equal(await keysOf(app, cleo), 1)
  await runJob(app, 'keys of users who are gone')
  assert.equal(await keysOf(app, cleo), 0)
  assert.equal(await keysOf(app, app.admin), 1)
  await runJob(app, 'erasures')
  assert.equal(await foundClosed(app), 0)
})

suite('what else names a person', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)

  test('answers that are kept for a repeat are emptied, and are refused then', async () => {
    const key = { ...headers, 'idempotency-key': 'made-once' }
    const json = { name: 'Elsa', email: 'elsa@example.org' }
    const made = await app.call('POST', '/users', { headers: key, json })
    assert.equal(made.status, 201)
    await app.call('DELETE', `/users/${made.body.id}`, { headers })
    const kept = await app.deps.db.selectFrom('idempotency_keys').select('answer').execute()
    assert.deepEqual(kept, [{ answer: '' }])
    const again = await app.call('POST', '/users', { headers: key, json })
    assert.deepEqual([again.status, again.body], [422, { error: 'Idempotency key reused' }])
  })

  test('reasons of refusals go, also those that are written later', async () => {
    const fred = await app.account('fred')
    const wrong = { username: 'fred', password: 'not this one' }
    const refuse = () => app.call('POST', '/login', { json: wrong })
    const kept = async () => {
      const rows = await app.deps.db
        .selectFrom('refusals')
        .select('id')
        .where('subject', '=', String(fred.userId))
        .execute()
      return rows.length
    }
    await refuse()
    await runJob(app, 'refusals')
    assert.equal(await kept(), 1)
    await refuse()
    await app.call('DELETE', `/users/${fred.userId}`, { headers })
    assert.equal(await kept(), 0)
    await runJob(app, 'refusals')
    assert.equal(await kept(), 1)
    app.clock.advance(601)
    await runJob(app, 'erasures')
    assert.equal(await kept(), 0)
  })

  test('mail and invitations to the verified address go, also those that name no account', async () => {
    const gina = await app.account('gina')
    const email = 'gina.mailbox@example.org'
    await verifyAddress(app, gina, email)
    const asked = await app.call('POST', '/api/admin/mail/test', {
      headers,
      json: { address: email },
    })
    assert.equal(asked.status, 202)
    const { id } = asked.body
    await app.deps.db
      .updateTable('mails')
      .set({ response: '550 no such person' })
      .where('id', '=', id)
      .execute()
    await app.call('DELETE', `/users/${gina.userId}`, { headers })
    const mail = await app.deps.db
      .selectFrom('mails')
      .select(['state', 'sealed', 'response'])
      .where('id', '=', id)
      .executeTakeFirst()
    assert.deepEqual({ ...mail }, { state: 'cancelled', sealed: null, response: null })
  })

  test('no line of the log names one', () => {
    const lines = JSON.stringify(app.log)
    assert.doesNotMatch(lines, /elsa|fred|gina/i)
  })
})
