// A database makes a difference: what is old is found by statements, and removed in transactions.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../app.ts'
import {
  copyAudit,
  otherProcess,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../audit-log.ts'

const quiet = { LOG_LEVEL: 'silent' }
const daySeconds = 86_400

suite('the retention of the audit log', () => {
  test('removes whole beginnings of chains in batches, and the rest still verifies', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { db } = deps
    const proof = await proofOf(deps, { retentionDays: 30 })
    const write = async (from: typeof deps) => {
      await recordEvents(from, 30, { together: 5 })
      clock.advance(10)
      await proof.run()
    }
    await write(otherProcess(deps)) // a chain that goes away whole
    await sql`update audit_chains set closed_at = ${clock.now()}
      where chain = (select chain from audit_records order by number desc limit 1)`.execute(db)
    await write(deps)
    clock.advance(20 * daySeconds)
    await write(deps)
    await proof.sent()
    const before = await verified(deps)
    assert.deepEqual(before.problems, [])
    assert.equal(await proof.purge(25), 0, 'nothing is old enough')

    clock.advance(12 * daySeconds)
    const steps: number[] = []
    for (let step = 1; step > 0; steps.push(step)) step = await proof.purge(25)
    assert.ok(steps.every((step) => step <= 25))
    const lines = readFileSync(deps.config.audit.checkpointsFile, 'utf8').trimEnd().split('\n')
    const after = await verified(deps, lines)
    assert.deepEqual(after.problems, [])
    assert.equal(before.checked.records, 91, 'with that of the first administrator')
    assert.equal(after.checked.records, 30, 'those that are not old enough, and no other')
    const kept = await db.selectFrom('audit_records').select('at').execute()
    assert.ok(kept.every(({ at }) => at >= clock.now() - 30 * daySeconds * 1000))
    assert.ok(after.checked.tombstones >= 2)
    assert.ok(
      after.checked.chains < before.checked.chains,
      'a closed chain without records is gone',
    )
    assert.ok(after.checked.checkpoints < before.checked.checkpoints)
    assert.match(
      after.notes.join(),
      /2 checkpoints of the file outside are older than the retention/,
    )

    await write(deps) // the chain goes on, and so do the checkpoints
    assert.deepEqual((await verified(deps, lines)).problems, [])
    clock.advance(40 * daySeconds)
    while ((await proof.purge(25)) > 0);
    const none = await verified(deps, lines)
    assert.deepEqual([none.problems, none.checked.records], [[], 0])
    assert.equal(none.checked.checkpoints, 1, 'the last stays: the next refers to it')
    await write(deps)
    assert.deepEqual((await verified(deps, lines)).problems, [])
  })

  test('a step removes the records of many short chains', async () => {
    const { deps, clock } = await testApp(quiet)
    const proof = await proofOf(deps, { retentionDays: 1 })
    for (let chain = 1; chain <= 5; chain += 1) await recordEvents(otherProcess(deps), 2)
    await proof.run()
    clock.advance(2 * daySeconds)
    assert.ok((await proof.purge(50)) >= 10)
    assert.deepEqual(await deps.db.selectFrom('audit_records').select('at').execute(), [])
    assert.deepEqual((await verified(deps)).problems, [])
  })

  test('a record as old as the retention stays, and a checkpoint a day longer', async () => {
    const { deps, clock } = await testApp(quiet)
    const { db } = deps
    const proof = await proofOf(deps, { retentionDays: 1 })
    const begin = clock.now()
    for (let write = 0; write < 3; write += 1) {
      await recordEvents(deps, 2)
      await proof.run()
      clock.advance(10)
    }
    const purged = async () => {
      while ((await proof.purge(50)) > 0);
      const kept = async (table: 'audit_checkpoints' | 'audit_records') => {
        const rows = await db.selectFrom(table).select('at').orderBy('at').execute()
        return [...new Set(rows.map(({ at }) => (Number(at) - begin) / 1000))]
      }
      return { records: await kept('audit_records'), checkpoints: await kept('audit_checkpoints') }
    }
    clock.advance(daySeconds - 30)
    assert.deepEqual(await purged(), { records: [0, 10, 20], checkpoints: [0, 10, 20] })
    clock.advance(10)
    assert.deepEqual(await purged(), { records: [10, 20], checkpoints: [0, 10, 20] })
    clock.advance(daySeconds)
    assert.deepEqual(await purged(), { records: [], checkpoints: [10, 20] })
    assert.deepEqual((await verified(deps)).problems, [])
  })

  test('0 days keep everything', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const proof = await proofOf(deps, { retentionDays: 0 })
    await recordEvents(deps, 3)
    clock.advance(9999 * daySeconds)
    assert.equal(await proof.purge(50), 0)
  })

  test('a tombstone stands for what it says and for nothing else', async () => {
    const service = await testApp(quiet)
    const { deps, clock } = service
    const { db } = deps
    const proof = await proofOf(deps, { retentionDays: 1 })
    await recordEvents(deps, 20, { together: 5 })
    await proof.run()
    clock.advance(2 * daySeconds)
    await proof.purge(10)
    const early = await copyAudit(db)
    while ((await proof.purge(10)) > 0);
    await recordEvents(deps, 20, { together: 5 })
    await proof.run()
    const whole = await copyAudit(db)
    assert.deepEqual((await verified(deps)).problems, [])
    const [old] = early.audit_tombstones
    assert.ok(old)
    const attacks = {
      'moves it on': () => sql`update audit_tombstones set place = place + 1`.execute(db),
      'changes its mac': () => sql`update audit_tombstones set mac = 'x'`.execute(db),
      'changes its records': () => sql`update audit_tombstones set records = 1`.execute(db),
      'changes its time': () => sql`update audit_tombstones set at = at + 1`.execute(db),
      'removes it': () => sql`delete from audit_tombstones`.execute(db),
      'puts an earlier one back': async () => {
        await db.deleteFrom('audit_tombstones').execute()
        await db
          .insertInto('audit_tombstones')
          .values(old as never)
          .execute()
      },
      'gives it to another chain': () =>
        sql`update audit_tombstones set chain = 'another'`.execute(db),
      'says that another key has signed it': () =>
        sql`update audit_tombstones set key_id = 'another'`.execute(db),
    }
    for (const [name, attack] of Object.entries(attacks)) {
      await attack()
      const found = await verified(deps)
      await replaceAudit(db, whole)
      assert.ok(found.first, name)
      assert.ok(['tombstone', 'missing', 'changed', 'key'].includes(found.first.what), name)
    }
    assert.deepEqual((await verified(deps)).problems, [])
  })
})
