// A database makes a difference: persons are read from their table in batches.
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { storedAudit } from '../../../../test/stored-audit.ts'
import { readPersons } from './indexes.ts'

suite('the keys of persons, for the verification', async () => {
  const audit = await storedAudit()
  const { db, keys } = audit

  suite('many persons', () => {
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
