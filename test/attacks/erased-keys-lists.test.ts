// A database makes a difference: each attack is statements, and the lists of keys travel with its rows.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { transact } from '../../src/core/database/transactions.ts'
import { testApp } from '../app.ts'
import { copyAudit, otherProcess, proofOf, recordEvents, verified } from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { connectTo } from '../database.ts'
import { erasePerson, keyOf, listsOf, runJob, whats } from '../erased-keys.ts'
import { testEvent } from '../events.ts'

const quiet = { LOG_LEVEL: 'silent' }
const daySeconds = 86_400
const noted = testEvent<{ user_id: number }>('noted')

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
    await runJob(app, 'erasures from before their lists')
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
    const other = await testApp(quiet, { directory: app.directory, clock: app.clock })
    await runJob(other, 'erasures from before their lists')
    assert.deepEqual([...new Set(await whats(app))], ['erasure'])
    const lists = (await listsOf(db)).filter(({ type }) => type === 'audit_erasures_counted')
    assert.equal(lists.length, 1, 'it is done once')
    await other.close()
  })

  test('excuse none if the service is made to list them again', async () => {
    const kept = await copyAudit(db)
    await sql`delete from audit_records where type = 'audit_erasures_counted'`.execute(db)
    const other = await testApp(quiet, { directory: app.directory, clock: app.clock })
    await runJob(other, 'erasures from before their lists')
    const lists = (await listsOf(db)).filter(({ type }) => type === 'audit_erasures_counted')
    assert.equal(lists.length, 1)
    // The removed record is put back, so that there is no gap.
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

test('erasures that are listed once more up to the same number are found', async () => {
  const app = await testApp(quiet)
  const { db } = app.deps
  const bob = await app.account('bob')
  await recordEvents(app.deps, 4)
  await sql`insert into audit_erasures_unlisted (through)
    select max(number) from audit_records`.execute(db)
  const list = async () => {
    const other = await testApp(quiet, { directory: app.directory, clock: app.clock })
    for (let step = 0; step < 3; step += 1) await runJob(other, 'erasures from before their lists')
    await other.close()
  }
  const lists = db.selectFrom('audit_records').where('type', '=', 'audit_erasures_counted')
  await list()
  assert.deepEqual(await whats(app), [])
  const [kept] = await lists.selectAll().execute()
  assert.ok(kept)
  await sql`delete from audit_records where number = ${kept.number}`.execute(db)
  await erasePerson(db, bob)
  await list()
  await db.insertInto('audit_records').values(kept).execute()
  assert.equal((await lists.select('number').execute()).length, 2)
  assert.deepEqual(await whats(app), ['erasure'])
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
    await transact(deps.db, [], (trx) =>
      other.events.emitInTransaction(trx, noted, { user_id: ann.userId }),
    )
    const status = (await app.call('DELETE', `/users/${ann.userId}`, { headers })).status
    assert.equal(status, 200)
    // As by a process that has heard of it late: its record is younger by hours.
    clock.advance(0.5 * daySeconds)
    await transact(deps.db, [], (trx) =>
      other.events.emitInTransaction(trx, noted, { user_id: ann.userId }),
    )
    await runJob(app, 'erasures')
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

  test('take no key that was added to a tombstone, even where retention signs it again', async () => {
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
    await runJob(again, 'audit checkpoints')
    const { erased, problems } = await verified(again.deps)
    assert.deepEqual([problems, erased], [[], 1])
  })
})
