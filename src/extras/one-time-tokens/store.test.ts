// A database makes a difference: rows are used by a conditional statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts, storeMail } from '../../../test/stores.ts'
import { confirmationStore, type NewConfirmation } from './store.ts'

const now = 1_000_000

suite('stored confirmations', async () => {
  const db = await databaseWithAccounts(2)
  const store = confirmationStore(db)
  await db
    .updateTable('token_versions')
    .set({ access_version: 3, refresh_version: 7 })
    .where('user_id', '=', 1)
    .execute()
  const made = (id: string, more: Partial<NewConfirmation> = {}): NewConfirmation => ({
    ...{ id, purpose: 'reset', userId: 1, index: 'ann', sealed: 's', version: 7, flow: 'f' },
    ...{ createdAt: now, expiresAt: now + 1, ...more },
  })
  const fresh = { tries: 0, usedAt: null, versionNow: 7 }
  const insert = async (...rows: NewConfirmation[]) => {
    for (const row of rows) await store.insert(row)
  }
  const usedAt = async (id: string) => (await store.find(id))?.usedAt
  const clear = async () => {
    await db.deleteFrom('confirmations').execute()
    await db.deleteFrom('mails').execute()
  }

  test('are found with the version of the account today', async () => {
    const none = made('c', { userId: null, flow: null })
    await insert(made('a'), made('b', { userId: 2 }), none)
    assert.deepEqual(await store.find('a'), { ...made('a'), ...fresh })
    assert.deepEqual(await store.hold('a'), { ...made('a'), ...fresh })
    assert.deepEqual(await store.find('b'), {
      ...made('b', { userId: 2 }),
      ...fresh,
      versionNow: 1,
    })
    assert.deepEqual(await store.find('c'), { ...none, ...fresh, versionNow: 0 })
    assert.deepEqual([await store.find('d'), await store.hold('d')], [null, null])
    await clear()
  })

  test('the newest of a purpose and address is found until its end, used or not', async () => {
    await insert(
      made('a', { expiresAt: now + 2 }),
      made('b', { expiresAt: now + 3 }),
      made('c', { expiresAt: now + 1 }),
      made('d', { expiresAt: now + 9, index: 'bob' }),
      made('e', { expiresAt: now + 9, purpose: 'sign_in' }),
    )
    await store.use('b', now)
    assert.equal((await store.newest('reset', 'ann', now))?.id, 'b')
    assert.equal((await store.newest('reset', 'ann', now + 2))?.id, 'b')
    assert.equal(await store.newest('reset', 'ann', now + 3), null)
    await clear()
  })

  test('of an account are the unused of the purposes, the newest first', async () => {
    await insert(
      made('a', { createdAt: now + 1 }),
      made('b', { createdAt: now + 3 }),
      made('c', { createdAt: now + 2, purpose: 'sign_in' }),
      made('d', { purpose: 'invitation' }),
      made('e', { userId: 2 }),
      made('f'),
    )
    await store.use('f', now)
    const found = await store.ofAccount(1, ['reset', 'sign_in'])
    assert.deepEqual(
      found.map(({ id }) => id),
      ['b', 'c', 'a'],
    )
    await clear()
  })

  test('are renewed unused, in all columns, and keep their wrong codes', async () => {
    await insert(made('a'), made('b'))
    await store.use('a', now)
    await store.countTry('a', 5)
    const next = made('a', {
      ...{ purpose: 'sign_in', userId: 2, index: 'bob', sealed: 't', version: 8, flow: 'g' },
      ...{ createdAt: now + 1, expiresAt: now + 2 },
    })
    await store.renew(next)
    assert.deepEqual(await store.find('a'), { ...next, tries: 1, usedAt: null, versionNow: 1 })
    await store.setFlow('a', 'h')
    assert.deepEqual([(await store.find('a'))?.flow, (await store.find('b'))?.flow], ['h', 'f'])
    assert.deepEqual(await store.find('b'), { ...made('b'), ...fresh })
    await clear()
  })

  test('are used once, which forgives their wrong codes', async () => {
    await insert(made('a'), made('b'))
    for (let left = 2; left > 0; left -= 1) assert.equal(await store.countTry('a', 2), true)
    assert.equal(await store.countTry('a', 2), false)
    assert.equal(await store.countTry('c', 2), false)
    assert.deepEqual([(await store.find('a'))?.tries, (await store.find('b'))?.tries], [2, 0])
    assert.equal(await store.use('a', now), true)
    assert.equal(await store.use('a', now + 1), false)
    assert.deepEqual(await store.find('a'), { ...made('a'), ...fresh, usedAt: now })
    assert.equal(await usedAt('b'), null)
    await clear()
  })

  test('are cancelled by account and purpose, except of one address', async () => {
    await insert(
      made('a'),
      made('b', { userId: 2 }),
      made('c', { purpose: 'sign_in' }),
      made('d', { index: 'kept' }),
      made('e'),
    )
    await store.use('e', now)
    await store.cancel(1, ['reset'], now + 1, 'kept')
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(usedAt))
    assert.deepEqual(all, [now + 1, null, null, null, now])
    await store.cancel(1, ['reset', 'sign_in'], now + 2)
    assert.deepEqual(
      [await usedAt('c'), await usedAt('d'), await usedAt('a')],
      [now + 2, now + 2, now + 1],
    )
    await clear()
  })

  const mail = (id: string, more: object = {}) => storeMail(db, id, now, more)
  const triesOf = async (flow: string) =>
    (await store.mailsOf(flow)).map(({ id, tries }) => `${id} ${tries}`)

  test('mails of a flow count the tries of its codes, the newest first', async () => {
    await mail('one')
    await mail('two', { created_at: now + 1, state: 'dropped', confirmation: null })
    await mail('other', { flow: 'g' })
    await store.countTryOfMail('one')
    assert.deepEqual(await store.mailsOf('f'), [
      { id: 'two', confirmation: null, isDropped: true, tries: 0, askedAt: now + 1 },
      { id: 'one', confirmation: 'a', isDropped: false, tries: 1, askedAt: now },
    ])
    assert.deepEqual(await triesOf('g'), ['other 0'])
    await clear()
  })
})
