// A database makes a difference: the section reads rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ownDatabase } from '../../../test/own-database.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { sections } from './personal-data.ts'
import { sessionStore } from './store.ts'

suite('the sessions in the data of a person', async () => {
  const { db } = await ownDatabase()
  await storeAccounts(db, [{}, {}])
  const store = sessionStore(db)

  async function read(userId: number): Promise<object[]> {
    const [section] = sections
    return (await Array.fromAsync(section?.read(db, userId) ?? [])).flat()
  }

  test('are of the person alone, oldest first, without the secrets', async () => {
    const client = { address: '192.0.2.1', userAgent: 'curl' }
    const session = { ...client, userId: 1, csrfToken: 'csrf', authTime: null, isKept: false }
    await store.insert({ ...session, id: 'a', amr: ['pwd', 'otp'], createdAt: 2000 })
    await store.insert({ ...session, id: 'b', amr: [], createdAt: 1000, isKept: true })
    await store.insert({ ...session, id: 'c', amr: [], createdAt: 3000, userId: 2 })
    await store.touch('b', 4000)
    const shown = { address: '192.0.2.1', user_agent: 'curl' }
    assert.deepEqual(await read(1), [
      {
        ...{ ...shown, kept: true, factors: [] },
        created_at: '1970-01-01T00:00:01.000Z',
        last_seen_at: '1970-01-01T00:00:04.000Z',
      },
      {
        ...{ ...shown, kept: false, factors: ['pwd', 'otp'] },
        created_at: '1970-01-01T00:00:02.000Z',
        last_seen_at: '1970-01-01T00:00:02.000Z',
      },
    ])
    assert.equal((await read(2)).length, 1)
  })
})
