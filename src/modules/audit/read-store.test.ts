// A database makes a difference: its statements have ranges, orders and limits.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit } from '../../../test/stored-audit.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import { createAuditIndexes, numbersWith } from './indexes.ts'
import type { Selection } from './read-store.ts'
import * as reads from './read-store.ts'

suite('reads of the audit log', async () => {
  const audit = await storedAudit()
  const { db, start, read } = audit
  /** Whether search indexes lack records for a time. */
  const isPartial = !isPostgres(db)
  const none = { outcome: 'failure' } as const
  const numbersOf = (rows: readonly { number: number }[]) => rows.map(({ number }) => number)
  const all: Required<Pick<Selection, 'actor_index' | 'target_index' | 'address_index'>> = {
    ...{ actor_index: '', target_index: '', address_index: '' },
  }

  beforeEach(async () => {
    await audit.clear()
    const { actorIndex, targetIndex } = await audit.person('7')
    const context = { by: '7', address: '192.0.2.1', requestId: 'r' }
    const { address_index } = await audit.append('b', { payload: { user_id: 7 }, context })
    await audit.append('a', { type: 'other', payload: { user_id: 7 }, at: start + 5000 })
    await audit.append('a', { context: { by: '7' }, at: start + 3000 })
    await audit.append('b', { ...none, context: { address: '192.0.2.1' }, at: start + 3000 })
    await audit.append('a', { ...none, type: 'third', context: { requestId: 'r' } })
    Object.assign(all, {
      ...{ actor_index: actorIndex, target_index: targetIndex, address_index },
    })
  })
  const setIndexed = (indexed: 1 | null, ...numbers: number[]) =>
    db.updateTable('audit_records').set({ indexed }).where('number', 'in', numbers).execute()

  const selections = (): readonly (readonly [Selection, number[]])[] => [
    [{}, [2, 5, 4, 3, 1]],
    [{ type: 'login' }, [4, 3, 1]],
    [{ types: ['other', 'third'] }, [2, 5]],
    [{ actor_index: all.actor_index }, [3, 1]],
    [{ target_index: all.target_index }, [2, 1]],
    [{ address_index: all.address_index }, [4, 1]],
    [{ request_id: 'r' }, [5, 1]],
    [{ request_id: 'r', type: 'third' }, [5]],
    [{ since: start + 3000 }, [2, 5, 4, 3]],
    [{ since: start + 3001 }, [2, 5]],
    [{ until: start + 3000 }, [1]],
    [{ until: start + 3001, actor_index: all.actor_index }, [3, 1]],
    [{ since: 0, until: 0 }, []],
  ]

  suite('a page', () => {
    const part = { limit: 9, order: 'newest' } as const
    const page = (selection: Selection, more: Partial<reads.SelectedPart> = {}) =>
      read((trx) => reads.pageQuery(trx, selection, { ...part, ...more }).execute())

    test('has the records of a selection, as a comparison of each record has', async () => {
      const compared = await read((trx) =>
        reads.comparedRecords(trx, { after: 0, others: [], limit: 9 }),
      )
      for (const [selection, numbers] of selections()) {
        assert.deepEqual(numbersOf(await page(selection)), numbers, JSON.stringify(selection))
        const found = compared.filter((record) => reads.isSelected(selection, record))
        assert.deepEqual(numbersOf(found).toSorted(), numbers.toSorted(), JSON.stringify(selection))
        const oldest = await page(selection, { order: 'oldest' })
        assert.deepEqual(numbersOf(oldest), numbers.toReversed(), JSON.stringify(selection))
      }
    })

    test('begins behind a record, and ends at a limit', async () => {
      assert.deepEqual(numbersOf(await page({}, { limit: 2 })), [2, 5])
      const behind = { at: start + 3000, number: 4 }
      assert.deepEqual(numbersOf(await page({}, { behind })), [3, 1])
      assert.deepEqual(numbersOf(await page({}, { behind, limit: 1 })), [3])
      assert.deepEqual(numbersOf(await page({}, { behind, order: 'oldest' })), [5, 2])
      assert.deepEqual(numbersOf(await page({ type: 'login' }, { behind })), [3, 1])
    })

    test('leaves records that wait for the indexes to another query', async () => {
      await setIndexed(null, 3, 4)
      const waiting = (
        ...given: Parameters<typeof reads.waitingQuery> extends [unknown, ...infer R] ? R : never
      ) => read(async (trx) => (await reads.waitingQuery(trx, ...given)?.execute()) ?? null)
      assert.deepEqual(numbersOf(await page({})), [2, 5, 4, 3, 1])
      assert.deepEqual(numbersOf(await page({ type: 'login' })), isPartial ? [1] : [4, 3, 1])
      assert.equal(await waiting([], part), null)
      assert.equal(await waiting([{ since: 0 }], part), null)
      const found = await waiting([{ since: 0 }, { type: 'login' }, { type: 'other' }], part)
      assert.deepEqual(found && numbersOf(found), isPartial ? [4, 3] : null)
      const oldest = await waiting([{ type: 'login' }], { order: 'oldest', limit: 1 })
      assert.deepEqual(oldest && numbersOf(oldest), isPartial ? [3] : null)
      const acts = await waiting([{ actor_index: all.actor_index }], part)
      assert.deepEqual(acts && numbersOf(acts), isPartial ? [3] : null)
    })
  })

  suite('records', () => {
    test('after a number, and of late numbers, oldest first', async () => {
      const after = async (number: number, limit: number) =>
        numbersOf(await read((trx) => reads.recordsAfter(trx, number, limit)))
      assert.deepEqual(
        [await after(2, 9), await after(2, 2)],
        [
          [3, 4, 5],
          [3, 4],
        ],
      )
      const compared = async (after: number, others: readonly number[], limit: number) =>
        numbersOf(await read((trx) => reads.comparedRecords(trx, { after, others, limit })))
      assert.deepEqual(await compared(3, [], 9), [4, 5])
      assert.deepEqual(await compared(3, [2, 1], 9), [1, 2, 4, 5])
      assert.deepEqual(await compared(2, [2, 1], 1), [1, 2, 3])
      assert.deepEqual(await compared(4, [2], 1), [2, 5])
    })

    test('the last numbers, and the first since a time', async () => {
      const last = (limit: number) => read((trx) => reads.lastNumbers(trx, limit))
      assert.deepEqual(
        [await last(2), await last(9)],
        [
          [5, 4],
          [5, 4, 3, 2, 1],
        ],
      )
      const since = (at: number) => read((trx) => reads.firstNumberSince(trx, at))
      assert.deepEqual([await since(0), await since(start + 1001)], [1, 2])
      assert.deepEqual([await since(start + 4000), await since(start + 5000)], [2, 2])
      assert.equal(await since(start + 5001), undefined)
    })

    test('of a chain, and at places', async () => {
      const ofChain = async (after: number, limit: number) =>
        numbersOf(await read((trx) => reads.recordsOfChain(trx, { chain: 'a', after, limit })))
      assert.deepEqual([await ofChain(0, 9), await ofChain(1, 1)], [[2, 3, 5], [3]])
      const at = async (...places: reads.RecordPlace[]) =>
        numbersOf(await reads.recordsAt(db, places)).toSorted()
      assert.deepEqual([await at(), await at({ chain: 'a', place: 2 })], [[], [3]])
      assert.deepEqual(await at({ chain: 'a', place: 2 }, { chain: 'b', place: 1 }), [1, 3])
    })

    test('have the fields that are shown', async () => {
      const [row] = await reads.recordsAfter(db, 0, 1)
      const { actor_index, target_index, address_index, mac, indexed, ...shown } = await db
        .selectFrom('audit_records')
        .selectAll()
        .where('number', '=', 1)
        .executeTakeFirstOrThrow()
      assert.deepEqual(row, shown)
      const [compared] = await reads.comparedRecords(db, { after: 0, others: [], limit: 1 })
      assert.deepEqual(compared, { ...shown, actor_index, target_index, address_index })
      assert.deepEqual([typeof mac, indexed], ['string', 1])
    })
  })

  suite('chains and persons', () => {
    test('the heads of chains', async () => {
      await audit.open('c')
      await audit.open('d', { closed_at: start + 9 })
      await db
        .updateTable('audit_chains')
        .set({ closed_at: start })
        .where('chain', '=', 'a')
        .execute()
      const heads = async (which: reads.WhichChains) =>
        (await reads.headsOf(db, which)).map(({ chain, place }) => `${chain}${place}`).toSorted()
      assert.deepEqual(await heads('all'), ['a3', 'b2', 'c0', 'd0'])
      assert.deepEqual(await heads('open'), ['b2', 'c0'])
      assert.deepEqual(await heads({ closedSince: start + 10 }), ['b2', 'c0'])
      assert.deepEqual(await heads({ closedSince: start + 9 }), ['b2', 'c0', 'd0'])
      assert.deepEqual(await heads(['a', 'd', 'x']), ['a3', 'd0'])
      assert.deepEqual(await heads(['a']), ['a3'])
      assert.deepEqual(await heads([]), [])
    })

    test('keys by pseudonym and by person', async () => {
      const { pseudonym } = await audit.person('8')
      const named = await reads.subjectsNamed(db, [pseudonym])
      assert.deepEqual(
        named.map((row) => [row.subject, row.pseudonym]),
        [['8', pseudonym]],
      )
      assert.deepEqual(await reads.subjectsNamed(db, []), [])
      const { sealed } = named[0] ?? assert.fail()
      assert.deepEqual(await reads.subjectRow(db, '8'), { subject: '8', sealed })
      assert.equal(await reads.subjectRow(db, '9'), undefined)
    })

    test('pseudonyms whose key is gone, in a range of records', async () => {
      const closed = (from: number, to: number) => reads.closedAmong(db, { from, to })
      assert.deepEqual(await closed(0, 5), [])
      const { pseudonym } = await db
        .deleteFrom('audit_subjects')
        .returning('pseudonym')
        .executeTakeFirstOrThrow()
      assert.deepEqual(await closed(0, 5), [pseudonym])
      assert.deepEqual(await closed(1, 2), [pseudonym])
      assert.deepEqual(await closed(2, 3), [pseudonym])
      assert.deepEqual([await closed(3, 5), await closed(1, 1)], [[], []])
    })
  })

  suite('the search indexes', () => {
    test('take records that wait, the first of them at once', async () => {
      const indexes = createAuditIndexes(db)
      assert.equal(await indexes.fill(), 0)
      await setIndexed(null, 2, 4)
      assert.equal(await indexes.fill(), isPartial ? 2 : 0)
      assert.equal(await indexes.fill(), 0)
      for (let count = 0; count < 248; count += 1) await audit.append('a')
      await db.updateTable('audit_records').set({ indexed: null }).execute()
      assert.equal(await indexes.fill(), isPartial ? 250 : 0)
      const waiting = await db
        .selectFrom('audit_records')
        .select('number')
        .where('indexed', 'is', null)
        .orderBy('number')
        .execute()
      assert.deepEqual(numbersOf(waiting).slice(-3), [251, 252, 253])
      assert.equal(await indexes.fill(), isPartial ? 3 : 0)
    })

    test('give numbers with a value, also of records that wait', async () => {
      await setIndexed(null, 3, 4)
      const numbers = async (limit: number, value = 'login') =>
        numbersOf(await numbersWith(db, 'type', value, limit).execute())
      assert.deepEqual((await numbers(9)).toSorted(), [1, 3, 4])
      assert.equal((await numbers(2)).length, 2)
      assert.deepEqual(await numbers(9, 'other'), [2])
      const { actor_index } = all
      const acts = await numbersWith(db, 'actor_index', actor_index ?? '', 9).execute()
      assert.deepEqual(numbersOf(acts).toSorted(), [1, 3])
    })
  })
})
