// A database makes a difference: an account of an import that is open counts as absent.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addressOf } from '../../../test/sign-ups.ts'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { assertAddressFree, ownerOf } from './new-owner.ts'

suite('the owner of an address', async () => {
  const db = await databaseWithAccounts(3)
  for (const [userId, name] of [
    [1, 'Ann'],
    [2, 'Joe'],
  ] as const) {
    const { address, key } = addressOf(name)
    await db
      .updateTable('accounts')
      .set({ verified_email: address, verified_email_key: key })
      .where('user_id', '=', userId)
      .execute()
  }
  const joe = { userId: 2, username: 'user2' }

  test('is the account that has verified it, in whatever spelling', async () => {
    assert.deepEqual(await ownerOf(db, addressOf('JOE')), joe)
    assert.equal(await ownerOf(db, addressOf('Eve')), null)
    await assertAddressFree(db, addressOf('Eve'))
    const reason = { code: 'address_taken', facts: { user_id: 2 } }
    await assert.rejects(assertAddressFree(db, addressOf('JOE')), { row: 'emailExists', reason })
  })

  test('is none of an import that is not done', async () => {
    const open = { id: 7, state: 'open', seen_at: 0 } as const
    await db.insertInto('imports').values(open).execute()
    await db.updateTable('accounts').set({ import_id: 7 }).where('user_id', '=', 2).execute()
    assert.equal(await ownerOf(db, addressOf('Joe')), null)
    await db.updateTable('imports').set({ state: 'done' }).execute()
    assert.deepEqual(await ownerOf(db, addressOf('Joe')), joe)
  })
})
