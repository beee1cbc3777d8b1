// A database makes a difference: tombstones are rows of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { storedAuditKeys } from '../../../test/stored-audit-keys.ts'
import { adoptTombstones } from './adopt-tombstones.ts'
import { signTombstone, tombstoneText } from './checkpoint-form.ts'
import { checkpointKey } from './checkpoint-key.ts'

suite('tombstones of a backup', async () => {
  const audit = await storedAudit()
  const { db, random, signer, start } = audit
  const { config, keys } = await storedAuditKeys(db, random)
  const own = checkpointKey(keys.checkpointSeed)
  const adopt = () => adoptTombstones(db, { config, random })
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})
  const tombstone = (chain: string) => ({
    ...{ chain, place: 2, mac: 'm', records: 3, at: start, closed: '[4]' },
  })
  const rows = () => db.selectFrom('audit_tombstones').selectAll().orderBy('chain').execute()

  suiteOnEmptyLog('are signed again', () => {
    test('by the key of this service, any number', async () => {
      const mine = { ...signTombstone(own, tombstone('mine')), signature: 'as it is' }
      const others = Array.from({ length: 501 }, (_, at) =>
        signTombstone(signer, tombstone(`${at}`)),
      )
      await db
        .insertInto('audit_tombstones')
        .values([mine, ...others])
        .execute()
      await adopt()
      const found = await rows()
      assert.equal(found.length, 502)
      for (const row of found) {
        assert.equal(row.key_id, own.id)
        if (row.chain === 'mine') assert.deepEqual(row, mine)
        else {
          const { key_id: _, signature, ...kept } = row
          assert.deepEqual(kept, tombstone(row.chain))
          assert.ok(own.verifies(tombstoneText(row), signature))
        }
      }
    })

    test('and are none', async () => {
      await adopt()
      assert.deepEqual(await rows(), [])
    })

    test('by no key of a master key that was rotated', async () => {
      const made = signTombstone(signer, tombstone('a'))
      await db.insertInto('audit_tombstones').values(made).execute()
      const turned = { key_id: own.id, public_key: own.publicKey, successor: 'next', number: 0 }
      const rest = { digest: '', at: start, own_signature: '', signature: '' }
      await db
        .insertInto('audit_checkpoint_keys')
        .values({ ...turned, ...rest })
        .execute()
      await assert.rejects(adopt(), /turned away from before the backup/)
      assert.deepEqual(await rows(), [made])
    })
  })
})
