// A database makes a difference: each attack is statements, and the verification reads by order.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { type Attacked, type AuditAttack, auditAttacks } from '../audit-attacks.ts'
import {
  copyAudit,
  otherProcess,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../audit-log.ts'

/** What is not as it should be after an attack; null if the attack is noticed as expected. */
async function missOf(
  { apply, expected, number, needsOutside }: AuditAttack,
  attacked: Attacked,
  verify: (outside: boolean) => ReturnType<typeof verified>,
): Promise<string | null> {
  await apply(attacked)
  const found = await verify(true)
  if (!found.first) return 'it is not noticed'
  const told = JSON.stringify(found.first)
  if (!expected.includes(found.first.what)) return `it is taken for another: ${told}`
  if (number !== undefined && found.first.number !== number) return `another record: ${told}`
  if (!needsOutside) return found.fork === null ? null : 'it is a fork'
  if (found.fork?.restore !== null) return 'it is no fork without a restore'
  const [first] = (await verify(false)).problems
  return first ? `it needs no checkpoint outside: ${JSON.stringify(first)}` : null
}

suite('an attacker who can write the database, and has no key', () => {
  test('cannot change, remove or add anything of the audit log unnoticed', async () => {
    const { deps, clock } = await testApp({ LOG_LEVEL: 'silent' })
    const { db } = deps
    const proof = await proofOf(deps)
    const writeCheckpoint = async () => {
      clock.advance(10)
      await proof.run()
    }
    for (let checkpoint = 1; checkpoint <= 3; checkpoint += 1) {
      await recordEvents(deps, 50, { together: 5 })
      await writeCheckpoint()
    }
    const older = await copyAudit(db)
    await recordEvents(deps, 50, { together: 5 })
    await writeCheckpoint()
    await proof.sent()
    const outside = readFileSync(deps.config.audit.checkpointsFile, 'utf8').trimEnd().split('\n')
    const whole = await copyAudit(db)
    const verify = (isWithOutside: boolean) => verified(deps, isWithOutside ? outside : undefined)

    const found = await verify(true)
    assert.deepEqual(found.problems, [])
    assert.ok(found.checked.records >= 200)
    assert.equal(found.checked.checkpoints, 4)
    assert.equal(found.checked.outside, 4)
    assert.equal(found.lastOutside?.number, 4)
    assert.equal(found.uncovered.records, 0)

    const goOn = async () => {
      await recordEvents(otherProcess(deps), 5)
      clock.advance(10)
      const other = await proofOf(deps, { checkpointsFile: '/dev/null/none' })
      await other.run()
      await other.sent()
    }
    const missed: Record<string, string> = {}
    for (const attack of auditAttacks) {
      const miss = await missOf(attack, { db, older, goOn }, verify)
      if (miss) missed[attack.name] = miss
      await replaceAudit(db, whole)
    }
    assert.deepEqual(missed, {})
    assert.ok(auditAttacks.length > 45)
    assert.deepEqual((await verify(true)).problems, [], 'each attack was undone')
  })
})
