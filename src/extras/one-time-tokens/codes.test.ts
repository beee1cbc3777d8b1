import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { databaseWithAccounts, storeMail } from '../../../test/stores.ts'
import { createCodes } from './codes.ts'
import { confirmationStore } from './store.ts'

const now = 1_000_000

suite('tries of mailed codes', async () => {
  const db = await databaseWithAccounts(1)
  const store = confirmationStore(db)
  const { countTry } = createCodes(db)
  const mail = (id: string, more: object = {}) => storeMail(db, id, now, more)
  const tries = async () => (await store.mailsOf('f')).map((one) => `${one.id} ${one.tries}`)
  const tried = { confirmation: 'a', flow: 'f', askedAt: now, isMailed: true, isLeft: true }
  beforeEach(async () => {
    await db.deleteFrom('mails').execute()
  })

  test('are five of a flow, over all of its mails to an address', async () => {
    await mail('one')
    for (let left = 3; left > 0; left -= 1) assert.deepEqual(await countTry('a', 'f'), tried)
    await mail('two', { created_at: now + 1 })
    const later = { ...tried, askedAt: now + 1 }
    for (let left = 2; left > 0; left -= 1) assert.deepEqual(await countTry('a', 'f'), later)
    for (let more = 2; more > 0; more -= 1) {
      assert.deepEqual(await countTry('a', 'f'), { ...later, isLeft: false })
    }
    assert.deepEqual(await tries(), ['two 2', 'one 3'])
  })

  test('of a program are of the flow that its answer named', async () => {
    await mail('one', { confirmation: 'a' })
    await mail('other', { flow: 'g' })
    assert.deepEqual(await countTry('f', null), tried)
    assert.deepEqual(await tries(), ['one 1'])
  })

  test('are of each address, where a flow asked for several', async () => {
    await mail('one')
    await mail('two', { confirmation: 'b', created_at: now + 1 })
    assert.deepEqual(await countTry('a', 'f'), tried)
    assert.deepEqual(await countTry('b', 'f'), { ...tried, confirmation: 'b', askedAt: now + 1 })
    assert.deepEqual(await tries(), ['two 1', 'one 1'])
    assert.deepEqual(await countTry('c', 'f'), {
      ...{ confirmation: null, flow: 'f', askedAt: null, isMailed: false, isLeft: true },
    })
    assert.deepEqual(await tries(), ['two 1', 'one 1'])
  })

  test('of a mail that was not sent count, and its code is not right', async () => {
    await mail('one', { state: 'dropped' })
    assert.deepEqual(await countTry('a', 'f'), { ...tried, isMailed: false })
    await mail('two', { created_at: now + 1 })
    await mail('three', { confirmation: null, created_at: now + 2 })
    assert.deepEqual(await countTry('a', 'f'), { ...tried, askedAt: now + 1 })
    assert.deepEqual(await tries(), ['three 1', 'two 0', 'one 1'])
  })

  test('of a mail to a taken address count as long, without a code', async () => {
    await mail('one', { confirmation: null })
    const none = { ...tried, confirmation: null, askedAt: null, isMailed: false }
    for (let left = 5; left > 0; left -= 1) assert.deepEqual(await countTry('a', 'f'), none)
    assert.deepEqual(await countTry('a', 'f'), { ...none, isLeft: false })
  })

  test('of the version before are five of the confirmation', async () => {
    await store.insert({
      ...{ id: 'a', purpose: 'reset', userId: 1, index: 'ann', sealed: 's', version: 7 },
      ...{ flow: 'f', createdAt: now, expiresAt: now + 1 },
    })
    const before = { ...tried, askedAt: null }
    for (let left = 5; left > 0; left -= 1) assert.deepEqual(await countTry('a', 'f'), before)
    assert.deepEqual(await countTry('a', 'f'), { ...before, isLeft: false })
    assert.deepEqual(await countTry('a', null), { ...before, flow: null, isLeft: false })
  })
})
