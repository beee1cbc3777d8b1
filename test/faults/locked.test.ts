import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import type { Reply } from './http.ts'
import { bearer, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

const timeoutMs = 2000
const rounds = 2

suite('R3: SQLite, locked by another process', () => {
  test('changes are 503 within the time limit, reads go on, and all is well once it lets go', async () => {
    const env = { DATABASE_TIMEOUT_MS: String(timeoutMs), LOGIN_ATTEMPTS: '5' }
    const node = await startNode({ env })
    const path = join(node.directory, databaseFileName)
    const other = new DatabaseSync(path, { timeout: 10_000 })
    try {
      const headers = bearer(await node.token())
      const revoked = bearer(await node.token())
      await node.caller.call('POST', '/logout', { headers: revoked })
      const json = { name: 'N', email: 'n@example.org' }
      other.exec('begin immediate')
      for (let round = 0; round < rounds; round += 1) {
        const answered: Reply[] = []
        const noted = async (reply: Promise<Reply>) => answered.push(await reply)
        const changes = [
          noted(node.caller.call('POST', '/users', { headers, json })),
          noted(node.caller.call('POST', '/users', { headers, json })),
          noted(node.caller.call('POST', '/logout', { headers })),
          noted(node.login('session')),
          noted(node.login('token', { username: 'somebody', password: 'not the password' })),
        ]
        const reads = [
          [200, await node.caller.call('GET', '/users', { headers })],
          [200, await node.caller.call('GET', '/api/me', { headers })],
          [401, await node.caller.call('GET', '/api/me', { headers: revoked })],
        ] as const
        for (const [wanted, { status }] of reads) assert.equal(status, wanted)
        // They were asked for later, one after the other, and none has waited for the lock.
        assert.equal(answered.length, 0, 'reads are answered while the changes wait')
        await Promise.all(changes)
        for (const { status, milliseconds } of answered) {
          assert.equal(status, 503)
          assert.ok(milliseconds < timeoutMs + 2000, `${milliseconds} ms`)
        }
      }
      other.exec('rollback')
      await waitUntil('a login', async () => (await node.login('session')).status === 200)
      assert.equal((await node.caller.call('POST', '/users', { headers, json })).status, 201)
      const users = await node.caller.call('GET', '/users?limit=1', { headers })
      assert.equal(users.body.total, 2, 'what was refused was not done')
    } finally {
      other.close()
      await node.remove()
    }
  })
})
