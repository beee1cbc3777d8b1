// A database makes a difference: PostgreSQL judges a row again that another transaction has changed.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { hideUser } from '../../src/core/database/pending-deletion.ts'
import { tracesOf } from '../../src/core/module/registry.ts'
import { userStore } from '../../src/modules/users/store.ts'
import { modules } from '../../src/modules.ts'
import { connectTo, postgresOnly as test } from '../database.ts'
import { until } from '../until.ts'
import { waitingForLocks } from '../waiting-locks.ts'

suite('a user whose deletion is pending while another transaction waits for the row', () => {
  const store = (trx: DatabaseOrTransaction) => userStore(trx)
  const works: Record<string, (trx: DatabaseOrTransaction, id: number) => Promise<unknown>> = {
    'a change': (trx, id) => store(trx).merge(id, { email: 'n@x' }),
    'a read that locks': (trx, id) => store(trx).byIdForUpdate(id),
    'a deletion': (trx, id) => store(trx).remove(id),
    'a reference': async (trx, id) => (await store(trx).existsForKeyShare(id)) || null,
  }
  for (const [what, work] of Object.entries(works)) {
    test(`is no user for ${what}`, async () => {
      const { db } = await connectTo()
      const { id } = await userStore(db).insert({ name: 'Ann', email: 'ann@example.org' })
      const later = Promise.withResolvers<unknown>()
      await db.transaction().execute(async (trx) => {
        await hideUser(trx, tracesOf(modules), id)
        later.resolve(db.transaction().execute((other) => work(other, id)))
        await until(async () => (await waitingForLocks(db)) === 1)
      })
      assert.equal(await later.promise, null)
      const row = await db
        .selectFrom('users')
        .select(['name', 'email'])
        .where('id', '=', id)
        .executeTakeFirst()
      assert.deepEqual(row, { name: '', email: '' })
      await db.destroy()
    })
  }
})
