// A database makes a difference: keys and lists are rows of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { signTombstone } from './checkpoint-form.ts'
import { auditErasuresCounted } from './events.ts'
import { createUnlistedErasures, unlistedThrough } from './unlisted-erasures.ts'

suite('erasures of versions without lists', async () => {
  const audit = await storedAudit()
  const { db, signer, start } = audit
  let emitted: { count: number; closed: readonly string[]; through: number }[] = []
  let onEmit = async (_: DatabaseOrTransaction): Promise<void> => {}
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    emitted = []
    onEmit = async () => {}
  })
  type Deps = Parameters<typeof createUnlistedErasures>[0]
  const events = {
    async emitInTransaction(
      trx: DatabaseOrTransaction,
      type: unknown,
      { erasures }: { erasures: number },
      { unlisted }: { unlisted: { closed: readonly string[]; through: number } },
    ) {
      assert.equal(type, auditErasuresCounted)
      emitted.push({ count: erasures, ...unlisted })
      await onEmit(trx)
    },
  }
  const job = () => createUnlistedErasures({ db, events } as unknown as Deps) // what is used
  const setThrough = (through: number) =>
    db.insertInto('audit_erasures_unlisted').values({ through }).execute()

  /** Records of persons whose keys are gone; returns their pseudonyms. */
  async function erased(count: number): Promise<string[]> {
    const names: string[] = []
    for (let id = 1; id <= count; id += 1) {
      names.push((await audit.person(`${id}`)).pseudonym)
      await audit.append('a', { payload: { user_id: id } })
    }
    await db.deleteFrom('audit_subjects').execute()
    return names
  }

  suiteOnEmptyLog('the list', () => {
    test('is written once, also if there is nothing to list', async () => {
      const step = job()
      assert.deepEqual([await unlistedThrough(db), await step(50)], [0, 0])
      assert.deepEqual(emitted, [{ count: 0, closed: [], through: 0 }])
      await audit.append('a', { type: auditErasuresCounted.name })
      assert.equal(await step(50), 0)
      assert.equal(emitted.length, 1)
    })

    test('has the keys that are gone up to the number of the upgrade, and no other', async () => {
      const [one, two] = await erased(3)
      await audit.person('4')
      await audit.append('a', { payload: { user_id: 4 } })
      await setThrough(2)
      const step = job()
      assert.deepEqual([await unlistedThrough(db), await step(50)], [2, 50])
      assert.equal(emitted.length, 0)
      assert.equal(await step(50), 0)
      assert.deepEqual(
        emitted.map(({ closed, ...rest }) => ({ ...rest, closed: closed.toSorted() })),
        [{ count: 2, through: 2, closed: [one, two].toSorted() }],
      )
    })

    test('is read 2000 records at once', async () => {
      const [one] = await erased(1)
      for (const [number, through, steps] of [
        [1, 2000, 1],
        [2001, 2001, 2],
        [4000, 4000, 2],
        [4001, 4001, 3],
      ] as const) {
        await db.updateTable('audit_records').set({ number }).execute()
        await db.deleteFrom('audit_erasures_unlisted').execute()
        await setThrough(through)
        emitted = []
        const step = job()
        for (let count = 0; count < steps; count += 1) assert.equal(await step(7), 7)
        assert.equal(await step(7), 0)
        assert.deepEqual(emitted, [{ count: 1, closed: [one], through }])
      }
    })

    test('has a hundred keys in a record', async () => {
      for (const [count, counts] of [
        [100, [100]],
        [101, [100, 1]],
      ] as const) {
        await audit.clear()
        emitted = []
        const names = await erased(count)
        await setThrough(count)
        const step = job()
        await step(50)
        await step(50)
        assert.deepEqual(
          emitted.map((one) => one.count),
          counts,
        )
        assert.deepEqual(emitted.flatMap(({ closed }) => closed).toSorted(), names.toSorted())
      }
    })
  })

  suiteOnEmptyLog('no second list', () => {
    test('is written where a record has one', async () => {
      await erased(1)
      await setThrough(1)
      await audit.append('a', { type: auditErasuresCounted.name })
      assert.deepEqual([await job()(50), emitted], [0, []])
    })

    test('is not written if another process has listed them', async () => {
      await erased(1)
      await setThrough(1)
      const step = job()
      assert.equal(await step(50), 50)
      await audit.append('a', { type: auditErasuresCounted.name })
      assert.deepEqual([await step(50), await step(50), emitted], [0, 0, []])
    })

    test('is written by two processes at once', async () => {
      onEmit = async (trx) => {
        const list = { chain: 'c', place: 1, mac: 'm', records: 1, at: start, closed: '[0]' }
        await trx.insertInto('audit_tombstones').values(signTombstone(signer, list)).execute()
      }
      assert.deepEqual(await Promise.all([job()(50), job()(50)]), [0, 0])
      assert.equal(emitted.length, 1)
    })

    test('is written where a tombstone keeps one, however many there are', async () => {
      const tombstone = { place: 1, mac: 'm', records: 1, at: start }
      const rows = Array.from({ length: 501 }, (_, at) =>
        signTombstone(signer, {
          ...{ ...tombstone, chain: `c ${1000 + at}` },
          closed: at === 0 ? 'changed' : at === 1 ? '[null,["a",5,null]]' : '',
        }),
      )
      await db.insertInto('audit_tombstones').values(rows).execute()
      const last = 'c 1500'
      const set = (closed: string) =>
        db.updateTable('audit_tombstones').set({ closed }).where('chain', '=', last).execute()
      await set('[0]')
      assert.deepEqual([await job()(50), emitted], [0, []])
      await set('[null]')
      assert.equal(await job()(50), 0)
      assert.equal(emitted.length, 1)
    })
  })
})
