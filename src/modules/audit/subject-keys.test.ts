// A database makes a difference: keys of persons are made once, and erased.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit } from '../../../test/stored-audit.ts'
import { transact } from '../../core/database/transactions.ts'
import { erasureStore } from './erasure-store.ts'
import { auditStore } from './store.ts'
import { createSubjectKeys, storedKeysOf } from './subject-keys.ts'
import { signedInWithoutKey } from './subjects-store.ts'

suite('persons in the audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, random, start } = audit
  const { data } = keys

  async function user(id: number, more: object = {}) {
    const row = {
      id,
      name: 'A',
      email: `${id}@b.co`,
      name_key: 'a',
      email_key: `${id}@b.co`,
      ...more,
    }
    await db.insertInto('users').values(row).execute()
  }

  const stored = async () =>
    (await db.selectFrom('audit_subjects').select('subject').orderBy('subject').execute()).map(
      ({ subject }) => subject,
    )

  type Keys = ReturnType<typeof createSubjectKeys>
  const keysOf = (
    from: Keys,
    subjects: string[],
    name: 'of' | 'evenlyOf' = 'of',
    fresh?: string[],
  ) => transact(db, [], (trx) => from[name](trx, data, new Set(subjects), fresh && new Set(fresh)))

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(audit.clear)
      tests()
    })
  }

  onEmptyTables('the keys of persons', () => {
    for (const name of ['of', 'evenlyOf'] as const) {
      test(`are made once, by any process (${name})`, async () => {
        await user(7)
        const [one, other] = [createSubjectKeys(random), createSubjectKeys(random)]
        const made = await keysOf(one, ['7', 'https://idp.example.org#x'], name)
        assert.deepEqual(await stored(), ['7', 'https://idp.example.org#x'])
        const again = await keysOf(other, ['7'], name)
        assert.deepEqual(again.get('7'), made.get('7'))
        assert.ok(made.get('7')?.actorIndex && made.get('7')?.targetIndex)
        assert.notEqual(made.get('7')?.actorIndex, made.get('7')?.targetIndex)
        assert.deepEqual([...again.keys()], ['7'])
        assert.deepEqual(
          (await keysOf(one, ['7'], name)).get('7')?.pseudonym,
          again.get('7')?.pseudonym,
        )
      })

      test(`of a removed user are made and not stored, so that nothing opens again (${name})`, async () => {
        await user(8, { import_id: -1 })
        const subject = createSubjectKeys(random)
        for (const id of ['7', '8']) {
          const { actorIndex, pseudonym, targetIndex } =
            (await keysOf(subject, [id], name)).get(id) ?? assert.fail()
          assert.deepEqual([actorIndex, targetIndex], [null, null])
          assert.notEqual((await keysOf(subject, [id], name)).get(id)?.pseudonym, pseudonym)
        }
        assert.deepEqual(await stored(), [])
      })
    }

    test('of more persons than one statement takes are all stored', async () => {
      for (let id = 1; id <= 19; id += 1) await user(id)
      const ids = Array.from({ length: 19 }, (_, at) => `${at + 1}`)
      const made = await keysOf(createSubjectKeys(random), ids)
      assert.equal(made.size, 19)
      assert.deepEqual(await stored(), ids.toSorted())
      assert.equal((await auditStore(db).subjects([...ids, 'x'])).length, 19)
    })

    test('of no person read as much, and find nothing', async () => {
      const found = await keysOf(createSubjectKeys(random), [], 'evenlyOf')
      assert.equal(found.has('7'), false)
      assert.deepEqual(await stored(), ['0']) // a row as for a person
      assert.equal((await keysOf(createSubjectKeys(random), [])).size, 0)
    })

    test('of a user whom the transaction has inserted are stored with the commit', async () => {
      await user(7)
      const made = await keysOf(createSubjectKeys(random), ['7'], 'of', ['7'])
      assert.deepEqual(await stored(), ['7'])
      const read = await storedKeysOf(db, data, [7, 7, 8])
      assert.deepEqual([...read.keys()], [7])
      assert.deepEqual(Buffer.from(read.get(7) ?? ''), Buffer.from(made.get('7')?.key ?? ''))
      await db.updateTable('audit_subjects').set({ sealed: 'x' }).execute()
      assert.equal((await storedKeysOf(db, data, [7])).size, 0)
    })

    test('are known after the commit alone', async () => {
      await user(7)
      const subject = createSubjectKeys(random)
      let lost = ''
      const undone = transact(db, [], async (trx) => {
        lost = (await subject.of(trx, data, new Set(['7']))).get('7')?.pseudonym ?? ''
        throw new Error('as if it failed')
      })
      await assert.rejects(undone, /as if it failed/)
      assert.deepEqual(await stored(), [])
      assert.notEqual((await keysOf(subject, ['7'])).get('7')?.pseudonym, lost)
    })

    test('that were erased are forgotten, also by a transaction that has read them before', async () => {
      await user(7)
      const subject = createSubjectKeys(random)
      const { pseudonym = '' } = (await keysOf(createSubjectKeys(random), ['7'])).get('7') ?? {}
      await transact(db, [], async (trx) => {
        await subject.of(trx, data, new Set(['7']))
        subject.forget([pseudonym])
      })
      await db.deleteFrom('users').execute()
      await db.deleteFrom('audit_subjects').execute()
      const after = (await keysOf(subject, ['7'])).get('7') ?? assert.fail()
      assert.equal(after.actorIndex, null)
      assert.notEqual(after.pseudonym, pseudonym)
    })

    test('that another person lost stay', async () => {
      for (const id of [7, 8]) await user(id)
      const subject = createSubjectKeys(random)
      const made = await keysOf(subject, ['7', '8'])
      subject.forget([made.get('7')?.pseudonym ?? ''])
      await db.deleteFrom('audit_subjects').execute()
      assert.equal((await keysOf(subject, ['8'])).get('8')?.pseudonym, made.get('8')?.pseudonym)
      assert.notEqual((await keysOf(subject, ['7'])).get('7')?.pseudonym, made.get('7')?.pseudonym)
    })
  })

  onEmptyTables('what an erasure leaves to do', () => {
    const store = erasureStore(db)
    const row = { user_id: 7, pseudonym: 'p', actor_index: 'A', target_index: 'T', at: start }

    test('is the oldest that is not cleared, or whose time is over', async () => {
      assert.equal(await store.due(start), undefined)
      await store.add([
        row,
        { ...row, user_id: 8, pseudonym: null, actor_index: null, target_index: 'U' },
      ])
      assert.deepEqual(await store.pseudonyms(), ['p'])
      assert.deepEqual(await store.indexes(), new Set(['A', 'T', 'U']))
      const one = (await store.due(start)) ?? assert.fail()
      assert.equal(one.user_id, 7)
      await store.markCleared(one.id, start + 5)
      const two = (await store.due(start)) ?? assert.fail()
      assert.equal(two.user_id, 8)
      await store.markCleared(two.id, start + 5)
      assert.equal(await store.due(start), undefined)
      assert.equal((await store.due(start + 1))?.id, one.id)
      assert.equal((await store.due(start + 1))?.cleared_at, start + 5)
      await store.end(one.id)
      assert.equal((await store.due(start + 1))?.id, two.id)
    })

    test('is to empty the indexes, so many at once, of the erased person alone', async () => {
      for (let count = 0; count < 5; count += 1) await audit.append('a')
      const set = (number: number, columns: object) =>
        db.updateTable('audit_records').set(columns).where('number', '=', number).execute()
      for (const number of [1, 2]) await set(number, { actor_index: 'A', address_index: 'D' })
      await set(3, { target_index: 'T', address_index: 'D' })
      await set(4, { actor_index: 'B', target_index: 'A', address_index: 'D' })
      await set(2, { indexed: null })
      const shown = async () =>
        (await db.selectFrom('audit_records').selectAll().orderBy('number').execute()).map(
          ({ actor_index, target_index, address_index }) => [
            actor_index,
            target_index,
            address_index,
          ],
        )
      const others = [
        [null, null, 'D'],
        ['B', 'A', 'D'],
        [null, null, null],
      ]
      assert.equal(await store.clearIndexes(row, 1), 2)
      assert.equal(await store.clearIndexes(row, 1), 1)
      assert.equal(await store.clearIndexes(row, 1), 0)
      assert.deepEqual(await shown(), [[null, null, null], [null, null, null], ...others])
      assert.equal(await store.clearIndexes({ actor_index: null, target_index: null }, 9), 0)
    })

    test('is to remove keys, and to find keys of users who are gone', async () => {
      await user(7)
      await user(8, { import_id: -1 })
      await user(9, { import_id: 5 })
      for (const subject of ['7', '8', '9']) await audit.person(subject)
      assert.deepEqual(await store.gone([]), [])
      assert.deepEqual(await store.gone([7, 8, 9, 10]), [8, 10])
      assert.deepEqual(await store.subjectsAfter('', 2), ['7', '8'])
      assert.deepEqual(await store.subjectsAfter('8', 2), ['9'])
      assert.deepEqual(
        (await store.removeKeys(['7', 'x'])).map(({ subject }) => subject),
        ['7'],
      )
      assert.deepEqual(await stored(), ['8', '9'])
    })
  })

  onEmptyTables('users without a key', () => {
    async function signedIn(id: number, last_login_at: number): Promise<void> {
      await user(id)
      const row = { user_id: id, username: `u${id}`, active: 1, locked: 0, created_at: 0 }
      await db
        .insertInto('accounts')
        .values({ ...row, last_login_at })
        .execute()
    }

    test('are those who have signed in since a time', async () => {
      for (const [id, last_login_at] of [
        [1, start],
        [2, start - 1],
        [3, 0],
        [4, start + 1],
        [5, start],
      ] as const) {
        await signedIn(id, last_login_at)
      }
      await audit.person('4')
      await db.updateTable('accounts').set({ import_id: -1 }).where('user_id', '=', 5).execute()
      assert.deepEqual(await signedInWithoutKey(db, start), [1])
      assert.deepEqual(await signedInWithoutKey(db, 0), [1, 2])
      assert.deepEqual(await signedInWithoutKey(db, -5), [1, 2])
    })

    test('are the first hundred', async () => {
      for (let id = 102; id > 0; id -= 1) await signedIn(id, start)
      const found = await signedInWithoutKey(db, start)
      assert.deepEqual([found.length, found[0], found.at(-1)], [100, 1, 100])
    })
  })

  onEmptyTables('the tables of records', () => {
    const store = auditStore(db)

    test('ids that are there are found by their times', async () => {
      await audit.append('a', { at: start })
      await audit.append('a', { at: start + 5 })
      const asked = [
        { id: 'id 1', at: start },
        { id: 'id 2', at: start + 5 },
        { id: 'id 3', at: start + 2 },
      ]
      assert.deepEqual(await store.present(asked), new Set(['id 1', 'id 2']))
      assert.deepEqual(await store.present([{ id: 'id 1', at: start + 1 }]), new Set())
    })

    test('a chain is closed once asked, or without a record since a time', async () => {
      await audit.open('old', { opened_at: start - 9 })
      await audit.open('new', { opened_at: start })
      await audit.append('used', { at: start })
      await db
        .updateTable('audit_chains')
        .set({ opened_at: start - 9 })
        .where('chain', '=', 'used')
        .execute()
      await audit.open('closed', { opened_at: start - 9, closed_at: 5 })
      const ends = async () =>
        Object.fromEntries(
          (await db.selectFrom('audit_chains').selectAll().execute()).map((row) => [
            row.chain,
            row.closed_at,
          ]),
        )
      assert.equal(await store.closeLeft(start, start + 7, 10), 1)
      assert.deepEqual(await ends(), { old: start + 7, new: null, used: null, closed: 5 })
      await store.closeChains([], start)
      await store.closeChains(['new', 'x'], start)
      assert.deepEqual(await ends(), { old: start + 7, new: start, used: null, closed: 5 })
      assert.equal(await store.closeLeft(start + 1, start + 9, 10), 1)
      assert.equal((await ends()).used, start + 9)
    })

    test('so many chains are closed at once', async () => {
      for (const chain of ['x', 'y', 'z']) await audit.open(chain, { opened_at: 1 })
      assert.deepEqual([await store.closeLeft(5, 9, 2), await store.closeLeft(5, 9, 2)], [2, 1])
    })

    test('any number of records is inserted', async () => {
      await audit.append('a')
      const {
        number: _,
        indexed: __,
        ...row
      } = await db.selectFrom('audit_records').selectAll().executeTakeFirstOrThrow()
      await db.deleteFrom('audit_records').execute()
      for (const count of [0, 1, 5, 22]) {
        await db.deleteFrom('audit_records').execute()
        const rows = Array.from({ length: count }, (_, at) => ({
          ...row,
          place: at + 1,
          id: `i${at}`,
        }))
        await store.insert(rows)
        const found = await db.selectFrom('audit_records').select('id').orderBy('number').execute()
        assert.deepEqual(
          found.map(({ id }) => id),
          rows.map(({ id }) => id),
        )
      }
    })
  })
})
