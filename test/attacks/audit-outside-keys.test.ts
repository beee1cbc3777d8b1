// A database makes a difference: the attack is statements.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { inContext } from '../../src/core/events/context.ts'
import { backupRestored } from '../../src/extras/backup/events.ts'
import {
  checkpointDigest,
  signCheckpoint,
  signTombstone,
} from '../../src/modules/audit/checkpoint-form.ts'
import { checkpointKey } from '../../src/modules/audit/checkpoint-key.ts'
import { testApp } from '../app.ts'
import { otherProcess, proofOf, recordEvents, verified } from '../audit-log.ts'

const restore = {
  ...{ uid: 0, file: 'archive', created_at: '2026-01-01T00:00:00Z', users: 1 },
  ...{ logins_kept: true, verified: true },
}

suite('after a restore, which lets checkpoints of another key come first', () => {
  test('checkpoints of a key of the attacker do not hide a cut tail from those outside', async () => {
    const { deps, clock } = await testApp({ LOG_LEVEL: 'silent' })
    const { db, events } = deps
    const proof = await proofOf(deps)
    const writeCheckpoint = async () => {
      clock.advance(10)
      await proof.run()
      await proof.sent()
    }
    await recordEvents(deps, 5)
    await inContext('cli', () =>
      transact(db, [], (trx) => events.emitInTransaction(trx, backupRestored, restore)),
    )
    const restoredAt = clock.now()
    await writeCheckpoint()
    const { length } = await db.selectFrom('audit_records').select('number').execute()
    await recordEvents(deps, 5)
    await writeCheckpoint()
    const outside = readFileSync(deps.config.audit.checkpointsFile, 'utf8').trimEnd().split('\n')
    assert.equal(outside.length, 2)
    assert.equal((await verified(deps, outside)).first, null)

    // An attacker with the database cuts what the second checkpoint attests, and signs anew.
    const key = checkpointKey(Buffer.alloc(32, 7)) // not the seed of the service
    const [one, two] = await db.selectFrom('audit_checkpoints').selectAll().execute()
    assert.ok(one && two)
    const first = signCheckpoint(key, { ...one, at: restoredAt })
    const second = signCheckpoint(key, {
      ...{ number: 2, at: restoredAt, heads: '[]', records: one.records },
      previous: checkpointDigest(first),
    })
    await db.deleteFrom('audit_records').where('number', '>', length).execute()
    await db.deleteFrom('audit_checkpoints').execute()
    await db.insertInto('audit_checkpoints').values([first, second]).execute()
    await recordEvents(otherProcess(deps), 5)
    clock.advance(10)
    await (await proofOf(deps, { checkpointsFile: '/dev/null/none' })).run()

    const found = await verified(deps, outside)
    assert.equal(found.first?.what, 'outside', JSON.stringify(found))
    assert.deepEqual([found.fork?.from, found.fork?.to], [1, 2])
  })

  test('a tombstone of a key of the attacker does not excuse a cut beginning', async () => {
    const { deps, clock } = await testApp({ LOG_LEVEL: 'silent' })
    const { db, events } = deps
    await recordEvents(deps, 5)
    await inContext('cli', () =>
      transact(db, [], (trx) => events.emitInTransaction(trx, backupRestored, restore)),
    )
    clock.advance(10)
    await (await proofOf(deps)).run()
    assert.equal((await verified(deps)).first, null)

    const key = checkpointKey(Buffer.alloc(32, 7)) // not the seed of the service
    const [victim] = await db
      .selectFrom('audit_records')
      .selectAll()
      .where('type', '=', 'user_updated')
      .orderBy('place', 'desc')
      .limit(1)
      .execute()
    assert.ok(victim)
    const { chain, place, mac, at } = victim
    await db
      .deleteFrom('audit_records')
      .where('chain', '=', chain)
      .where('place', '<=', place)
      .execute()
    const forged = signTombstone(key, { chain, place, mac, records: place, at, closed: '' })
    await db.insertInto('audit_tombstones').values(forged).execute()
    assert.equal((await verified(deps)).first?.what, 'tombstone')
  })
})
