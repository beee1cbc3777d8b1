// A database makes a difference: checkpoints are written to a table.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { auditProofs } from '../../../test/audit-proofs.ts'
import { until } from '../../../test/until.ts'
import { handOverCheckpoints } from './checkpoint-key-rotation.ts'

suite('the proof of the audit log', async () => {
  const { audit, before, checkpoints, keyIds, next, proofOf, suiteOnEmptyLog, time } =
    await auditProofs()
  const { db, start } = audit
  const [one, two] = keyIds
  const everyMs = 5000
  const day = 86_400_000

  suiteOnEmptyLog('a run', () => {
    test('writes a checkpoint, and not within half an interval of another', async () => {
      const { proof } = proofOf({ index: 1 })
      assert.equal(proof.everyMs, everyMs)
      await audit.append('a')
      await proof.run()
      assert.deepEqual(await checkpoints(), [[1, one]])
      await audit.append('a')
      time.now += everyMs - 1
      await proof.run()
      assert.equal((await checkpoints()).length, 1)
      time.now += 1
      await proof.run()
      assert.equal((await checkpoints()).length, 2)
    })

    test('that fails sends nevertheless, and keeps the age of what is not covered', async () => {
      const failing = proofOf({ inserted: async () => assert.fail('as if it failed') })
      const { lines, proof, sent, uncovered } = failing
      await audit.append('a')
      await audit.checkpoint()
      await audit.append('a')
      proof.recorded(1, time.now - 7)
      await assert.rejects(proof.run(), /as if it failed/)
      assert.equal(uncovered(), 7)
      await until(() => proof.lag().sinks.length > 0)
      await proof.sent()
      assert.deepEqual([sent(), lines], [[1, ''], []])
    })

    test('after a rotation of the master key signs with the new key', async () => {
      const { proof, refreshed } = proofOf({ index: 1 })
      await audit.append('a')
      await proof.run()
      const rotation = { before, next, at: start }
      await handOverCheckpoints(db, rotation as Parameters<typeof handOverCheckpoints>[1])
      await audit.append('a')
      time.now += everyMs
      await proof.run()
      assert.deepEqual(await checkpoints(), [
        [1, one],
        [2, two],
      ])
      assert.deepEqual(refreshed, [time.now])
    })

    test('refreshes no key after another failure', async () => {
      const { proof, refreshed } = proofOf({
        index: 1, // sends nothing in the background
        inserted: async () => assert.fail('other'),
      })
      await audit.append('a')
      await assert.rejects(proof.run(), /other/)
      assert.deepEqual(refreshed, [])
    })
  })

  suiteOnEmptyLog('records', () => {
    test('without a checkpoint have the age of the oldest', async () => {
      const { proof, uncovered } = proofOf({ index: 1 })
      assert.equal(uncovered(), 0)
      proof.recorded(1, time.now + 5)
      assert.equal(uncovered(), 0)
      await proof.run()
      await audit.append('a')
      await proof.run()
      proof.recorded(1, time.now - 20)
      proof.recorded(1, time.now - 30)
      assert.equal(uncovered(), 20)
      await audit.append('a')
      await proof.run() // too soon after the other
      proof.recorded(1, time.now - 3)
      assert.equal(uncovered(), 20)
      time.now += everyMs
      await proof.run()
      assert.equal(uncovered(), 0)
    })

    for (const [count, max] of [
      [1, 1000],
      [3, 334],
    ] as const) {
      test(`so many that none waits get a checkpoint at once, of ${count} workers`, async () => {
        const { lines, proof, uncovered } = proofOf({ index: 1, count })
        await audit.append('a')
        await proof.run()
        await audit.append('a')
        proof.recorded(max - 2, time.now - 9)
        await proof.run() // too soon, which adds up
        proof.recorded(1, time.now - 8)
        assert.equal(uncovered(), 9)
        proof.recorded(1, time.now - 7)
        assert.equal(uncovered(), 0)
        await until(async () => (await checkpoints()).length === 2)
        await audit.append('a')
        await until(() => {
          proof.recorded(max, time.now)
          return uncovered() === 0
        })
        await until(async () => (await checkpoints()).length === 3)
        await proof.close()
        assert.deepEqual(lines, [])
      })
    }

    test('whose checkpoint fails wait for the next', async () => {
      let hasFailed = false
      const { lines, proof, uncovered } = proofOf({
        async inserted() {
          if (hasFailed) return
          hasFailed = true
          throw new Error('as if it failed')
        },
      })
      await audit.append('a')
      proof.recorded(999, time.now - 9)
      assert.equal(uncovered(), 9)
      proof.recorded(1, time.now)
      await until(() => lines.length > 0)
      assert.deepEqual(lines, ['a checkpoint was not written'])
      assert.equal(uncovered(), 9)
      await proof.run()
      assert.equal(uncovered(), 0)
      assert.deepEqual(await checkpoints(), [[1, one]])
    })

    test('are removed after the retention', async () => {
      await audit.append('a')
      time.now = start + 1001 + 30 * day
      assert.equal(await proofOf().proof.purge(9), 0)
      assert.equal(await proofOf({ retentionDays: 31 }).proof.purge(9), 0)
      assert.equal(await proofOf({ retentionDays: 30 }).proof.purge(9), 1)
    })
  })
})
