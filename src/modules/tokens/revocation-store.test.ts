// A database makes a difference: each compiles its own text.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { ownDatabase } from '../../../test/own-database.ts'
import { transact } from '../../core/database/transactions.ts'
import { userStore } from '../users/store.ts'
import { type Revocation, revocationStore } from './revocation-store.ts'
import { rotationStore } from './rotation-store.ts'

suite('the store of revocations', async () => {
  const { db } = await ownDatabase()
  const store = revocationStore(db)

  const append = (revocation: Revocation, expiresAt: number) =>
    transact(db, [], (trx) => revocationStore(trx).append(revocation, expiresAt))
  const clear = () => db.deleteFrom('revocations').execute()
  const read = async (id: number, now?: number) =>
    (await Array.fromAsync(store.from(id, now))).flat()

  suite('the log of revocations', () => {
    test('holds tokens and versions, in the order in which they came', async () => {
      await clear()
      const revocations = [{ token: 'b' }, { userId: 7, accessVersion: 3 }, { token: 'a' }]
      for (const revocation of revocations) await append(revocation, 100)
      const entries = await read(0)
      assert.deepEqual(
        entries.map(({ id: _, ...entry }) => entry),
        revocations.map((revocation) => ({ revocation, expiresAt: 100 })),
      )
      const ids = entries.map(({ id }) => id)
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      )
    })

    test('is read from an entry on; entries that have expired are left out, unless all are wanted', async () => {
      await clear()
      for (const [token, expiresAt] of [
        ['a', 100],
        ['b', 300],
        ['c', 200],
      ] as const) {
        await append({ token }, expiresAt)
      }
      const [first, second, third] = await read(0)
      assert.ok(first && second && third)
      assert.deepEqual(await read(second.id), [second, third])
      assert.deepEqual(await read(third.id + 1), [])
      assert.deepEqual(await read(0, 99), [first, second, third])
      assert.deepEqual(await read(0, 100), [second, third])
      assert.deepEqual(await read(third.id, 199), [third])
      assert.deepEqual(await read(third.id, 200), [])
    })

    test('is read in batches', async () => {
      await clear()
      const count = 10_001
      await sql`insert into revocations (token, expires_at) with recursive numbers (n) as (
      select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select 'token ' || n, 100 from numbers`.execute(db)
      for (const now of [undefined, 99]) {
        const batches = await Array.fromAsync(store.from(0, now))
        assert.deepEqual(
          batches.map(({ length }) => length),
          [5000, 5000, 1],
        )
        assert.equal(new Set(batches.flat().map(({ id }) => id)).size, count)
      }
      await db
        .deleteFrom('revocations')
        .where('id', 'in', (eb) => eb.selectFrom('revocations').select('id').orderBy('id').limit(1))
        .execute()
      const batches = await Array.fromAsync(store.from(0))
      assert.deepEqual(
        batches.map(({ length }) => length),
        [5000, 5000, 0],
        'a full batch may be the last',
      )
    })

    test('a purge deletes a batch of what has expired', async () => {
      await clear()
      for (const expiresAt of [100, 101, 102, 103]) await append({ token: 'a' }, expiresAt)
      const left = async () => (await read(0)).map(({ expiresAt }) => expiresAt)
      assert.equal(await store.purge(99, 10), 0)
      assert.equal(await store.purge(102, 2), 2)
      assert.deepEqual(await left(), [102, 103])
      assert.equal(await store.purge(102, 2), 1)
      assert.deepEqual(await left(), [103])
    })
  })

  suite('tokens that are older than the log', async () => {
    const { id: userId } = await userStore(db).insert({ name: 'Ann', email: 'ann@example.org' })
    const sub = String(userId)

    test('a user without a version has ended none; a user that is gone, all', async () => {
      for (const ver of [0, 1]) assert.equal(await store.hasEnded({ sub, ver }), false)
      assert.equal(await store.hasEnded({ sub: String(userId + 1), ver: 1 }), true)
    })

    test('a token below the version of its user has ended, and the version only rises', async () => {
      const versions = { user_id: userId, access_version: 3, refresh_version: 1 }
      await db.insertInto('token_versions').values(versions).execute()
      const ended = () => Promise.all([2, 3, 4, 5].map((ver) => store.hasEnded({ sub, ver })))
      assert.deepEqual(await ended(), [true, false, false, false])
      await store.raiseVersion(userId, 5)
      assert.deepEqual(await ended(), [true, true, true, false])
      await store.raiseVersion(userId, 4)
      await store.raiseVersion(userId + 1, 9)
      assert.deepEqual(await ended(), [true, true, true, false])
      const rows = await db.selectFrom('token_versions').selectAll().execute()
      assert.deepEqual(rows, [{ ...versions, access_version: 5 }])
    })

    test('a token of an ended pair has ended', async () => {
      const claims = { sub, ver: 5, sid: 'pair' }
      assert.equal(await store.hasEnded(claims), false)
      await rotationStore(db).end('pair', 100)
      assert.equal(await store.hasEnded(claims), true)
      assert.equal(await store.hasEnded({ ...claims, sid: 'other' }), false)
      assert.equal(await store.hasEnded({ sub, ver: 5 }), false)
    })

    test('a user that is being deleted has no tokens', async () => {
      await db.updateTable('users').set({ import_id: -1 }).where('id', '=', userId).execute()
      assert.equal(await store.hasEnded({ sub, ver: 5 }), true)
    })
  })
})
