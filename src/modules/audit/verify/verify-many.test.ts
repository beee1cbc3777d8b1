// A database makes a difference: the log is read from its tables in batches.
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { storedAudit } from '../../../../test/stored-audit.ts'
import { signTombstone } from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
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
})
