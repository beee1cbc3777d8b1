// A database makes a difference: keys and indexes are rows and columns of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { usersOfIds } from '../../../test/users-of-ids.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { createErasure, type ErasureDeps } from './erasure.ts'

suite('the erasure of a person', async () => {
  const audit = await storedAudit()
  const { db, keys, start } = audit
  const [keptMs, day] = [600_000, 86_400_000]
  let time = start
  let closing: ((trx: DatabaseOrTransaction) => Promise<string[]>)[] = []
  let forgotten: (readonly string[])[] = []
  let erased: number[] = []
  let emitted: unknown[] = []

  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start
    closing = []
    forgotten = []
    erased = []
    emitted = []
  })

  const erasureOf = () =>
    createErasure({
      ...{ db, asyncCommitDb: db, clock: { now: () => time }, keys: { dataKey: keys.data } },
      audit: {
        closing: (_: unknown, work: (typeof closing)[0]) => closing.push(work),
        forget: (pseudonyms: readonly string[]) => forgotten.push(pseudonyms),
      },
      events: {
        emitInTransaction: async (_: unknown, { name }: { name: string }, ...rest: unknown[]) =>
          emitted.push([name, ...rest]),
      },
      subjectsOf: async (_: unknown, id: number) => (id === 7 ? ['https://idp.example.org#x'] : []),
      erased: async (_: unknown, id: number) => erased.push(id),
    } as unknown as ErasureDeps) // what is used

  const rows = () =>
    db.selectFrom('erasures').selectAll().orderBy('user_id').orderBy('pseudonym').execute()
  const persons = async () =>
    (await db.selectFrom('audit_subjects').select('subject').orderBy('subject').execute()).map(
      ({ subject }) => subject,
    )
  /** Removes a user, as the service does. */
  const remove = (id: number, erasure = erasureOf()) =>
    transact(db, [], async (trx) => {
      await erasure.begin(trx, id)
      return closing.at(-1)?.(trx) ?? []
    })

  suiteOnEmptyLog('at the removal of a user', () => {
    test('deletes the keys of the person, and notes what is left to empty', async () => {
      const seven = await audit.person('7')
      const identity = await audit.person('https://idp.example.org#x')
      await audit.person('8')
      const closed = await remove(7)
      assert.deepEqual(await persons(), ['8'])
      const pseudonyms = [seven, identity].map(({ pseudonym }) => pseudonym).toSorted()
      assert.deepEqual(closed.toSorted(), pseudonyms)
      assert.deepEqual(new Set(forgotten.flat()), new Set(pseudonyms))
      const row = ({ pseudonym, actorIndex, targetIndex }: typeof seven) => ({
        ...{ user_id: 7, pseudonym, actor_index: actorIndex, target_index: targetIndex },
        ...{ at: start, cleared_at: null },
      })
      assert.deepEqual(
        (await rows()).map(({ id: _, ...rest }) => rest),
        [row(seven), row(identity)].toSorted((a, b) => (a.pseudonym < b.pseudonym ? -1 : 1)),
      )
      assert.deepEqual(erased, [7])
    })

    test('without a key notes the user alone', async () => {
      assert.deepEqual(await remove(8), [])
      const nothing = { pseudonym: null, actor_index: null, target_index: null }
      const [{ id: _, ...row } = assert.fail(), ...others] = await rows()
      assert.deepEqual(row, { ...nothing, user_id: 8, at: start, cleared_at: null })
      assert.deepEqual([others, forgotten], [[], [[]]])
    })

    test('lists no key that does not open, because it may be of another person', async () => {
      const { pseudonym } = await audit.person('8')
      await db.updateTable('audit_subjects').set({ sealed: 'x' }).execute()
      assert.deepEqual(await remove(8), [])
      const [row = assert.fail()] = await rows()
      assert.deepEqual([row.pseudonym, row.actor_index, row.target_index], [pseudonym, null, null])
      assert.deepEqual([forgotten, await persons()], [[[pseudonym]], []])
    })

    test('undone leaves the keys, also in memory', async () => {
      await audit.person('8')
      const undone = transact(db, [], async (trx) => {
        await erasureOf().begin(trx, 8)
        await closing[0]?.(trx)
        throw new Error('as if it failed')
      })
      await assert.rejects(undone, /as if it failed/)
      assert.deepEqual([await persons(), await rows(), forgotten], [['8'], [], []])
    })

    test('begins once in a transaction, for each user', async () => {
      const erasure = erasureOf()
      await transact(db, [], async (trx) => {
        for (const id of [8, 8, 9, 9]) await erasure.begin(trx, id)
      })
      assert.deepEqual([closing.length, erased], [2, [8, 8, 9, 9]])
      await transact(db, [], (trx) => erasure.begin(trx, 9))
      assert.equal(closing.length, 3)
    })
  })

  suiteOnEmptyLog('afterwards', () => {
    test('each process drops the keys from memory', async () => {
      const erasure = erasureOf()
      await erasure.heed()
      assert.deepEqual(forgotten, [])
      const { pseudonym } = await audit.person('8')
      await remove(8)
      forgotten = []
      await erasure.heed()
      assert.deepEqual(forgotten, [[pseudonym]])
    })

    test('indexes are emptied in batches, and once more after ten minutes', async () => {
      const erasure = erasureOf()
      assert.equal(await erasure.clear(2), 0)
      const { pseudonym } = await audit.person('8')
      const by8 = { payload: { user_id: 8 }, context: { by: '8', address: '192.0.2.1' } }
      for (let count = 0; count < 3; count += 1) await audit.append('a', by8)
      await remove(8)
      erased = []
      const late = await audit.append('a', by8)
      const indexed = async () =>
        (await db.selectFrom('audit_records').selectAll().execute()).flatMap((row) =>
          [row.actor_index, row.target_index, row.address_index].filter(Boolean),
        ).length
      assert.deepEqual([late.actor_key, await indexed()], [pseudonym, 12])
      assert.deepEqual([await erasure.clear(3), await indexed()], [3, 3])
      assert.deepEqual([await erasure.clear(3), await indexed(), erased], [3, 0, []])
      time += keptMs
      assert.deepEqual([await erasure.clear(3), erased], [3, [8]])
      assert.equal((await rows())[0]?.cleared_at, time)
      assert.equal(await erasure.clear(3), 0)
      time += 1
      await db.updateTable('audit_records').set({ actor_index: late.actor_index }).execute()
      assert.deepEqual([await erasure.clear(3), await indexed()], [3, 1])
      assert.deepEqual([await erasure.clear(3), await indexed()], [3, 0])
      assert.equal((await rows()).length, 1)
      assert.deepEqual([await erasure.clear(3), await rows(), erased], [3, [], [8, 8]])
      assert.equal(await erasure.clear(3), 0)
    })
  })

  suiteOnEmptyLog('once a day', () => {
    test('keys of removed users are erased', async () => {
      const erasure = erasureOf()
      for (const id of [2, 4]) await usersOfIds(db, id, id)
      const made = new Map<string, string>()
      const subjects = ['1', '2', '3', '4', '0', '01', '12345678901234567', 'https://a.b#1']
      for (const subject of subjects) made.set(subject, (await audit.person(subject)).pseudonym)
      for (const batch of [3, 3, 0]) assert.equal(await erasure.sweep(3), batch)
      const left = ['0', '01', '12345678901234567', '2', '4', 'https://a.b#1']
      assert.deepEqual((await persons()).toSorted(), left)
      assert.deepEqual(
        emitted,
        ['1', '3'].map((id) => ['audit_keys_erased', { keys: 1 }, { closed: [made.get(id)] }]),
      )
      assert.deepEqual(
        (await rows()).map(({ user_id }) => user_id),
        [1, 3],
      )
      await audit.person('5')
      time += day - 1
      assert.equal(await erasure.sweep(3), 0)
      assert.ok((await persons()).includes('5'))
      time += 1
      for (const batch of [3, 3, 0]) assert.equal(await erasure.sweep(3), batch)
      assert.deepEqual((await persons()).toSorted(), left)
      assert.equal(emitted.length, 3)
    })
  })
})
