// A database makes a difference: checkpoints and statements are rows of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../../test/stored-audit.ts'
import { auditKeysOf, checkpointSeedOf } from '../../keys/audit-keys.ts'
import { type Checkpoint, checkpointDigest, signCheckpoint } from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import { handOverCheckpoints } from '../checkpoint-key-rotation.ts'
import { verifyAudit } from './verify.ts'

suite('the verification after a rotation of the master key', async () => {
  const audit = await storedAudit()
  const { db, keys, start } = audit
  const [before, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const old = checkpointKey(checkpointSeedOf(before))
  const own = auditKeysOf(next, keys.data)
  const found = async () =>
    (await verifyAudit({ db, keys: own })).problems.map(({ detail }) => detail)
  const set = (checkpoint: Checkpoint) =>
    db
      .updateTable('audit_checkpoints')
      .set(checkpoint)
      .where('number', '=', checkpoint.number)
      .execute()
  const unsigned = ({ key_id: _, signature: __, ...rest }: Checkpoint) => rest

  /** Two checkpoints of the old key, before the rotation. */
  async function rotated(): Promise<Checkpoint[]> {
    const made: Checkpoint[] = []
    for (const previous of [undefined, 0] as const) {
      await audit.append('a')
      const { previous: _, ...checkpoint } = unsigned(await audit.checkpoint())
      const [first] = made
      const digest = previous === undefined || !first ? '' : checkpointDigest(first)
      made.push(signCheckpoint(old, { ...checkpoint, previous: digest }))
      await set(made.at(-1) ?? assert.fail())
    }
    const rotation = { before, next, at: start }
    await handOverCheckpoints(db, rotation as Parameters<typeof handOverCheckpoints>[1])
    return made
  }

  suitesOnEmptyLog(audit, () => {})('a checkpoint of the old key', () => {
    test('is valid up to the rotation', async () => {
      await rotated()
      assert.deepEqual(await found(), [])
    })

    test('must be the last of the statement', async () => {
      const [one, two] = await rotated()
      await set(signCheckpoint(old, { ...unsigned(two ?? assert.fail()), at: 5 }))
      const detail = 'checkpoint 2 is not the checkpoint that the turn of the master key attests'
      assert.deepEqual(await found(), [detail])
      await set(two ?? assert.fail())
      await set(signCheckpoint(old, { ...unsigned(one ?? assert.fail()), at: 5 }))
      assert.deepEqual(await found(), [
        'checkpoint 2 does not refer to the checkpoint before it: one of the two was changed',
      ])
    })

    test('is none after the rotation', async () => {
      const [, two = assert.fail()] = await rotated()
      const third = { ...unsigned(two), number: 3, previous: checkpointDigest(two), heads: '[]' }
      await db.insertInto('audit_checkpoints').values(signCheckpoint(old, third)).execute()
      const detail = `checkpoint 3 is signed by ${old.id}, from which the master key was turned before`
      assert.deepEqual(await found(), [detail])
    })

    test('that was changed has a wrong signature', async () => {
      const [, two = assert.fail()] = await rotated()
      await set({ ...two, records: 9 })
      assert.deepEqual(await found(), ['checkpoint 2 was changed: its signature is wrong'])
    })
  })
})
