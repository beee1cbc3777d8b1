// A database makes a difference: the section reads rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { sections } from './personal-data.ts'
import { confirmationStore } from './store.ts'

suite('the confirmations in the data of a person', async () => {
  const db = await databaseWithAccounts(2)
  const store = confirmationStore(db)

  async function read(userId: number): Promise<object[]> {
    const [section] = sections
    return (await Array.fromAsync(section?.read(db, userId) ?? [])).flat()
  }

  test('are of the person alone, oldest first, without the secrets', async () => {
    const made = { index: 'i', sealed: 's', version: 1, flow: null, expiresAt: 9000 }
    const reset = { ...made, purpose: 'reset', userId: 1 } as const
    await store.insert({ ...reset, id: 'a', createdAt: 2000 })
    await store.insert({ ...reset, id: 'b', createdAt: 1000, purpose: 'sign_in' })
    await store.insert({ ...reset, id: 'c', createdAt: 3000, userId: 2 })
    await store.insert({ ...reset, id: 'd', createdAt: 4000, userId: null })
    await store.use('b', 5000)
    const expires_at = '1970-01-01T00:00:09.000Z'
    assert.deepEqual(await read(1), [
      {
        ...{ purpose: 'sign_in', created_at: '1970-01-01T00:00:01.000Z', expires_at },
        used_at: '1970-01-01T00:00:05.000Z',
      },
      { purpose: 'reset', created_at: '1970-01-01T00:00:02.000Z', expires_at, used_at: null },
    ])
    assert.equal((await read(2)).length, 1)
  })
})
