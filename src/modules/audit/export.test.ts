// A database makes a difference: chains grow while they are followed.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { exportRecords, type Seen } from './export.ts'

suite('an export of the audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, start } = audit
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})
  const numbersOf = (records: readonly { number: number }[]) => records.map(({ number }) => number)
  const close = (chain: string, at: number | null) =>
    db.updateTable('audit_chains').set({ closed_at: at }).where('chain', '=', chain).execute()

  suiteOnEmptyLog('of what there is', () => {
    async function exported(since?: number) {
      const seen: Seen = new Map()
      const batches = await audit.read(async (one) => {
        const found: number[][] = []
        const options = { since, seen }
        for await (const batch of exportRecords(one, { keys: { audit: keys } }, options)) {
          found.push(numbersOf(batch))
        }
        return found
      })
      return { batches, seen: [...seen].toSorted() }
    }

    test('has no record of an empty log', async () => {
      await audit.open('a')
      assert.deepEqual(await exported(), { batches: [], seen: [['a', 0]] })
      assert.deepEqual(await exported(start), { batches: [], seen: [['a', 0]] })
    })

    test('has the records since a time, by number', async () => {
      await audit.append('b', { at: start + 9 })
      await audit.append('a', { at: start + 5 })
      await audit.append('b', { at: start + 7 })
      await close('a', start)
      const seen = [
        ['a', 1],
        ['b', 2],
      ]
      assert.deepEqual(await exported(), { batches: [[1, 2, 3]], seen })
      assert.deepEqual(await exported(start + 5), { batches: [[1, 2, 3]], seen })
      assert.deepEqual(await exported(start + 6), { batches: [[1, 3]], seen })
      assert.deepEqual(await exported(start + 9), { batches: [[1]], seen })
      assert.deepEqual(await exported(start + 10), { batches: [], seen })
      await db.updateTable('audit_records').set({ number: 0 }).where('number', '=', 1).execute()
      assert.deepEqual((await exported()).batches, [[2, 3]])
    })

    test('has batches of 500 records', async () => {
      for (let count = 0; count < 1001; count += 1) await audit.append('a')
      const { batches } = await exported()
      assert.deepEqual(
        batches.map((batch) => batch.length),
        [500, 500, 1],
      )
      // Without a batch in which none is wanted.
      await db.updateTable('audit_records').set({ at: 5 }).execute()
      const { at } = await db
        .updateTable('audit_records')
        .set({ at: 9 })
        .where('number', 'in', [1, 1001])
        .returning('at')
        .executeTakeFirstOrThrow()
      assert.deepEqual((await exported(at)).batches, [[1], [1001]])
    })
  })
})
