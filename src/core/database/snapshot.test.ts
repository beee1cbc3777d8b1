import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { connect } from './connect.ts'
import { execute } from './database.ts'
import { inSnapshot } from './snapshot.ts'

suite('inSnapshot', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const { db } = connect({ dataDirectory: directory, timeoutMs: 1000, synchronous: 'off' })
  after(async () => {
    await db.destroy()
    rmSync(directory, { recursive: true })
  })
  await execute(db, 'create table used_challenges (nonce text, expires_at integer)')
  const add = (nonce: string) =>
    db.insertInto('used_challenges').values({ nonce, expires_at: 1 }).execute()
  const all = (from = db) => from.selectFrom('used_challenges').select('nonce').execute()

  test('sees one state from its start to its end, and no writer waits for it', async () => {
    await add('before')
    const seen = await inSnapshot(db, async (snapshot) => {
      await add('meanwhile')
      await db.transaction().execute(async () => {})
      return snapshot.selectFrom('used_challenges').select('nonce').execute()
    })
    assert.deepEqual(
      seen.map(({ nonce }) => nonce),
      ['before'],
    )
    assert.equal((await all()).length, 2)
  })

  test('writes nothing', async () => {
    const writing = inSnapshot(db, (snapshot) => snapshot.deleteFrom('used_challenges').execute())
    await assert.rejects(writing, /readonly/)
    assert.equal((await all()).length, 2)
  })

  test('several exist at the same time, and an error in one ends only that one', async () => {
    await inSnapshot(db, async (one) => {
      await assert.rejects(
        inSnapshot(db, async () => {
          throw new Error('of the work')
        }),
        /of the work/,
      )
      await add('third')
      assert.equal((await one.selectFrom('used_challenges').selectAll().execute()).length, 2)
      const other = await inSnapshot(db, (two) =>
        two.selectFrom('used_challenges').selectAll().execute(),
      )
      assert.equal(other.length, 3)
    })
  })
})
