// A database makes a difference: processes learn of each other's checkpoints from the table.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { parseHeads } from './checkpoint-form.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createRetention } from './retention.ts'
import { verifyAudit } from './verify/verify.ts'

suite('checkpoints of many', async () => {
  const audit = await storedAudit()
  const { db, keys, signer, start } = audit
  const day = 86_400_000
  let time = start
  const clock = { now: () => time, wait: async () => {} }
  const isUrgent = true
  const processOf = () => createCheckpoints({ db, clock, key: () => signer, youngMs: 5000 })
  const checkpoints = () =>
    db.selectFrom('audit_checkpoints').selectAll().orderBy('number').execute()
  /** The places of the last checkpoint. */
  const heads = async () =>
    (parseHeads((await checkpoints()).at(-1)?.heads ?? '') ?? []).map(
      ({ chain, from, place }) => `${chain}${from}-${place}`,
    )

  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start + 60_000
  })

  suiteOnEmptyLog('processes', () => {
    test('a process reads any number of checkpoints of the others', async () => {
      const process = processOf()
      await audit.append('a')
      await audit.checkpoint()
      await audit.append('a')
      await audit.checkpoint()
      assert.equal(await process.write({ isUrgent }), true)
      for (const count of [1, 498, 503]) {
        await audit.append('b')
        for (let made = 0; made < count; made += 1) await audit.checkpoint()
      }
      await audit.append('a')
      await audit.append('b')
      assert.equal(await process.write({ isUrgent }), true)
      assert.equal((await checkpoints()).length, 1005)
      assert.deepEqual(await heads(), ['a3-3', 'b4-4'])
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('a new process searches all checkpoints of the time of an open chain', async () => {
      for (const chain of ['old', 'other']) await audit.append(chain)
      await audit.checkpoint()
      for (let made = 0; made < 1001; made += 1) {
        await audit.checkpoint(made < 501 ? start + 5000 : start + 2 * day)
      }
      await audit.append('old', { at: start + 4 * day })
      await audit.append('new')
      time = start + 4 * day
      assert.equal(await processOf().write({ isUrgent }), true)
      assert.deepEqual(await heads(), ['old2-2', 'new1-1'])
      assert.deepEqual((await verifyAudit({ db, keys })).problems, [])
    })

    test('a process remembers what it has covered, as long as it sees the last checkpoint', async () => {
      const process = processOf()
      for (const chain of ['a', 'b']) await audit.append(chain)
      await process.write({ isUrgent })
      for (let count = 2; count < 4; count += 1) {
        await audit.append('b')
        await process.write({ isUrgent })
        assert.deepEqual(await heads(), [`b${count}-${count}`])
        await db.deleteFrom('audit_checkpoints').where('number', '<', count).execute()
      }
      await audit.append('a')
      await process.write({ isUrgent })
      assert.deepEqual(await heads(), ['a2-2'])
    })

    test('a process remembers nothing of a database that was replaced', async () => {
      const process = processOf()
      for (let count = 0; count < 3; count += 1) await audit.append('a')
      await process.write()
      await audit.clear()
      await audit.append('b')
      await audit.checkpoint()
      await audit.append('a')
      assert.equal(await process.write({ isUrgent }), true)
      assert.deepEqual(await heads(), ['a1-1'])
    })

    test('two at the same time write one', async () => {
      await audit.append('a')
      const written = await Promise.all([1, 2].map(() => processOf().write({ isUrgent })))
      assert.ok(written.includes(true)) // the other may find nothing, or another's checkpoint
      assert.equal((await checkpoints()).length, 1)
    })

    test('another is not written in the same millisecond', async () => {
      const process = processOf()
      await audit.append('a')
      await process.write()
      await audit.append('a')
      assert.equal(await process.write(), false)
      assert.deepEqual(await heads(), ['a1-1'])
    })
  })

  suiteOnEmptyLog('chains', () => {
    test('the first checkpoint covers chains that are not listed', async () => {
      await audit.append('a')
      await db.deleteFrom('audit_chains').execute()
      assert.equal(await processOf().write(), true)
      assert.deepEqual(await heads(), ['a1-1'])
    })

    for (const [closedAgo, isCovered] of [
      [day, true],
      [day + 1, false],
    ] as const) {
      test(`a record committed late is ${isCovered ? '' : 'not '}covered, ${closedAgo} ms after the end of its chain`, async () => {
        const { indexed, ...late } = await audit.append('late')
        await db.deleteFrom('audit_records').execute()
        await audit.append('a')
        const process = processOf()
        await process.write()
        const { at = 0 } = (await checkpoints()).at(-1) ?? {}
        await db
          .updateTable('audit_chains')
          .set({ closed_at: at - closedAgo })
          .where('chain', '=', 'late')
          .execute()
        await db
          .insertInto('audit_records')
          .values({ ...late, indexed })
          .execute()
        assert.equal(await process.write({ isUrgent }), true)
        assert.deepEqual(await heads(), isCovered ? ['late1-1'] : ['a1-1'])
      })
    }
  })

  suiteOnEmptyLog('retention', () => {
    test('takes the rest of a batch from the next chain', async () => {
      for (const chain of ['a', 'a', 'b', 'b', 'b']) await audit.append(chain)
      time = start + 2 * day
      const { chain: chainKey } = keys
      const purge = createRetention({
        ...{ db, clock, key: () => signer, chainKey: () => chainKey, retentionDays: 1 },
      })
      assert.equal(await purge(3), 3)
      const left = await db.selectFrom('audit_records').select('place').orderBy('place').execute()
      assert.deepEqual(left, [{ place: 2 }, { place: 3 }])
    })
  })
})
