// A database makes a difference: old runs are rows of a table.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { ownDatabase } from '../../../../test/own-database.ts'
import { purgeVerifications } from './run-store.ts'

suite('old verifications', async () => {
  const { db } = await ownDatabase()
  beforeEach(() => db.deleteFrom('audit_verifications').execute())

  const add = (id: number, state: string, askedAt: number) =>
    db
      .insertInto('audit_verifications')
      .values({ id, state, asked_at: askedAt, node: 'n', records: 0 } as never)
      .execute()
  const left = async () =>
    (await db.selectFrom('audit_verifications').select('id').orderBy('id').execute()).map(
      ({ id }) => id,
    )

  test('that ended before the last and were requested until a time are removed', async () => {
    for (const [id, state, at] of [
      [1, 'done', 10],
      [2, 'failed', 10],
      [3, 'running', 5],
      [4, 'done', 11],
      [5, 'done', 9],
      [6, 'failed', 10],
      [7, 'waiting', 1],
    ] as const) {
      await add(id, state, at)
    }
    assert.equal(await purgeVerifications(db, 10, 2), 2)
    assert.deepEqual(await left(), [3, 4, 5, 6, 7])
    assert.equal(await purgeVerifications(db, 10, 2), 1)
    assert.equal(await purgeVerifications(db, 10, 2), 0)
    assert.deepEqual(await left(), [3, 4, 6, 7])
  })
})
