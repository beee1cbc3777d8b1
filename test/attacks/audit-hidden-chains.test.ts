// A database makes a difference: the chains that have grown are found by statements.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { copyAudit, proofOf, recordEvents, replaceAudit, verified } from '../audit-log.ts'

suite('the list of chains, which nothing authenticates, keeps no record from the checkpoints', () => {
  for (const [what, isKnown, hide] of [
    ['that says closed', true, 'update'],
    ['that is gone', true, 'delete'],
    ['that says closed, for a process that is new', false, 'update'],
    ['that is gone, for a process that is new', false, 'delete'],
  ] as const) {
    test(`a row ${what}`, async () => {
      const { deps, clock } = await testApp({ LOG_LEVEL: 'silent' })
      const { db } = deps
      let proof = await proofOf(deps)
      const writeCheckpoint = async () => {
        clock.advance(10)
        await proof.run()
        await proof.sent()
      }
      await recordEvents(deps, 5)
      await writeCheckpoint()
      await recordEvents(deps, 5)
      await writeCheckpoint()

      // An attacker with the database hides the chains, acts, and removes what tells of it.
      const { audit_chains } = await copyAudit(db)
      if (hide === 'update') await db.updateTable('audit_chains').set({ closed_at: 1 }).execute()
      else await db.deleteFrom('audit_chains').execute()
      const before = await copyAudit(db)
      for (const count of [1, 3, 2]) {
        await recordEvents(deps, count)
        if (!isKnown) proof = await proofOf(deps)
        await writeCheckpoint()
        const records = (await db.selectFrom('audit_records').select('number').execute()).length
        const [last] = await db
          .selectFrom('audit_checkpoints')
          .select('records')
          .orderBy('number', 'desc')
          .limit(1)
          .execute()
        assert.equal(last?.records, records, 'each record is covered once')
      }
      const whole = await copyAudit(db)
      await replaceAudit(db, { ...whole, audit_chains })
      const lines = readFileSync(deps.config.audit.checkpointsFile, 'utf8').trimEnd().split('\n')
      assert.deepEqual((await verified(deps, lines)).problems, [])
      await replaceAudit(db, { ...whole, audit_chains, audit_records: before.audit_records })
      assert.equal((await verified(deps, lines)).first?.what, 'missing')
    })
  }
})

suite('a clock that is set back', async () => {
  test('keeps no record from the checkpoints for as long', async () => {
    const { deps, clock } = await testApp({ LOG_LEVEL: 'silent' })
    const proof = await proofOf(deps)
    const covered = async () => {
      await proof.run()
      await proof.sent()
      const rows = await deps.db.selectFrom('audit_checkpoints').select('records').execute()
      return Math.max(...rows.map(({ records }) => records))
    }
    await recordEvents(deps, 5)
    const before = await covered()
    clock.advance(-86_400)
    await recordEvents(deps, 5)
    assert.equal(await covered(), before + 5)
    const { problems } = await verified(deps)
    assert.deepEqual(problems, [])
  })
})
