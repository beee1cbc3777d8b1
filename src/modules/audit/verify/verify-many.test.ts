// A database makes a difference: the log is read from its tables in batches.
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { storedAudit } from '../../../../test/stored-audit.ts'
import { signTombstone } from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import { readPersons } from './indexes.ts'
import { verifyAudit } from './verify.ts'

suite('the verification of a long audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const name = (at: number) => `chain ${String(at).padStart(4, '0')}`

  async function verified() {
    const progress: number[] = []
    const onProgress = (records: number) => progress.push(records)
    return { ...(await verifyAudit({ db, keys }, { onProgress })), progress }
  }

  suite('of 1001 chains, checkpoints and tombstones', () => {
    before(async () => {
      await audit.clear()
      for (let at = 0; at < 1000; at += 1) await audit.checkpoint(start + at)
      for (let at = 0; at < 1001; at += 1) await audit.append(name(at))
      await audit.append(name(1000))
      await audit.checkpoint(start + 1000)
      const tombstone = { place: 1, mac: 'm', records: 1, at: start, closed: '' }
      const rows = Array.from({ length: 1001 }, (_, at) =>
        signTombstone(signer, { ...tombstone, chain: `removed ${name(at)}` }),
      )
      for (const half of [rows.slice(0, 500), rows.slice(500)]) {
        await db.insertInto('audit_tombstones').values(half).execute()
      }
    })

    test('reads all, in batches', async () => {
      const { checked, lastCheckpoint, problems, progress } = await verified()
      assert.deepEqual(problems, [])
      const count = { chains: 1001, checkpoints: 1001, tombstones: 1001 }
      assert.deepEqual(checked, { ...count, records: 1002, outside: null })
      assert.deepEqual(lastCheckpoint, { number: 1001, at: start + 1000 })
      assert.deepEqual(progress, [1000, 1002])
    })

    test('finds what was changed in a later batch', async () => {
      const forger = checkpointKey(Buffer.alloc(32, 9))
      const last = { chain: `removed ${name(1000)}`, records: 1, at: start, closed: '' }
      const forged = signTombstone(forger, { ...last, place: 1, mac: 'x' })
      await db
        .updateTable('audit_tombstones')
        .set(forged)
        .where('chain', '=', forged.chain)
        .execute()
      await db.updateTable('audit_records').set({ type: 'x' }).where('number', '=', 1002).execute()
      await db.updateTable('audit_checkpoints').set({ at: 1 }).where('number', '=', 1001).execute()
      const { problems } = await verified()
      assert.deepEqual(
        problems.map(({ what, chain, place }) => [what, chain, place]),
        [
          ['tombstone', forged.chain, null],
          ['changed', name(1000), 2],
          ['checkpoint', null, null],
        ],
      )
    })
  })

  suite('of many persons', () => {
    before(async () => {
      await audit.clear()
      for (let id = 1001; id <= 2001; id += 1) await audit.person(`${id}`)
    })

    test('finds keys that do not open, in all batches', async () => {
      assert.deepEqual((await readPersons(db, keys)).broken, [])
      const ids = ['1001', '2000', '2001']
      await db
        .updateTable('audit_subjects')
        .set({ sealed: 'x' })
        .where('subject', 'in', ids)
        .execute()
      assert.deepEqual((await readPersons(db, keys)).broken, ids)
    })

    test('holds so many keys, and reads the others with the records', async () => {
      await audit.clear()
      const persons = new Map<string, string>()
      for (const id of ['1', '2', '3', '4']) {
        persons.set(id, (await audit.person(id)).pseudonym)
        await audit.append('a', { payload: { user_id: Number(id) }, context: { by: id } })
      }
      const records = await db.selectFrom('audit_records').selectAll().orderBy('number').execute()
      const known = (found: Awaited<ReturnType<typeof readPersons>>) =>
        [...persons].flatMap(([id, pseudonym]) => (found.get(pseudonym) ? [id] : []))
      const all = await readPersons(db, keys, 4)
      assert.deepEqual(known(all), ['1', '2', '3', '4'])
      await db.deleteFrom('audit_subjects').where('subject', '=', '4').execute()
      await all.load(records)
      assert.deepEqual(known(all), ['1', '2', '3', '4']) // as it was read
      const some = await readPersons(db, keys, 1)
      assert.deepEqual(known(some), ['1'])
      await some.load(records.slice(1, 2))
      assert.deepEqual(known(some), ['1', '2'])
      await some.load(records.slice(2))
      assert.deepEqual(known(some), ['1', '3'])
      await some.load(records)
      assert.deepEqual(known(some), ['1', '2', '3'])
      await db
        .updateTable('audit_subjects')
        .set({ sealed: 'x' })
        .where('subject', '=', '2')
        .execute()
      await some.load(records)
      assert.deepEqual(known(some), ['1', '3'])
      const [{ actor_key } = assert.fail()] = records
      const { indexes, name } = some.get(actor_key ?? '') ?? assert.fail()
      assert.deepEqual(
        [indexes.actor, indexes.target, name],
        [records[0]?.actor_index, records[0]?.target_index, actor_key],
      )
    })

    test('reads more than 500 with one batch of records', async () => {
      await audit.clear()
      const names: string[] = []
      for (let id = 1; id <= 502; id += 1) {
        names.push((await audit.person(`${id}`)).pseudonym)
        if (id % 2 === 0)
          await audit.append('a', { payload: { user_id: id }, context: { by: `${id - 1}` } })
      }
      const found = await readPersons(db, keys, 0)
      await found.load(await db.selectFrom('audit_records').selectAll().execute())
      assert.equal(names.filter((one) => found.get(one)).length, 502)
    })
  })
})
