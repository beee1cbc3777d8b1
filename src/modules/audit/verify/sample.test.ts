// A database makes a difference: ranges of records are read from its tables.
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { storedAudit } from '../../../../test/stored-audit.ts'
import { signTombstone } from '../checkpoint-form.ts'
import { sampleProblems } from './sample.ts'

suite('a sample of the audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const asked: number[] = []

  /** What is found with a generator of one number. */
  function problems(value = 0) {
    asked.length = 0
    const random = {
      bytes(length: number) {
        asked.push(length)
        return Buffer.from([0, 0, 0, value])
      },
    }
    return sampleProblems(db, keys, random)
  }
  const found = async (value?: number) => (await problems(value)).map(({ en }) => en)
  const set = (number: number, columns: object) =>
    db.updateTable('audit_records').set(columns).where('number', '=', number).execute()
  const changed = (number: number) =>
    `The record ${number} of the audit log is not what was written there.`
  const missing = (number: number) =>
    `The record before record ${number} of the audit log is missing.`

  /** Those of the records that it finds, if only these were changed. */
  async function foundOf(numbers: readonly number[], value = 0): Promise<number[]> {
    for (const number of numbers) await set(number, { reason: 'other' })
    const list = await found(value)
    for (const number of numbers) await set(number, { reason: null })
    return numbers.filter((number) => list.includes(changed(number)))
  }

  suite('of some records', () => {
    test('of none is empty', async () => {
      assert.deepEqual(await problems(), [])
    })

    test('has a sentence for a record that was changed, and for one that is missing', async () => {
      await audit.clear()
      for (const chain of ['a', 'b', 'a', 'b', 'a', 'b']) await audit.append(chain)
      assert.deepEqual([await problems(), asked], [[], []])
      await set(3, { facts: '{}' })
      await db.deleteFrom('audit_records').where('number', '=', 2).execute()
      assert.deepEqual(await problems(), [
        {
          en: changed(3),
          de: 'Der Eintrag 3 des Protokolls ist nicht, was dort geschrieben wurde.',
        },
        { en: missing(4), de: 'Vor dem Eintrag 4 des Protokolls fehlt ein Eintrag.' },
      ])
    })

    test('has no problem where retention removed the records before', async () => {
      await audit.clear()
      const [, two] = [await audit.append('a'), await audit.append('a')]
      await audit.append('a')
      await db.deleteFrom('audit_records').where('number', '<', 3).execute()
      const place = async (place: number, mac = two.mac) => {
        const rest = { chain: 'a', records: 2, at: start, closed: '' }
        await db.deleteFrom('audit_tombstones').execute()
        const row = signTombstone(signer, { ...rest, place, mac })
        await db.insertInto('audit_tombstones').values(row).execute()
        return found()
      }
      assert.deepEqual(await found(), [missing(3)])
      assert.deepEqual(await place(2), [])
      assert.deepEqual(await place(2, 'other'), [changed(3)])
      assert.deepEqual(await place(1), [missing(3)])
      assert.deepEqual(await place(3, 'other'), []) // removed since it was read
      assert.deepEqual(await place(4, 'other'), [])
    })

    test('names five records, the latest range first', async () => {
      await audit.clear()
      for (let count = 0; count < 51; count += 1) await audit.append(count % 2 ? 'a' : 'b')
      const numbers = [1, 2, 26, 27, 50, 51]
      assert.deepEqual(await foundOf(numbers.slice(0, 3)), [1, 2, 26])
      for (const number of numbers) await set(number, { reason: 'other' })
      assert.deepEqual(await found(), [27, 50, 51, 2, 26].map(changed))
    })
  })

  suite('of many records', () => {
    before(async () => {
      await audit.clear()
      for (let count = 0; count < 500; count += 1) await audit.append(count % 3 ? 'a' : 'b')
    })

    test('of 500 is all', async () => {
      assert.deepEqual(await foundOf([1, 24, 25, 26, 500]), [1, 24, 25, 26, 500])
      assert.deepEqual(asked, [])
    })

    test('of more is the latest range, and one in each other part', async () => {
      await audit.append('a')
      assert.deepEqual(await foundOf([1, 24, 25, 499, 501]), [25, 499, 501])
      assert.deepEqual(asked, Array(19).fill(4))
      assert.deepEqual(await foundOf([24, 25, 300], 25), [25, 300])
      assert.deepEqual(await foundOf([28, 29, 30, 54], 5), [30, 54])
      assert.deepEqual(await found(), [])
    })

    test('leaves records out between the ranges', async () => {
      await db
        .updateTable('audit_records')
        .set('number', (eb) => eb('number', '+', 250))
        .where('number', '>', 490)
        .execute()
      // Parts of 37 records.
      assert.deepEqual(await foundOf([36, 37, 61, 62, 73, 74, 98, 99]), [37, 61, 74, 98])
    })
  })
})
