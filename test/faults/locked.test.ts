import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/database/connect.ts'
import { bearer, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

suite('R3: SQLite, locked by another process', () => {
  test('changes are 503 within the time limit, reads go on, and all is well once it lets go', async () => {
    const timeoutMs = 500
    const env = { DATABASE_TIMEOUT_MS: String(timeoutMs), LOGIN_ATTEMPTS: '5' }
    const node = await startNode({ env })
    const other = new DatabaseSync(join(node.directory, databaseFileName))
    try {
      const headers = bearer(await node.token())
      const revoked = bearer(await node.token())
      await node.caller.call('POST', '/logout', { headers: revoked })
      const json = { name: 'N', email: 'n@example.org' }
      other.exec('begin immediate')
      const until = performance.now() + 3 * timeoutMs
      while (performance.now() < until) {
        const changes = await Promise.all([
          node.caller.call('POST', '/users', { headers, json }),
          node.caller.call('POST', '/users', { headers, json }),
          node.caller.call('POST', '/logout', { headers }),
          node.login('session'),
          node.login('token', { username: 'somebody', password: 'not the password' }),
        ])
        for (const { status, milliseconds } of changes) {
          assert.equal(status, 503)
          assert.ok(milliseconds < 2 * timeoutMs, String(milliseconds))
        }
        const reads = [
          [200, await node.caller.call('GET', '/users', { headers })],
          [200, await node.caller.call('GET', '/api/me', { headers })],
          [401, await node.caller.call('GET', '/api/me', { headers: revoked })],
        ] as const
        for (const [wanted, { status, milliseconds }] of reads) {
          assert.equal(status, wanted)
          assert.ok(milliseconds < timeoutMs, String(milliseconds))
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
