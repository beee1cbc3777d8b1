// A database makes a difference: records are inserted just before the commit.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { storedAuditKeys } from '../../../test/stored-audit-keys.ts'
import { usersOfIds } from '../../../test/users-of-ids.ts'
import { CommitRefused, DatabaseUnavailable } from '../../core/database/errors.ts'
import { transact } from '../../core/database/transactions.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import { createChains } from './chains.ts'
import type { Entry } from './make-record.ts'
import { firstPrevious, macOf } from './record-form.ts'
import { createRecordWriter, type InsertedRecord } from './writer.ts'

suite('the writer of records', async () => {
  const audit = await storedAudit()
  const { db, random, start, writer } = audit
  const { config, keys } = await storedAuditKeys(db, random)
  const clock = { now: () => start + 5, wait: async () => {} }
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {})

  function writerOf(inserted: (records: readonly InsertedRecord[]) => void = () => {}) {
    const committed: [number, number][] = []
    const records = createRecordWriter({
      ...{ config, clock, random, writer },
      committed: (...given) => committed.push(given),
      inserted: async (_, rows) => inserted(rows),
    })
    const chains = createChains({ clock, random })
    /** Adds records of these payloads, a millisecond apart, in one transaction. */
    const write = (payloads: readonly object[], more: Partial<RecordedEvent> = {}) =>
      transact(db, [], async (trx) => {
        payloads.forEach((payload, at) => {
          const context = { by: 'cli', address: null, scheme: null, requestId: null, request: null }
          const type = { name: 'n', level: 'info', outcome: 'success' }
          const event = {
            type,
            payload,
            context,
            at: start + at,
            ...more,
          } as unknown as RecordedEvent // what is read
          const entry: Entry = { id: `id ${at}`, event }
          records.add(trx, chains, entry)
        })
      })
    return { chains, committed, records, write }
  }
  const rows = () => db.selectFrom('audit_records').selectAll().orderBy('number').execute()

  suiteOnEmptyLog('records', () => {
    test('of a transaction stand on one chain, which the next goes on', async () => {
      const { committed, write } = writerOf()
      await write([{ a: 1 }, { a: 2 }])
      const chains = () => db.selectFrom('audit_chains').selectAll().execute()
      const opened = await chains()
      await write([{ a: 3 }])
      const found = await rows()
      assert.deepEqual(
        found.map(({ id, place }) => [id, place]),
        [
          ['id 0', 1],
          ['id 1', 2],
          ['id 0', 3],
        ],
      )
      const [{ chain } = assert.fail()] = found
      let previous = firstPrevious(keys.chain, chain)
      for (const row of found) {
        assert.deepEqual([row.chain, row.mac], [chain, macOf(keys.chain, previous, row)])
        previous = row.mac
      }
      assert.deepEqual(opened, [{ chain, ...writer, opened_at: start + 5, closed_at: null }])
      assert.deepEqual(await chains(), opened)
      assert.deepEqual(committed, [
        [2, start],
        [1, start],
      ])
    })

    test('are given to what follows in the transaction, with the person concerned', async () => {
      const given: (readonly InsertedRecord[])[] = []
      const { write } = writerOf((records) => given.push(records))
      await usersOfIds(db, 7, 8)
      await write([{ user_id: 7 }, {}])
      const by = { address: null, scheme: null, requestId: null, request: null }
      await write([{ user_id: 8 }, {}], { context: { ...by, by: '7' } })
      const all = await rows()
      assert.deepEqual(
        given.flat(),
        all.map(({ chain, place, id, type, at, actor_key, target_key }, index) => ({
          ...{ chain, place, id, type, at },
          person: [target_key, null, target_key, actor_key][index],
          userId: [7, null, 8, null][index],
        })),
      )
      assert.notEqual(given[0]?.[0]?.person, null)
    })

    test('of a rollback leave nothing, and their chain is used again', async () => {
      const { chains, committed, records, write } = writerOf()
      await write([{}])
      const undone = transact(db, [], async (trx) => {
        const event = { at: start } as RecordedEvent
        records.add(trx, chains, { id: 'x', event })
        throw new Error('as if it failed')
      })
      await assert.rejects(undone, /as if it failed/)
      await write([{}])
      assert.deepEqual(
        (await rows()).map(({ place }) => place),
        [1, 2],
      )
      assert.equal(committed.length, 2)
    })

    test('that the database refuses end the transaction, and their chain', async () => {
      const failures = [new TypeError('broken'), new DatabaseUnavailable('away')]
      let failure: Error | undefined
      const { committed, write } = writerOf(() => {
        if (failure) throw failure
      })
      await write([{}])
      for (const one of failures) {
        failure = one
        await assert.rejects(write([{}]), (error: unknown) => {
          if (one instanceof DatabaseUnavailable) assert.equal(error, one)
          else {
            assert.ok(error instanceof CommitRefused)
            assert.deepEqual([error.message, error.cause], ['the audit log takes no record', one])
          }
          return true
        })
        failure = undefined
        await write([{}])
      }
      const found = await rows()
      assert.deepEqual(
        found.map(({ place }) => place),
        [1, 1, 1],
      )
      assert.equal(new Set(found.map(({ chain }) => chain)).size, 3)
      assert.equal(committed.length, 3)
    })

    test('list the keys of erasures in the last', async () => {
      const { chains, records } = writerOf()
      const [other] = [writerOf()]
      await transact(db, [], async (trx) => {
        const type = { name: 'n', level: 'info', outcome: 'success' }
        const context = { by: 'cli', address: null, scheme: null, requestId: null, request: null }
        const event = { type, payload: {}, context, at: start } as unknown as RecordedEvent // what is read
        for (const id of ['one', 'two']) records.add(trx, chains, { id, event })
        records.closing(trx, async () => ['a'])
        other.records.closing(trx, async () => ['b', 'c'])
      })
      assert.deepEqual(
        (await rows()).map(({ facts }) => JSON.parse(facts).closed),
        [undefined, ['a', 'b', 'c']],
      )
    })

    test('of persons whose existence is hidden cost as much, and seal the same', async () => {
      const { write } = writerOf()
      await usersOfIds(db, 7, 7)
      await write([{ user_id: 7 }], { hidesPerson: true })
      await write([{ user_id: 7 }])
      const keys = (await rows()).map(({ target_key }) => target_key)
      assert.equal(keys[0], keys[1])
      assert.notEqual(keys[0], null)
    })
  })
})
