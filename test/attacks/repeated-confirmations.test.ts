// A database makes a difference: a repeat finds the row of before by a statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { confirmationsOf } from '../confirmations.ts'

const lifetime = 1800

suite('a confirmation that is asked for again', async () => {
  const app = await testApp()
  const them = await confirmationsOf(app)
  const { db } = app.deps
  const flow = 'f'.repeat(22)

  /** Asks for a reset of an account as a page does; answers the link that is mailed. */
  async function asked(userId: number): Promise<string> {
    const { refresh_version: version } = await db
      .selectFrom('token_versions')
      .select('refresh_version')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    const wanted = { purpose: 'reset', asked: `${userId}`, userId, version, flow } as const
    const { id } = await them.begin(wanted)
    return (await them.mailed(id, flow)).token
  }
  const isOpen = async (token: string) => (await them.open(token, ['reset'])) !== null

  test('after an end of all logins it mails a link that counts, and not the one of before', async () => {
    const { userId } = await app.account('ann')
    const before = await asked(userId)
    await db
      .updateTable('token_versions')
      .set((eb) => ({ refresh_version: eb('refresh_version', '+', 1) }))
      .where('user_id', '=', userId)
      .execute()
    assert.equal(await isOpen(before), false)
    const after = await asked(userId)
    assert.notEqual(after, before)
    assert.equal(await isOpen(after), true)
    assert.equal(await isOpen(before), false)
  })

  test('five minutes before its end it is another one, and the one of before counts on', async () => {
    const { userId } = await app.account('ben')
    const first = await asked(userId)
    app.clock.advance(lifetime - 301)
    assert.equal(await asked(userId), first)
    app.clock.advance(1)
    const second = await asked(userId)
    assert.notEqual(second, first)
    assert.deepEqual([await isOpen(first), await isOpen(second)], [true, true])
    app.clock.advance(300)
    assert.deepEqual([await isOpen(first), await isOpen(second)], [false, true])
  })
})
