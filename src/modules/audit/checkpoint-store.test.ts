// A database makes a difference: its statements have ranges, orders and limits.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { storedAudit } from '../../../test/stored-audit.ts'
import type { Checkpoint } from './checkpoint-form.ts'
import { type CheckpointStore, checkpointStore } from './checkpoint-store.ts'

suite('what checkpoints read of the audit log', async () => {
  const audit = await storedAudit()
  const { db, start } = audit
  const others = [
    ...['insert', 'removeThrough', 'removeRecords', 'removeEmptyChain', 'keepTombstone'],
    'numbered', // in no order
  ]
  const store: CheckpointStore = new Proxy(checkpointStore(db), {
    get(target, name: keyof CheckpointStore) {
      if (others.includes(name)) return target[name]
      return (...given: unknown[]) =>
        audit.read((one) => Reflect.apply(checkpointStore(one)[name], undefined, given))
    },
  })
  const numbersOf = (rows: readonly { number: number }[]) => rows.map(({ number }) => number)
  const placesOf = (rows: readonly { chain: string; place: number }[]) =>
    rows.map(({ chain, place }) => `${chain}${place}`)
  const chainsOf = (rows: readonly { chain: string }[]) => rows.map(({ chain }) => chain)
  const close = (chain: string, at: number) =>
    db.updateTable('audit_chains').set({ closed_at: at }).where('chain', '=', chain).execute()

  suite('records', () => {
    beforeEach(async () => {
      await audit.clear()
      for (const chain of ['b', 'a', 'a', 'b', 'a']) await audit.append(chain)
    })

    test('ends are found of open chains and of chains that were closed since a time', async () => {
      const [a, b] = [await audit.append('a'), await audit.append('b')]
      const endOf = ({ chain, place, mac, number }: typeof a, openedAt: number) => ({
        ...{ chain, openedAt, place, mac, number },
      })
      const all = [endOf(b, start), endOf(a, start + 1000)]
      assert.deepEqual(await store.ends(Number.MAX_SAFE_INTEGER), all)
      await close('b', start + 9000)
      assert.deepEqual(await store.ends(start + 9000), all)
      assert.deepEqual(await store.ends(start + 9001), all.slice(1))
      await audit.open('empty')
      assert.equal((await store.ends(start + 9000)).length, 2)
    })

    test('chains that were opened at the same time are in the order of their names', async () => {
      await db.updateTable('audit_chains').set({ opened_at: start }).execute()
      assert.deepEqual(chainsOf(await store.ends(0)), ['a', 'b'])
    })

    test('the ends of named chains need no row in the list of chains', async () => {
      await db.deleteFrom('audit_chains').where('chain', '=', 'b').execute()
      await audit.append('c')
      const found = await store.endsOf(['b', 'a', 'missing'])
      assert.deepEqual(placesOf(found), ['a3', 'b2'])
      assert.deepEqual(
        found.map(({ openedAt, number }) => [openedAt, number]),
        [
          [start + 1000, 5],
          [null, 4],
        ],
      )
    })

    test('the chains behind a number, and of them those that began there', async () => {
      await audit.append('c')
      assert.deepEqual([...(await store.chainsBehind(3))], ['b', 'a', 'c'])
      assert.deepEqual([...(await store.chainsBehind(4))], ['a', 'c'])
      assert.deepEqual([...(await store.chainsBehind(6))], [])
      assert.deepEqual([...(await store.begunBehind(['a', 'b', 'c'], 1))].toSorted(), ['a', 'c'])
      assert.deepEqual([...(await store.begunBehind(['a', 'b'], 0))].toSorted(), ['a', 'b'])
      assert.deepEqual([...(await store.begunBehind(['a', 'b'], 2))], [])
    })

    test('records of a chain, from a place to a place', async () => {
      assert.deepEqual(placesOf(await store.records('a', 1, 3, 9)), ['a1', 'a2', 'a3'])
      assert.deepEqual(placesOf(await store.records('a', 2, 2, 9)), ['a2'])
      assert.deepEqual(placesOf(await store.records('a', 1, 3, 2)), ['a1', 'a2'])
    })

    test('records are read chain by chain', async () => {
      const first = { chain: '', place: 0 }
      assert.deepEqual(placesOf(await store.recordsAfter(first, 9)), ['a1', 'a2', 'a3', 'b1', 'b2'])
      assert.deepEqual(placesOf(await store.recordsAfter(first, 2)), ['a1', 'a2'])
      const second = { chain: 'a', place: 2 }
      assert.deepEqual(placesOf(await store.recordsAfter(second, 2)), ['a3', 'b1'])
      assert.deepEqual(placesOf(await store.recordsAfter({ chain: 'b', place: 2 }, 2)), [])
    })

    test('a chain has expired if its first record is older than a time', async () => {
      assert.equal(await store.expiredChain(start + 1000), undefined)
      assert.equal(await store.expiredChain(start + 1001), 'b')
      await db.deleteFrom('audit_records').where('number', '=', 1).execute()
      assert.equal(await store.expiredChain(start + 2001), 'a')
      // An older record behind a younger first record does not count.
      await db.updateTable('audit_records').set({ at: start }).where('number', '=', 5).execute()
      assert.equal(await store.expiredChain(start + 2000), undefined)
      await db
        .updateTable('audit_records')
        .set({ at: start + 4000 })
        .execute()
      assert.equal(await store.expiredChain(start + 4001), 'a')
      await audit.append('0', { at: start + 4000 })
      assert.equal(await store.expiredChain(start + 9000), 'a')
      await db.updateTable('audit_records').set({ at: start }).where('chain', '=', '0').execute()
      assert.equal(await store.expiredChain(start + 9000), '0')
    })

    test('the last number, the oldest time, and ranges of numbers', async () => {
      assert.equal(await store.lastNumber(), 5)
      assert.equal(await store.oldestRecord(), start + 1000)
      await db.updateTable('audit_records').set({ at: 7 }).where('number', '=', 4).execute()
      assert.equal(await store.oldestRecord(), 7)
      assert.deepEqual(placesOf(await store.numberedFrom(3, 2)), ['a2', 'b2'])
      assert.deepEqual(placesOf(await store.numberedFrom(5, 2)), ['a3'])
      await audit.clear()
      assert.deepEqual([await store.lastNumber(), await store.oldestRecord()], [null, null])
    })

    test('records are removed through a place of one chain', async () => {
      await store.removeRecords('a', 2)
      const left = await store.recordsAfter({ chain: '', place: 0 }, 9)
      assert.deepEqual(placesOf(left), ['a3', 'b1', 'b2'])
    })

    test('a chain is removed if it is closed and has no record', async () => {
      await audit.open('open')
      await audit.open('closed', { closed_at: start })
      await close('b', start)
      for (const chain of ['b', 'open', 'closed']) await store.removeEmptyChain(chain)
      assert.deepEqual(chainsOf(await store.chainsAfter('', 9)), ['a', 'b', 'open'])
    })

    test('chains and persons are read in the order of their names', async () => {
      await audit.open('c')
      assert.deepEqual(chainsOf(await store.chainsAfter('', 2)), ['a', 'b'])
      assert.deepEqual(chainsOf(await store.chainsAfter('a', 9)), ['b', 'c'])
      for (const subject of ['9', '7', '8']) await audit.person(subject)
      const subjects = async (after: string, limit: number) =>
        (await store.subjectsAfter(after, limit)).map(({ subject }) => subject)
      assert.deepEqual(await subjects('', 2), ['7', '8'])
      assert.deepEqual(await subjects('7', 9), ['8', '9'])
    })
  })

  suite('checkpoints', () => {
    let made: Checkpoint[] = []
    beforeEach(async () => {
      await audit.clear()
      made = []
      for (let count = 0; count < 4; count += 1) {
        await audit.append('a')
        made.push(await audit.checkpoint())
      }
    })

    test('are read from, before and by a number', async () => {
      assert.deepEqual(await store.last(), made[3])
      assert.deepEqual(numbersOf(await store.from(2, 9)), [2, 3, 4])
      assert.deepEqual(numbersOf(await store.from(0, 2)), [1, 2])
      const allFrom = await audit.read((one) => Array.fromAsync(checkpointStore(one).allFrom(2)))
      assert.deepEqual(numbersOf(allFrom), [2, 3, 4])
      assert.deepEqual(numbersOf(await store.before(4, 9)), [3, 2, 1])
      assert.deepEqual(numbersOf(await store.before(4, 2)), [3, 2])
      assert.deepEqual(numbersOf(await store.numbered([4, 2, 9])).toSorted(), [2, 4])
    })

    test('the first since a time', async () => {
      const { at = 0 } = made[1] ?? {}
      assert.deepEqual(await store.since(at), made[1])
      assert.deepEqual(await store.since(at + 1), made[2])
      assert.equal(await store.since(at + 9000), undefined)
    })

    test('are removed through a number, and inserted', async () => {
      await store.removeThrough(3)
      assert.deepEqual(numbersOf(await store.from(0, 9)), [4])
      await store.insert(made[0] ?? assert.fail())
      assert.deepEqual(await store.from(0, 1), [made[0]])
    })
  })

  suite('tombstones', () => {
    beforeEach(audit.clear)

    test('one of a chain replaces the one before', async () => {
      const one = { place: 1, mac: 'm', records: 1, at: start, closed: '', key_id: 'k' }
      const tombstone = (chain: string, more: object = {}) => ({
        ...{ ...one, chain, signature: 's', ...more },
      })
      for (const chain of ['c', 'a', 'b']) await store.keepTombstone(tombstone(chain))
      const changed = { place: 2, mac: 'n', records: 2, at: 9, closed: '[1]', key_id: 'l' }
      const next = tombstone('b', { ...changed, signature: 't' })
      await store.keepTombstone(next)
      assert.deepEqual(await store.tombstone('b'), next)
      assert.equal(await store.tombstone('d'), undefined)
      const all = await audit.read((one) => Array.fromAsync(checkpointStore(one).tombstones()))
      assert.deepEqual(all, [tombstone('a'), next, tombstone('c')])
    })
  })
})
