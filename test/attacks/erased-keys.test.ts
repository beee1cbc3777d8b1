// A database makes a difference: each attack is statements, and the lists of keys travel with its rows.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { readPersons } from '../../src/audit/verify/indexes.ts'
import type { Database } from '../../src/database/database.ts'
import { type Someone, type TestApp, testApp } from '../app.ts'
import {
  auditKeys,
  copyAudit,
  otherProcess,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { connectTo } from '../database.ts'

const quiet = { LOG_LEVEL: 'silent' }
const daySeconds = 86_400

const run = async ({ app }: TestApp, name: string) => {
  const job = app.jobs.find((one) => one.name === name) ?? assert.fail(name)
  await job.run()
}

const keyOf = async (db: Database, { userId }: Pick<Someone, 'userId'>) => {
  const row = await db
    .selectFrom('audit_subjects')
    .select('pseudonym')
    .where('subject', '=', String(userId))
    .executeTakeFirstOrThrow()
  return row.pseudonym
}

/** Removes the key of a person and all that finds the records: the attack of who has no key. */
async function erasePerson(db: Database, { userId }: Pick<Someone, 'userId'>): Promise<void> {
  const name = await keyOf(db, { userId })
  await sql`update audit_records set actor_index = null, address_index = null
    where actor_key = ${name}`.execute(db)
  await sql`update audit_records set target_index = null where target_key = ${name}`.execute(db)
  await sql`delete from audit_subjects where subject = ${String(userId)}`.execute(db)
}

/** The lists of closed keys in the records, by the type of the event. */
async function listsOf(db: Database) {
  const rows = await db
    .selectFrom('audit_records')
    .select(['type', 'facts'])
    .orderBy('number')
    .execute()
  return rows.flatMap(({ type, facts }) => {
    const { closed } = JSON.parse(facts)
    return closed ? [{ type, closed: closed as string[] }] : []
  })
}

const whats = async (app: TestApp) => (await verified(app.deps)).problems.map(({ what }) => what)

suite('a person who is erased from the audit log without a record', async () => {
  const app = await testApp(quiet)
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const bob = await app.account('bob', ['EDITOR'])
  await app.session(ann)
  await app.session(bob)

  test('is found, by the command too, although the indexes were emptied', async () => {
    assert.deepEqual(await whats(app), [])
    const before = await copyAudit(app.deps.db)
    await erasePerson(app.deps.db, bob)
    const { first, problems } = await verified(app.deps)
    assert.equal(first?.what, 'erasure')
    assert.match(first.detail, /^the key of a person is gone, and no record of an erasure lists it/)
    const numbers = before.audit_records as { number: number; target_key: string }[]
    const bobs = (before.audit_subjects as { subject: string; pseudonym: string }[]).find(
      ({ subject }) => subject === String(bob.userId),
    )
    const mine = numbers.filter(({ target_key }) => target_key === bobs?.pseudonym)
    assert.equal(first.number, Math.min(...mine.map(({ number }) => number)))
    assert.match(
      problems.map(({ detail }) => detail).join('\n'),
      new RegExp(`the account of user ${bob.userId} exists and has signed in, and its key is gone`),
    )
    const ran = await gatehouse(app.directory, 'audit verify', { clock: app.clock })
    assert.equal(ran.code, 1, ran.stdout)
    assert.match(ran.stdout, /no record of an erasure lists it/)
    await replaceAudit(app.deps.db, before)
    assert.deepEqual(await whats(app), [])
  })

  test('is found if a row of erasures excuses it: the user is there', async () => {
    const other = await app.account('other')
    await app.deps.db
      .insertInto('erasures')
      .values({ user_id: other.userId, at: app.clock.now(), cleared_at: 1 })
      .execute()
    const { problems } = await verified(app.deps)
    assert.match(
      problems.map(({ detail }) => detail).join('\n'),
      new RegExp(`the key of user ${other.userId} was erased, although the user exists`),
    )
    await sql`delete from erasures`.execute(app.deps.db)
  })

  test('the record of a removal lists the keys of the account and of its identities', async () => {
    const { db } = app.deps
    const subject = 'https://id.example.org#ann'
    await db
      .insertInto('identities')
      .values({
        user_id: ann.userId,
        issuer: 'https://id.example.org',
        subject: 'ann',
        created_at: 1,
      })
      .execute()
    await db
      .insertInto('audit_subjects')
      .values({ subject, pseudonym: 'of the identity', sealed: 'does not open' })
      .execute()
    const name = await keyOf(db, ann)
    const { status } = await app.call('DELETE', `/users/${ann.userId}`, { headers })
    assert.equal(status, 200)
    const lists = (await listsOf(db)).filter(({ type }) => type === 'user_deleted')
    assert.deepEqual(
      lists.map(({ closed }) => closed.toSorted()),
      [[name, 'of the identity'].toSorted()],
    )
  })

  test('a list that is changed, or added to another record, does not count', async () => {
    const { db } = app.deps
    const before = await copyAudit(db)
    const [list] = (await listsOf(db)).slice(-1)
    const name = await keyOf(db, bob)
    await erasePerson(db, bob)
    const change = async (closed: readonly string[]) => {
      const facts = sql`replace(facts, ${JSON.stringify(list?.closed)}, ${JSON.stringify(closed)})`
      await sql`update audit_records set facts = ${facts} where type = 'user_deleted'`.execute(db)
    }
    await change([...(list?.closed ?? []), name])
    const found = await whats(app)
    assert.ok(found.includes('changed') && found.includes('erasure'), found.join())
    await replaceAudit(db, before)
    assert.deepEqual(await whats(app), [])
  })

  test('a late record of a person who is gone lists the key that is stored nowhere', async () => {
    const lea = await app.account('lea')
    await app.call('DELETE', `/users/${lea.userId}`, { headers })
    await run(app, 'keys of erased persons')
    await app.call('POST', '/login', { json: { username: 'lea', password: 'wrong' } })
    await recordEvents(otherProcess(app.deps), 2)
    await run(app, 'erasures')
    app.clock.advance(601)
    await run(app, 'erasures')
    assert.deepEqual(await whats(app), [])
  })

  test('keys that are erased after their users have a record as well', async () => {
    const { db } = app.deps
    const ina = await app.account('ina')
    const name = await keyOf(db, ina)
    await db.deleteFrom('users').where('id', '=', ina.userId).execute()
    assert.deepEqual(await whats(app), [])
    app.clock.advance(2 * daySeconds)
    await run(app, 'keys of users who are gone')
    assert.deepEqual((await listsOf(db)).at(-1), { type: 'audit_keys_erased', closed: [name] })
    await run(app, 'erasures')
    assert.deepEqual(await whats(app), [])
  })

  test('more persons than are held in memory are judged alike', async () => {
    const { deps } = app
    const persons = await readPersons(deps.db, await auditKeys(deps), 1)
    const records = await deps.db.selectFrom('audit_records').selectAll().execute()
    await persons.load(records)
    const name = await keyOf(deps.db, bob)
    assert.equal(persons.get(name)?.name, name)
    assert.deepEqual(persons.broken, [])
    await persons.load([])
    const all = await deps.db.selectFrom('audit_subjects').select('pseudonym').execute()
    assert.equal(all.filter(({ pseudonym }) => persons.get(pseudonym)).length, 1)
  })
})

suite('the audit log emptied', () => {
  test('is found: all tables next to accounts, and the file beside them', async () => {
    const app = await testApp(quiet)
    const proof = await proofOf(app.deps)
    await recordEvents(app.deps, 5)
    await proof.run()
    await proof.sent()
    const { checkpointsFile } = app.deps.config.audit
    const verify = () => gatehouse(app.directory, 'audit verify', { clock: app.clock })
    assert.equal((await verify()).code, 0)

    writeFileSync(checkpointsFile, '')
    const emptied = await verify()
    assert.equal(emptied.code, 1)
    assert.match(emptied.stderr, /the file outside has no checkpoint, although the database has/)

    const tables = ['records', 'chains', 'subjects', 'checkpoints', 'tombstones']
    for (const table of tables)
      await sql`delete from ${sql.table(`audit_${table}`)}`.execute(app.deps.db)
    const none = await verify()
    assert.equal(none.code, 1)
    assert.match(none.stderr, /the tables of the audit log are empty, although there is 1 account/)
  })

  test('fails in the background too, also by a file that is missing', async () => {
    const app = await testApp(quiet)
    const headers = await app.bearer(app.admin)
    const path = '/api/admin/audit/verification'
    const verify = async () => {
      assert.equal((await app.call('POST', path, { headers })).status, 202)
      await run(app, 'audit verification')
      const { last } = (await app.call('GET', path, { headers })).body
      return last.result
    }
    await recordEvents(app.deps, 5)
    const proof = await proofOf(app.deps, { checkpointsFile: join(app.directory, 'other') })
    await proof.run()
    assert.equal((await verify()).ok, true, 'a process that has begun writes the file first')
    writeFileSync(app.deps.config.audit.checkpointsFile, '')
    const { first, ok } = await verify()
    assert.deepEqual([ok, first.what], [false, 'outside'])
  })
})

suite('erasures from before their records listed the keys', async () => {
  const app = await testApp(quiet)
  const { db } = app.deps
  const [ann, bob, carl] = [
    await app.account('ann'),
    await app.account('bob'),
    await app.account('carl'),
  ]
  await db.deleteFrom('users').where('id', '=', ann.userId).execute()
  await erasePerson(db, ann)
  await recordEvents(app.deps, 4)
  await sql`insert into audit_erasures_unlisted (through)
    select max(number) from audit_records`.execute(db)
  const note = '1 erasure before version 0.10.0, without proof'

  test('are counted and named, and do not count as wrong', async () => {
    const before = await verified(app.deps)
    assert.deepEqual([before.problems, before.notes], [[], [note]])
    await run(app, 'erasures from before their lists')
    const after = await verified(app.deps)
    assert.deepEqual([after.problems, after.notes], [[], [note]])
    const [list] = (await listsOf(db)).filter(({ type }) => type === 'audit_erasures_counted')
    assert.equal(list?.closed.length, 1)
    const ran = await gatehouse(app.directory, 'audit verify', { clock: app.clock })
    assert.match(ran.stdout, new RegExp(`\n${note}\n`))
  })

  test('excuse no other person from then on, whatever the table says', async () => {
    await erasePerson(db, bob)
    assert.deepEqual([...new Set(await whats(app))], ['erasure'])
    await sql`update audit_erasures_unlisted set through = 1000000`.execute(db)
    assert.deepEqual([...new Set(await whats(app))], ['erasure'])
    const other = await testApp(quiet, { directory: app.directory, clock: app.clock, seed: 5 })
    await run(other, 'erasures from before their lists')
    assert.deepEqual([...new Set(await whats(app))], ['erasure'])
    const lists = (await listsOf(db)).filter(({ type }) => type === 'audit_erasures_counted')
    assert.equal(lists.length, 1, 'it is done once')
    await other.close()
  })

  test('excuse none if the service is made to list them again', async () => {
    const kept = await copyAudit(db)
    await sql`delete from audit_records where type = 'audit_erasures_counted'`.execute(db)
    const other = await testApp(quiet, { directory: app.directory, clock: app.clock, seed: 6 })
    await run(other, 'erasures from before their lists')
    const lists = (await listsOf(db)).filter(({ type }) => type === 'audit_erasures_counted')
    assert.equal(lists.length, 1)
    // The record that was removed is put back, so that no gap tells.
    for (const row of kept.audit_records as { type: string }[]) {
      if (row.type !== 'audit_erasures_counted') continue
      await db
        .insertInto('audit_records')
        .values(row as never)
        .execute()
    }
    assert.deepEqual([...new Set(await whats(app))], ['erasure'])
    await other.close()
  })

  test('a user who is there is not one of them', async () => {
    assert.ok((await keyOf(db, carl)).length > 0)
  })
})

suite('the lists of closed keys', () => {
  /** A service in which the record of an erasure goes before a record of the person. */
  async function afterRetention() {
    const app = await testApp(quiet)
    const { deps, clock } = app
    const proof = await proofOf(deps, { retentionDays: 30 })
    const ann = await app.account('ann')
    const headers = await app.bearer(app.admin)
    const other = otherProcess(deps)
    await recordEvents(other, 1)
    clock.advance(600)
    const { transact } = await import('../../src/database/transactions.ts')
    const { eventType } = await import('../../src/events/types.ts')
    const noted = eventType<{ user_id: number }>('noted')
    await transact(deps.db, [], (trx) => other.events.record(trx, noted, { user_id: ann.userId }))
    const status = (await app.call('DELETE', `/users/${ann.userId}`, { headers })).status
    assert.equal(status, 200)
    // As by a process that has heard of it late: its record is younger by hours.
    clock.advance(0.5 * daySeconds)
    await transact(deps.db, [], (trx) => other.events.record(trx, noted, { user_id: ann.userId }))
    await run(app, 'erasures')
    await proof.run()
    assert.deepEqual(await whats(app), [])
    clock.advance(29.8 * daySeconds)
    while ((await proof.purge(5)) > 0);
    const left = await listsOf(deps.db)
    assert.deepEqual(left, [], 'the record of the erasure is removed')
    return { app, proof }
  }

  test('survive retention in the tombstones, as long as a record needs them', async () => {
    const { app, proof } = await afterRetention()
    const { erased, problems } = await verified(app.deps)
    assert.deepEqual([problems, erased], [[], 1])
    const { rows } = await sql<{ closed: string }>`
      select closed from audit_tombstones where closed <> ''`.execute(app.deps.db)
    assert.equal(rows.length, 1)
    await sql`update audit_tombstones set closed = ''`.execute(app.deps.db)
    const found = await whats(app)
    assert.ok(found.includes('tombstone') && found.includes('erasure'), found.join())
    await sql`update audit_tombstones set closed = ${rows[0]?.closed} where place in (
      select max(place) from audit_tombstones)`.execute(app.deps.db)

    app.clock.advance(60 * daySeconds)
    while ((await proof.purge(5)) > 0);
    assert.deepEqual((await verified(app.deps)).erased, 0)
  })

  test('take no key that was added to a tombstone, even where retention signs it anew', async () => {
    const { app, proof } = await afterRetention()
    const { db } = app.deps
    const bob = await app.account('bob')
    await proof.run()
    const name = await keyOf(db, bob)
    await erasePerson(db, bob)
    const at = app.clock.now()
    await sql`update audit_tombstones set closed = ${JSON.stringify([null, [name, at, null]])}`.execute(
      db,
    )
    assert.ok((await whats(app)).includes('erasure'))
    await recordEvents(app.deps, 1)
    app.clock.advance(29.9 * daySeconds)
    while ((await proof.purge(5)) > 0);
    assert.ok((await whats(app)).includes('erasure'))
  })

  test('take no key of a record that was changed before retention removed it', async () => {
    const app = await testApp(quiet)
    const { db } = app.deps
    const proof = await proofOf(app.deps, { retentionDays: 30 })
    const bob = await app.account('bob')
    const name = await keyOf(db, bob)
    await proof.run()
    app.clock.advance(20 * daySeconds)
    await app.session(bob)
    await erasePerson(db, bob)
    await sql`update audit_records set facts = replace(facts, '{', ${`{"closed":["${name}"],`})
      where number = 2`.execute(db)
    app.clock.advance(10.1 * daySeconds)
    while ((await proof.purge(5)) > 0);
    assert.ok((await whats(app)).includes('erasure'))
    const { rows } = await sql<{ closed: string }>`
      select closed from audit_tombstones where closed <> ''`.execute(db)
    assert.deepEqual(rows, [])
  })

  test('survive a backup and its restore, and a later retention', async () => {
    const { app } = await afterRetention()
    const archive = join(app.directory, 'archive')
    const options = { stdin: 'lamps harbour velvet tuba ocelot quarry\n', clock: app.clock }
    const made = await gatehouse(app.directory, `backup ${archive}`, options)
    assert.equal(made.code, 0, made.stderr)
    const { directory, db } = await connectTo({ isEmpty: true })
    await db.destroy()
    const restored = await gatehouse(directory, `restore ${archive}`, options)
    assert.equal(restored.code, 0, restored.stderr)
    const again = await testApp(quiet, { directory, clock: app.clock })
    await run(again, 'audit checkpoints')
    const { erased, problems } = await verified(again.deps)
    assert.deepEqual([problems, erased], [[], 1])
  })
})
