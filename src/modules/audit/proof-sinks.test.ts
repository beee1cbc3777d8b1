// A database makes a difference: checkpoints are written to a table.
import assert from 'node:assert/strict'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { suite, test } from 'node:test'
import { auditProofs } from '../../../test/audit-proofs.ts'
import { checkpointStore } from './checkpoint-store.ts'

suite('the proof outside', async () => {
  const { audit, checkpoints, proofOf, suiteOnEmptyLog, time } = await auditProofs()
  const { db } = audit

  suiteOnEmptyLog('a run', () => {
    test('sends what is in the database, of the first worker alone', async () => {
      const [worker, other] = [proofOf(), proofOf({ index: 1, count: 2 })]
      await audit.append('a')
      await other.proof.run()
      await worker.proof.run()
      await worker.proof.sent()
      const name = `file:${worker.checkpointsFile}`
      assert.deepEqual(worker.proof.lag(), { uncoveredMs: 0, sinks: [{ name, unsentMs: 0 }] })
      assert.deepEqual(worker.sent(), [1, ''])
      assert.equal(statSync(worker.dataDirectory).mode & 0o777, 0o700)
      assert.deepEqual(other.proof.lag(), { uncoveredMs: 0, sinks: [] })
      await other.proof.sent()
      assert.deepEqual(other.sent(), [1, ''])
    })

    test('removes an unfinished line of the file, of the first worker alone', async () => {
      await audit.append('a')
      await audit.checkpoint()
      for (const [index, lines] of [
        [0, [1, '']],
        [1, ['unfinished', 1, '']],
      ] as const) {
        const { checkpointsFile, dataDirectory, proof, sent } = proofOf({ index })
        mkdirSync(dataDirectory, { recursive: true })
        writeFileSync(checkpointsFile, 'unfinished')
        await proof.sent()
        assert.deepEqual(sent(), lines)
      }
    })
  })

  suiteOnEmptyLog('the end', () => {
    test('writes and sends a last checkpoint, however young the other is', async () => {
      const { proof, sent } = proofOf({ index: 1 })
      await audit.append('a')
      await proof.run()
      await audit.append('a')
      proof.recorded(1000, time.now)
      await audit.append('a')
      await proof.close()
      const [last] = (await checkpoints()).at(-1) ?? []
      assert.equal(sent().at(-2), last)
      const { records } = (await checkpointStore(db).last()) ?? {}
      assert.equal(records, 3)
    })

    test('reports a failure, and afterwards nothing of a sink', async () => {
      const { checkpointsFile, lines, proof } = proofOf({
        inserted: async () => assert.fail('as if it failed'),
      })
      mkdirSync(checkpointsFile, { recursive: true })
      await audit.append('a')
      await proof.close()
      const failed = 'the last checkpoint of the audit log was not written'
      assert.deepEqual(lines, [failed])
      await proof.sent()
      assert.deepEqual(lines, [failed])
    })
  })

  suiteOnEmptyLog('a sink that fails', () => {
    test('is reported with the time since the first failure', async () => {
      const { checkpointsFile, lines, proof } = proofOf()
      mkdirSync(checkpointsFile, { recursive: true })
      await proof.sent()
      time.now += 11
      await proof.sent()
      const away = 'a sink of the audit log is away: what it lacks is sent when it is back'
      assert.deepEqual(lines, [away])
      const name = `file:${checkpointsFile}`
      assert.deepEqual(proof.lag().sinks, [{ name, unsentMs: 11 }])
    })

    test('for want of its folder is reported as well', async () => {
      const { dataDirectory, lines, proof } = proofOf()
      mkdirSync(dirname(dataDirectory))
      writeFileSync(dataDirectory, '')
      await proof.sent()
      assert.equal(lines.length, 1)
      assert.equal(proof.lag().sinks.length, 1)
    })
  })
})
