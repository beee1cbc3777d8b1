// A database makes a difference: its statements have ranges, orders and limits.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { erasureStore } from './erasure-store.ts'

suite('what remains of an erasure', async () => {
  const audit = await storedAudit()
  const { db, start } = audit
  const store = erasureStore(db)
  const due = (before: number) => audit.read((one) => erasureStore(one).due(before))
  const subjectsAfter = (subject: string, limit: number) =>
    audit.read((one) => erasureStore(one).subjectsAfter(subject, limit))
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})
  const none = { pseudonym: null, actor_index: null, target_index: null }
  const rows = () => db.selectFrom('erasures').selectAll().orderBy('user_id').execute()

  suiteOnEmptyLog('rows of erasures', () => {
    test('are those without an end, and those that can end, in their order', async () => {
      assert.equal(await due(Number.MAX_SAFE_INTEGER), undefined)
      for (const [user_id, at] of [
        [1, start],
        [2, start - 1],
        [3, start - 2],
      ] as const) {
        await store.add([{ ...none, user_id, at }])
      }
      const [one = assert.fail(), two = assert.fail(), three = assert.fail()] = await rows()
      assert.deepEqual(await due(0), one)
      await store.markCleared(one.id, start + 5)
      assert.deepEqual(
        (await rows()).map(({ cleared_at }) => cleared_at),
        [start + 5, null, null],
      )
      assert.deepEqual(await due(0), two)
      for (const { id } of [two, three]) await store.markCleared(id, start)
      assert.equal(await due(start - 2), undefined)
      assert.equal((await due(start - 1))?.user_id, 3)
      assert.equal((await due(start + 1))?.user_id, 1)
      await store.end(two.id)
      assert.deepEqual(
        (await rows()).map(({ user_id }) => user_id),
        [1, 3],
      )
    })

    test('name keys and indexes', async () => {
      assert.deepEqual([await store.pseudonyms(), await store.indexes()], [[], new Set()])
      const row = { user_id: 1, at: start }
      await store.add([
        { ...row, pseudonym: 'p', actor_index: 'a', target_index: 't' },
        { ...row, pseudonym: 'q', actor_index: null, target_index: 'u' },
        { ...row, pseudonym: null, actor_index: 'b', target_index: null },
      ])
      assert.deepEqual((await store.pseudonyms()).toSorted(), ['p', 'q'])
      assert.deepEqual(await store.indexes(), new Set(['a', 't', 'u', 'b']))
    })
  })

  suiteOnEmptyLog('indexes of records', () => {
    const by = (address: string) => ({ payload: { user_id: 7 }, context: { by: '7', address } })
    const left = async () =>
      (await db.selectFrom('audit_records').selectAll().orderBy('number').execute()).map(
        ({ actor_index, target_index, address_index }) =>
          [actor_index, target_index, address_index].map(Boolean),
      )

    test('are emptied for each side, so many at once', async () => {
      const { actorIndex, targetIndex } = await audit.person('7')
      const other = await audit.person('8')
      for (let count = 0; count < 3; count += 1) await audit.append('a', by('192.0.2.1'))
      await audit.append('a', {
        payload: { user_id: 8 },
        context: { by: '8', address: '192.0.2.1' },
      })
      const all = [true, true, true]
      const indexes = { actor_index: actorIndex, target_index: targetIndex }
      assert.equal(await store.clearIndexes({ actor_index: null, target_index: null }, 9), 0)
      assert.deepEqual(await left(), [all, all, all, all])
      assert.equal(await store.clearIndexes({ ...indexes, target_index: null }, 2), 2)
      const acted = [false, true, false]
      assert.equal((await left()).filter(([actor]) => actor).length, 2)
      assert.equal(await store.clearIndexes({ ...indexes, target_index: null }, 9), 1)
      assert.deepEqual(await left(), [acted, acted, acted, all])
      assert.equal(await store.clearIndexes(indexes, 2), 2)
      assert.equal(await store.clearIndexes(indexes, 2), 1)
      assert.equal(await store.clearIndexes(indexes, 2), 0)
      assert.deepEqual((await left()).slice(2), [[false, false, false], all])
      const both = { actor_index: other.actorIndex, target_index: other.targetIndex }
      assert.equal(await store.clearIndexes(both, 2), 2)
      assert.deepEqual((await left())[3], [false, false, false])
    })
  })

  suiteOnEmptyLog('keys and users', () => {
    test('keys are removed by their persons', async () => {
      const [seven] = [await audit.person('7'), await audit.person('8'), await audit.person('9')]
      const removed = await store.removeKeys(['7', '9', '10'])
      assert.deepEqual(removed.map(({ subject }) => subject).toSorted(), ['7', '9'])
      const { pseudonym, sealed } = removed.find(({ subject }) => subject === '7') ?? assert.fail()
      assert.deepEqual([pseudonym, typeof sealed], [seven.pseudonym, 'string'])
      assert.deepEqual(await subjectsAfter('', 9), ['8'])
    })

    test('persons are read in the order of their names', async () => {
      for (const subject of ['9', '10', '8']) await audit.person(subject)
      assert.deepEqual(await subjectsAfter('', 2), ['10', '8'])
      assert.deepEqual(await subjectsAfter('8', 2), ['9'])
    })

    test('a user is gone without a row, or with one that is to be deleted', async () => {
      for (const [id, import_id] of [
        [1, null],
        [2, 1],
        [3, -1],
        [4, null],
      ] as const) {
        const keys = { name_key: 'a', email_key: `${id}@b.co` }
        const user = { id, name: 'A', email: `${id}@b.co`, ...keys, import_id }
        await db.insertInto('users').values(user).execute()
      }
      assert.deepEqual(await store.gone([5, 3, 2, 1]), [5, 3])
      assert.deepEqual(await store.gone([]), [])
    })
  })
})
