// A database makes a difference: the section joins rows.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databaseWithAccounts } from '../../../test/stores.ts'
import { sessionStore } from '../../modules/sessions/store.ts'
import { sections } from './personal-data.ts'
import { forwardStore } from './store.ts'

suite('the sessions at application hosts in the data of a person', async () => {
  const db = await databaseWithAccounts(2)
  const [sessions, store] = [sessionStore(db), forwardStore(db)]

  async function read(userId: number): Promise<object[]> {
    const [section] = sections
    return (await Array.fromAsync(section?.read(db, userId) ?? [])).flat()
  }

  test('are of all sessions of the person alone, oldest first, without the secrets', async () => {
    const session = { address: '::1', userAgent: 'curl', csrfToken: 'c', authTime: null, amr: [] }
    for (const [id, userId] of [
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ] as const) {
      await sessions.insert({ ...session, id, userId, createdAt: 0, isKept: false })
    }
    const at = (sessionId: string, host: string, createdAt: number) => ({
      ...{ sessionId, origin: `https://${host}.example.org`, createdAt },
    })
    await store.replace('x', at('a', 'wiki', 3000), 5)
    await store.replace('y', at('b', 'docs', 2000), 5)
    await store.replace('z', at('c', 'mail', 1000), 5)
    assert.deepEqual(await read(1), [
      { origin: 'https://docs.example.org', created_at: '1970-01-01T00:00:02.000Z' },
      { origin: 'https://wiki.example.org', created_at: '1970-01-01T00:00:03.000Z' },
    ])
    assert.deepEqual(await read(2), [
      { origin: 'https://mail.example.org', created_at: '1970-01-01T00:00:01.000Z' },
    ])
  })
})
