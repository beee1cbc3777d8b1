// A database makes a difference: each attack is statements, and the verification reads by order.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { auditAttacks } from '../audit-attacks.ts'
import {
  type AuditRows,
  copyAudit,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../audit-log.ts'

suite('the audit log tells what was done to it by someone who can write the database', () => {
  let service: TestApp
  let older: AuditRows
  let whole: AuditRows
  let outside: string[]

  before(async () => {
    service = await testApp()
    const { deps, clock } = service
    const proof = await proofOf(deps)
    for (const checkpoint of [1, 2, 3, 4]) {
      await recordEvents(deps, 50, { together: 5 })
      clock.advance(10)
      await proof.run()
      if (checkpoint === 3) older = await copyAudit(deps.db)
    }
    await proof.sent()
    outside = readFileSync(deps.config.audit.checkpointsFile, 'utf8').trimEnd().split('\n')
    whole = await copyAudit(deps.db)
  })

  test('what was not attacked is whole', async () => {
    const found = await verified(service.deps, outside)
    assert.deepEqual(found.problems, [])
    assert.ok(found.checked.records >= 200)
    assert.equal(found.checked.checkpoints, 4)
    assert.equal(found.checked.outside, 4)
    assert.equal(found.lastOutside?.number, 4)
    assert.equal(found.uncovered.records, 0)
  })

  for (const { name, apply, expected, number, needsOutside } of auditAttacks) {
    test(name, async () => {
      const { deps, clock } = service
      const goOn = async () => {
        clock.advance(10)
        await recordEvents(deps, 5)
        const proof = await proofOf(deps, { checkpointsFile: '/dev/null/none' })
        await proof.run()
      }
      await apply({ db: deps.db, older, goOn })
      const found = await verified(deps, outside)
      const alone = needsOutside ? await verified(deps) : null
      await replaceAudit(deps.db, whole)
      assert.ok(found.first, 'it is not noticed')
      assert.ok(expected.includes(found.first.what), JSON.stringify(found.first))
      if (number !== undefined) assert.equal(found.first.number, number)
      if (needsOutside) {
        assert.equal(found.fork?.restore, null)
        assert.deepEqual(alone?.problems, [], 'it needs no checkpoint outside')
      } else {
        assert.equal(found.fork, null)
      }
      assert.deepEqual((await verified(deps, outside)).problems, [])
    })
  }
})
