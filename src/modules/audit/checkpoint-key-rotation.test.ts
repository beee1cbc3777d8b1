// A database makes a difference: a rotation signs the rows of the tables anew.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit } from '../../../test/stored-audit.ts'
import { checkpointSeedOf } from '../keys/audit-keys.ts'
import { NotRotated } from '../keys/master-key-rotation.ts'
import {
  checkpointDigest,
  checkpointText,
  signTombstone,
  tombstoneText,
} from './checkpoint-form.ts'
import { checkpointKey } from './checkpoint-key.ts'
import {
  assertNotTurnedAway,
  CheckpointKeyEnded,
  handOverCheckpoints,
  keyInUse,
  readSigners,
} from './checkpoint-key-rotation.ts'

suite('the keys of checkpoints', async () => {
  const audit = await storedAudit()
  const { db, start } = audit
  const masters = [1, 2, 3].map((byte) => Buffer.alloc(32, byte))
  const [first, second, third] = masters.map((master) => checkpointKey(checkpointSeedOf(master)))
  if (!first || !second || !third) throw new Error('there are three keys')

  const turn = (from: number, to: number) => {
    const [before, next] = [masters[from], masters[to]]
    if (!before || !next) throw new Error('there are three keys')
    return handOverCheckpoints(db, { before, next, at: start } as Parameters<
      typeof handOverCheckpoints
    >[1])
  }
  const statements = () =>
    db.selectFrom('audit_checkpoint_keys').selectAll().orderBy('key_id').execute()
  const tombstone = (chain: string) => ({
    chain,
    place: 1,
    mac: 'm',
    records: 1,
    at: start,
    closed: '',
  })

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(audit.clear)
      tests()
    })
  }

  onEmptyTables('a turn of the master key', () => {
    test('states the last checkpoint, signed by both keys', async () => {
      await turn(0, 1)
      const [row = assert.fail()] = await statements()
      const { at, digest, key_id, number, public_key, successor } = row
      assert.deepEqual(
        [key_id, public_key, successor, number, digest, at],
        [first.id, first.publicKey, second.id, 0, '', start],
      )
      await audit.append('a')
      await audit.checkpoint()
      await audit.append('a')
      const last = await audit.checkpoint()
      await turn(1, 2)
      const next = (await statements()).find((one) => one.key_id === second.id)
      assert.deepEqual([next?.number, next?.digest], [2, checkpointDigest(last)])
    })

    test('signs tombstones anew, and never a forged one', async () => {
      const forged = signTombstone(third, tombstone('a'))
      const changed = { ...signTombstone(first, tombstone('b')), records: 9 }
      await db
        .insertInto('audit_tombstones')
        .values([
          forged,
          changed,
          signTombstone(first, tombstone('c')),
          signTombstone(first, tombstone('d')),
        ])
        .execute()
      await turn(0, 1)
      const rows = await db.selectFrom('audit_tombstones').selectAll().orderBy('chain').execute()
      assert.deepEqual(rows.slice(0, 2), [forged, changed])
      for (const row of rows.slice(2)) {
        assert.equal(row.key_id, second.id)
        assert.ok(second.verifies(tombstoneText(row), row.signature))
        assert.deepEqual(
          { ...row, key_id: '', signature: '' },
          { ...tombstone(row.chain), key_id: '', signature: '' },
        )
      }
      assert.equal(rows.length, 4)
    })

    test('signs any number of tombstones', async () => {
      const rows = Array.from({ length: 501 }, (_, at) => signTombstone(first, tombstone(`${at}`)))
      await db.insertInto('audit_tombstones').values(rows).execute()
      await turn(0, 1)
      const keys = await db.selectFrom('audit_tombstones').select('key_id').distinct().execute()
      assert.deepEqual(keys, [{ key_id: second.id }])
    })

    test('to a key from which it was turned before is refused', async () => {
      await turn(0, 1)
      const before = await statements()
      await assert.rejects(turn(1, 0), NotRotated)
      assert.deepEqual(await statements(), before)
    })

    test('ends the key: it signs nothing, and no restore takes it', async () => {
      assert.equal(await keyInUse(db, () => first), first)
      await assertNotTurnedAway(db, first)
      await turn(0, 1)
      await assert.rejects(
        keyInUse(db, () => first),
        CheckpointKeyEnded,
      )
      await assert.rejects(assertNotTurnedAway(db, first), /turned away from before the backup/)
      assert.equal(await keyInUse(db, () => second), second)
      await assertNotTurnedAway(db, second)
    })
  })

  onEmptyTables('who may have signed a checkpoint', () => {
    test('is the key in use, and one before it up to its last checkpoint', async () => {
      await audit.append('a')
      const last = await audit.checkpoint()
      await turn(0, 1)
      await turn(1, 2)
      const { attested, broken, hasEnded, of, own } = await readSigners(db, third)
      const signerOf = (key: { id: string }, number: number) => of({ key_id: key.id, number })?.id
      assert.equal(own, third)
      assert.deepEqual([signerOf(third, 1), signerOf(third, 99)], [third.id, third.id])
      for (const key of [first, second]) {
        assert.deepEqual([signerOf(key, 1), signerOf(key, 2)], [key.id, undefined])
        assert.equal(hasEnded(key.id), true)
      }
      assert.equal(signerOf({ id: 'other' }, 1), undefined)
      assert.deepEqual([hasEnded(third.id), hasEnded('other')], [false, false])
      assert.deepEqual([attested(1), attested(2), broken], [checkpointDigest(last), undefined, []])
      const text = checkpointText(last)
      assert.equal(of({ key_id: first.id, number: 1 })?.verifies(text, first.sign(text)), true)
    })

    for (const column of ['number', 'digest', 'at', 'public_key', 'own_signature', 'signature']) {
      test(`is none before a statement whose ${column} was changed`, async () => {
        await turn(0, 1)
        await turn(1, 2)
        const value =
          column === 'number' || column === 'at'
            ? 7
            : column === 'public_key'
              ? third.publicKey
              : 'x'
        await db
          .updateTable('audit_checkpoint_keys')
          .set({ [column]: value })
          .where('key_id', '=', second.id)
          .execute()
        const { broken, hasEnded, of } = await readSigners(db, third)
        assert.deepEqual(
          [broken, hasEnded(second.id), hasEnded(first.id)],
          [[second.id], false, false],
        )
        assert.equal(of({ key_id: second.id, number: 0 }), undefined)
        assert.equal(of({ key_id: first.id, number: 0 }), undefined)
      })
    }
  })
})
