// A database makes a difference: the log is read from its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../../test/stored-audit.ts'
import {
  type Checkpoint,
  checkpointDigest,
  signCheckpoint,
  signTombstone,
} from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import { lineOf } from '../outside/file-sink.ts'
import { type AuditRecord, firstPrevious, macOf } from '../record-form.ts'
import { verifyAudit } from './verify.ts'

suite('attacks that the verification finds', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})
  const other = checkpointKey(Buffer.alloc(32, 9))

  async function* outsideOf(checkpoints: readonly Checkpoint[]) {
    for (const checkpoint of checkpoints) yield lineOf({ checkpoint }).trimEnd()
  }
  async function verified(outside?: readonly Checkpoint[] | null, now = Infinity) {
    const given = outside && outsideOf(outside)
    return verifyAudit({ db, keys }, { now, ...(given !== undefined && { outside: given }) })
  }
  const found = async (outside?: readonly Checkpoint[] | null, now?: number) =>
    (await verified(outside, now)).problems.map(({ what, chain, place, detail }) => [
      what,
      chain,
      place,
      detail,
    ])
  const row = (number: number): Promise<AuditRecord> =>
    db
      .selectFrom('audit_records')
      .selectAll()
      .where('number', '=', number)
      .executeTakeFirstOrThrow()
  const change = (number: number, columns: object) =>
    db.updateTable('audit_records').set(columns).where('number', '=', number).execute()
  const remove = (...numbers: number[]) =>
    db.deleteFrom('audit_records').where('number', 'in', numbers).execute()
  const entomb = (chain: string, more: object = {}) => {
    const tombstone = { chain, place: 1, mac: 'm', records: 1, at: start, closed: '', ...more }
    return db.insertInto('audit_tombstones').values(signTombstone(signer, tombstone)).execute()
  }
  const changed =
    'the record is not what was written at this place: it was changed, swapped or inserted'

  /** Checkpoints of the chains a, of two records, and b, of one more each. */
  async function written(): Promise<Checkpoint[]> {
    const checkpoints: Checkpoint[] = []
    for (let count = 0; count < 3; count += 1) {
      for (const chain of ['a', 'b']) await audit.append(chain)
      checkpoints.push(await audit.checkpoint())
    }
    return checkpoints
  }

  suiteOnEmptyLog('records', () => {
    test('the end of the last chain is missing', async () => {
      await written()
      await remove(6)
      const detail = 'place 3 is missing: checkpoint 3 attests them'
      assert.deepEqual(await found(), [['missing', 'b', 3, detail]])
    })

    test('a record of a chain without a checkpoint was changed', async () => {
      await audit.append('a')
      await change(1, { type: 'other' })
      assert.deepEqual(await found(), [['changed', 'a', 1, changed]])
    })

    test('the key of the records wrote another record at an attested place', async () => {
      await written()
      const [before, last] = [await row(3), await row(5)]
      const forged = { ...last, type: 'other' }
      await change(5, { type: 'other', mac: macOf(keys.chain, before.mac, forged) })
      const detail = 'the record is not the one that checkpoint 3 attests'
      assert.deepEqual(await found(), [['changed', 'a', 3, detail]])
      await change(5, { number: 50 })
      assert.deepEqual(await found(), [['changed', 'a', 3, detail]])
    })

    test('the key of the records wrote a record that no checkpoint attests', async () => {
      await written()
      const last = await row(5)
      const made = { ...last, place: 4, id: 'forged', number: 9 }
      await db
        .insertInto('audit_records')
        .values({ ...made, mac: macOf(keys.chain, last.mac, made) })
        .execute()
      const { problems, uncovered } = await verified()
      assert.deepEqual([problems, uncovered], [[], { records: 1, since: last.at }])
    })

    test('records without a checkpoint are counted from the oldest', async () => {
      await written()
      const oldest = await audit.append('a')
      await audit.append('c')
      await audit.append('b')
      assert.deepEqual((await verified()).uncovered, { records: 3, since: oldest.at })
      await remove(7)
      const { uncovered } = await verified()
      assert.deepEqual(uncovered, { records: 2, since: oldest.at + 1000 })
    })

    test('of a chain alone are counted from its first', async () => {
      const { at } = await audit.append('a')
      await audit.append('a')
      assert.deepEqual((await verified()).uncovered, { records: 2, since: at })
    })

    test('after a gap are compared with the record before them', async () => {
      await written()
      await remove(3)
      await audit.append('a')
      await change(7, { type: 'other' })
      assert.deepEqual(await found(), [
        ['missing', 'a', 2, 'place 2 is missing'],
        ['inserted', 'a', 4, changed],
      ])
    })

    test('a chain begins with its own name', async () => {
      const record = await audit.append('a')
      const foreign = { mac: macOf(keys.chain, firstPrevious(keys.chain, 'b'), record) }
      await change(1, foreign)
      assert.deepEqual(await found(), [['changed', 'a', 1, changed]])
    })

    test('facts that are no JSON are reported once', async () => {
      await audit.append('a')
      await change(1, { facts: '{' })
      assert.deepEqual(await found(), [['changed', 'a', 1, changed]])
    })

    test('a key that is gone is listed by a tombstone', async () => {
      const { pseudonym } = await audit.person('7')
      await audit.append('a', { payload: { user_id: 7 } })
      await db.deleteFrom('audit_subjects').execute()
      await change(1, { target_index: null })
      assert.equal((await found()).length, 1)
      await entomb('b', { closed: JSON.stringify([null, [pseudonym, start, null]]) })
      const { erased, problems } = await verified()
      assert.deepEqual([erased, problems], [1, []])
    })

    test('a key that is gone sealed what the person did', async () => {
      const { pseudonym } = await audit.person('7')
      await audit.append('a', { context: { by: '7' } })
      await db.deleteFrom('audit_subjects').execute()
      await change(1, { actor_index: null })
      const detail =
        'the key of a person is gone, and no record of an erasure lists it: record 1 is the first that it has sealed'
      assert.deepEqual(await found(), [['erasure', null, null, detail]])
      await audit.append('a', { closed: [pseudonym] })
      assert.deepEqual(await found(), [])
    })

    test('an open chain whose records retention removed has none', async () => {
      const { mac } = await audit.append('a')
      await remove(1)
      assert.equal((await found()).length, 1)
      await entomb('a', { mac })
      assert.deepEqual(await found(), [])
    })
  })

  suiteOnEmptyLog('checkpoints', () => {
    test('a statement of a rotation was changed', async () => {
      await audit.append('a')
      const statement = {
        ...{ key_id: other.id, public_key: other.publicKey, successor: signer.id, number: 0 },
        ...{ digest: '', at: start, own_signature: 'x', signature: 'x' },
      }
      await db.insertInto('audit_checkpoint_keys').values(statement).execute()
      const detail = `the statement that the master key was turned from ${other.id} was changed`
      assert.deepEqual(await found(), [['key', null, null, detail]])
    })

    test('a checkpoint of another key between two of this key', async () => {
      const [one, two, three] = await written()
      const { key_id: _, signature: __, ...unsigned } = two ?? assert.fail()
      const set = signCheckpoint(other, unsigned)
      await db.updateTable('audit_checkpoints').set(set).where('number', '=', 2).execute()
      const details = [
        `checkpoint 2 is signed by another key, ${other.id}`,
        'checkpoint 3 does not refer to the checkpoint before it: one of the two was changed',
      ]
      const { fork, notes, problems } = await verified(
        [one, two, three].flatMap((line) => line ?? []),
      )
      assert.deepEqual(
        problems.map(({ detail }) => detail),
        details,
      )
      assert.deepEqual([fork, notes], [null, []])
    })

    test('the only ones are of another key, and there was no restore', async () => {
      await audit.append('a')
      const { key_id: _, signature: __, ...unsigned } = await audit.checkpoint()
      await db.updateTable('audit_checkpoints').set(signCheckpoint(other, unsigned)).execute()
      const detail = `1 checkpoints are signed by another key than that of this master key (${signer.id}), and no restore of a backup is recorded after them`
      const { notes, problems } = await verified()
      assert.deepEqual([notes, problems.map((one) => one.detail)], [[], [detail]])
    })

    test('a gap is not reported again for the file outside', async () => {
      const lines = await written()
      await db.deleteFrom('audit_checkpoints').where('number', '=', 2).execute()
      const details = [
        'checkpoint 3 follows a gap: 2 is missing, or they were removed without a tombstone',
        'checkpoint 3 does not go on in the chain a where one before it ended',
        'checkpoint 3 does not go on in the chain b where one before it ended',
      ]
      const { fork, problems } = await verified(lines)
      assert.deepEqual([fork, problems.map((one) => one.detail)], [null, details])
    })

    test('none is left, and the file outside has one', async () => {
      await audit.append('a')
      const one = await audit.checkpoint()
      await db.deleteFrom('audit_checkpoints').execute()
      const { fork, lastCheckpoint, notes } = await verified([one])
      assert.deepEqual(fork, { from: 1, to: 1, lines: 1, at: one.at, restore: null })
      assert.deepEqual([lastCheckpoint, notes], [null, []])
    })

    test('a young one is not the first if retention removed others', async () => {
      const [one, two] = await written()
      const { number, records, at } = two ?? assert.fail()
      await db.deleteFrom('audit_checkpoints').where('number', '!=', 3).execute()
      const mac = checkpointDigest(two ?? assert.fail())
      await entomb('checkpoints', { place: number, mac, records })
      const missing =
        'there is no file of checkpoints outside, although the database has checkpoints'
      assert.deepEqual(await found(null, at), [['outside', null, null, missing]])
      assert.deepEqual((await verified([one ?? assert.fail()])).problems, [])
    })
  })
})
