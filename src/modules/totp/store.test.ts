// A database makes a difference: a step is used by a compare-and-set, once of many at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { databaseWithAccounts } from '../../../test/stores.ts'
import type { Database } from '../../core/database/database.ts'
import { totpStore } from './store.ts'

suite('stored secrets of authenticator apps', async () => {
  const db = await databaseWithAccounts(4)
  const store = totpStore(db)
  const confirmed = { sealed: 's', step: 7, confirmedAt: 500 }
  const row = { sealed: 's', pending: null, confirmedAt: 500, lastStep: 7 }
  const clear = () => db.deleteFrom('second_factors').execute()
  const enrol = async (userId: number) => {
    await store.begin(userId, 'p')
    assert.equal(await store.confirm(userId, 'p', confirmed), true)
  }

  test('are pending until the first code; a new enrolment takes the place of a pending one', async () => {
    assert.equal(await store.of(1), null)
    await store.begin(1, 'p')
    await store.begin(2, 'p')
    const pending = { sealed: null, pending: 'p', confirmedAt: null, lastStep: 0 }
    assert.deepEqual(await store.of(1), pending)
    await store.begin(1, 'q')
    assert.deepEqual(await store.of(1), { ...pending, pending: 'q' })
    assert.equal(await store.confirm(1, 'p', confirmed), false)
    assert.equal(await store.confirm(3, 'p', confirmed), false)
    assert.equal(await store.confirm(1, 'q', confirmed), true)
    assert.equal(await store.confirm(1, 'q', confirmed), false)
    assert.deepEqual([await store.of(1), await store.of(2)], [row, pending])
    await store.begin(1, 'r')
    assert.deepEqual(await store.of(1), { ...row, pending: 'r' })
    await clear()
  })

  test('accept a step once, of the secret that was read', async () => {
    await enrol(1)
    await enrol(2)
    assert.equal(await store.useStep(1, 's', 7), false)
    assert.equal(await store.useStep(1, 'other', 8), false)
    assert.equal(await store.useStep(3, 's', 8), false)
    assert.equal(await store.useStep(1, 's', 9), true)
    assert.equal(await store.useStep(1, 's', 8), true)
    assert.equal(await store.useStep(1, 's', 8), false)
    assert.equal(await store.useStep(1, 's', 9), false)
    assert.equal(await store.useStep(2, 's', 8), true)
    assert.deepEqual([(await store.of(1))?.lastStep, (await store.of(2))?.lastStep], [9, 8])
    const both = await Promise.all([store.useStep(1, 's', 12), store.useStep(1, 's', 11)])
    assert.deepEqual(both, [true, true])
    for (const step of [11, 12]) assert.equal(await store.useStep(1, 's', step), false)
    await clear()
  })

  test('accept no step of a row that another request has changed since it was read', async () => {
    /** A store in whose first use another request comes between reading and writing. */
    const storeWith = (between: () => Promise<unknown>) => {
      let isFirst = true
      const executeQuery = async (query: CompiledQuery) => {
        if (isFirst && query.query.kind === 'UpdateQueryNode') {
          isFirst = false
          await between()
        }
        return db.executeQuery(query)
      }
      const get = (_target: Database, name: string | symbol) => {
        if (name === 'executeQuery') return executeQuery
        const value = Reflect.get(db, name, db)
        return typeof value === 'function' ? value.bind(db) : value
      }
      return totpStore(new Proxy<Database>(db, { get }))
    }
    await enrol(1)
    const same = storeWith(() => store.useStep(1, 's', 9))
    assert.equal(await same.useStep(1, 's', 9), false)
    const bit = storeWith(() => store.useStep(1, 's', 8))
    assert.equal(await bit.useStep(1, 's', 8), false, 'the latest step is the same')
    await store.useStep(1, 's', 100)
    const far = storeWith(() => store.useStep(1, 's', 200))
    assert.equal(await far.useStep(1, 's', 101), false, 'long before the latest step')
    assert.equal(await store.useStep(1, 's', 200), false)
    const retried = storeWith(() => store.useStep(1, 's', 202))
    assert.equal(await retried.useStep(1, 's', 201), true)
    for (const step of [201, 202]) assert.equal(await store.useStep(1, 's', step), false)
    const newSecret = db.updateTable('second_factors').set({ sealed: 'new' })
    const replaced = storeWith(() => newSecret.where('user_id', '=', 1).execute())
    assert.equal(await replaced.useStep(1, 's', 203), false)
    assert.equal(await store.useStep(1, 'new', 203), true)
    await clear()
  })

  test('are abandoned only while unconfirmed, and removed of one account alone', async () => {
    await enrol(1)
    for (const userId of [2, 3]) await store.begin(userId, 'p')
    await store.abandon(1)
    await store.abandon(2)
    assert.deepEqual([await store.of(1), await store.of(2)], [row, null])
    assert.notEqual(await store.of(3), null)
    await enrol(4)
    await store.remove(1)
    assert.deepEqual([await store.of(1), await store.of(4)], [null, row])
    await clear()
  })

  test('are imported as confirmed ones without a used step', async () => {
    await store.insertConfirmed([], 400)
    await store.insertConfirmed(
      [
        { userId: 1, sealed: 'a' },
        { userId: 2, sealed: 'b' },
      ],
      400,
    )
    const imported = { pending: null, confirmedAt: 400, lastStep: 0 }
    assert.deepEqual(await store.of(1), { ...imported, sealed: 'a' })
    assert.deepEqual(await store.of(2), { ...imported, sealed: 'b' })
    assert.equal(await store.useStep(1, 'a', 0), false)
    assert.equal(await store.useStep(1, 'a', 1), true)
    await clear()
  })

  test('that were added since a time are removed, and any enrolment', async () => {
    assert.equal(await store.removeSince(1, 0), false)
    for (const userId of [1, 2, 3]) await enrol(userId)
    await store.begin(4, 'p')
    assert.equal(await store.removeSince(1, 500), true)
    assert.equal(await store.of(1), null)
    await store.begin(2, 'p')
    await store.begin(3, 'p')
    assert.equal(await store.removeSince(2, 501), false)
    assert.deepEqual([await store.of(2), await store.of(3)], [row, { ...row, pending: 'p' }])
    assert.equal((await store.of(4))?.pending, 'p')
    assert.equal(await store.removeSince(4, 501), false)
    assert.equal(await store.of(4), null)
    assert.deepEqual(await store.of(2), row)
    // Before version 0.9.0 no time was stored.
    await db
      .updateTable('second_factors')
      .set({ confirmed_at: null })
      .where('user_id', '=', 2)
      .execute()
    assert.equal(await store.removeSince(2, 0), false)
    assert.deepEqual(await store.of(2), { ...row, confirmedAt: null })
    await clear()
  })
})
