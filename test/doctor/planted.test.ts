// A database makes a difference: what is planted are changes of its schema and its rows.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { proofOf, recordEvents } from '../audit-log.ts'
import { connectTo, testDatabase } from '../database.ts'
import { deployment, findings, production } from './deployment.ts'

suite('doctor finds planted faults: the schema', async () => {
  const own = await deployment(production)
  const { db } = await connectTo({ directory: own.app.directory })
  after(() => db.destroy())
  const run = (text: string) => sql.raw(text).execute(db)

  test('an index that is missing, and one that was changed', async () => {
    await run('drop index audit_records_by_actor_index')
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error schema_objects'])
    assert.equal(all[0]?.what, 'The index audit_records_by_actor_index is missing.')
    await run('create index audit_records_by_actor_index on audit_records (actor_index)')
    const changed = await findings(own)
    assert.deepEqual(changed.found, ['error schema_objects'])
    assert.equal(changed.all[0]?.what, 'The index audit_records_by_actor_index was changed.')
    await run('drop index audit_records_by_actor_index')
    await run((all[0]?.mend.setting ?? '').replace(/;$/, ''))
    assert.deepEqual((await findings(own)).found, [])
  })

  test('an index of the operator as information, and a trigger as a warning', async () => {
    await run('create index of_the_operator on users (name)')
    const { all, found } = await findings(own)
    assert.deepEqual(found, [])
    const [info] = all.filter(({ check }) => check === 'schema_objects')
    assert.deepEqual(
      [info?.level, info?.what],
      ['info', 'The index of_the_operator of the table users is none of this service.'],
    )
    await run('drop index of_the_operator')
    if (testDatabase === 'postgres') {
      await run(`create function spy() returns trigger language plpgsql as 'begin return new; end'`)
      await run('create trigger spy before insert on users for each row execute function spy()')
    } else {
      await run('create trigger spy after insert on users begin select 1; end')
    }
    assert.deepEqual((await findings(own)).found, ['warning schema_objects'])
    await run(testDatabase === 'postgres' ? 'drop trigger spy on users' : 'drop trigger spy')
  })

  test('a column, and a table', async () => {
    await run('alter table audit_verifications add column more text')
    assert.deepEqual((await findings(own)).found.length, 1)
    await run('drop table audit_verifications')
    const { all } = await findings(own)
    const whats = all.filter(({ check }) => check === 'schema_objects').map(({ what }) => what)
    assert.deepEqual(whats, ['The table audit_verifications is missing.'])
  })
})

suite('doctor finds planted faults: the audit log', async () => {
  const own = await deployment(production)
  const { db } = own.app.deps
  await own.app.session(own.app.admin)
  await recordEvents(own.app.deps, 60)
  const proof = await proofOf(own.app.deps)
  await proof.run()
  await proof.sent()
  const checks = async () => (await findings(own)).found

  test('a record that was changed, or removed', async () => {
    assert.deepEqual(await checks(), [])
    const { number, reason } = await db
      .selectFrom('audit_records')
      .select(['number', 'reason'])
      .where('number', '=', 30)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('audit_records')
      .set({ reason: 'x' })
      .where('number', '=', number)
      .execute()
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error audit_records'])
    assert.equal(all[0]?.what, 'The record 30 of the audit log is not what was written there.')
    await db.updateTable('audit_records').set({ reason }).where('number', '=', number).execute()
    const row = await db
      .selectFrom('audit_records')
      .selectAll()
      .where('number', '=', 30)
      .executeTakeFirstOrThrow()
    await db.deleteFrom('audit_records').where('number', '=', 30).execute()
    const removed = await findings(own)
    assert.deepEqual(removed.found, ['error audit_records'])
    assert.match(
      removed.all[0]?.what ?? '',
      /^The record before record \d+ of the audit log is missing/,
    )
    await db.insertInto('audit_records').values(row).execute()
    assert.deepEqual(await checks(), [])
  })

  test('keys of persons that were deleted', async () => {
    const rows = await db.selectFrom('audit_subjects').selectAll().execute()
    await db.deleteFrom('audit_subjects').execute()
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error audit_subjects'])
    assert.match(all[0]?.what ?? '', /their keys are gone from the audit log: of users 1\.$/)
    await db.insertInto('audit_subjects').values(rows).execute()
    assert.deepEqual(await checks(), [])
  })

  test('a file of checkpoints that was emptied, or removed', async () => {
    const file = own.app.deps.config.audit.checkpointsFile
    const lines = readFileSync(file)
    // The command has the time of the machine, and a checkpoint may be on its way for a minute.
    await db
      .updateTable('audit_checkpoints')
      .set({ at: own.app.deps.clock.now() - 600_000 })
      .execute()
    for (const left of ['', '\n', 'something else\n']) {
      writeFileSync(file, left)
      const { all, found } = await findings(own)
      assert.deepEqual(found, ['error audit_file'])
      assert.match(
        all[0]?.what ?? '',
        /has no checkpoint, and the database has some: it was emptied/,
      )
    }
    rmSync(file)
    const isShared = testDatabase === 'postgres' // a command may run where no service writes
    assert.deepEqual(await checks(), isShared ? [] : ['error audit_file'])
    writeFileSync(file, lines)
    assert.deepEqual(await checks(), [])
  })

  test('tables that are empty beside accounts', async () => {
    await db.deleteFrom('audit_records').execute()
    assert.deepEqual(await checks(), ['error audit_subjects'])
  })
})
