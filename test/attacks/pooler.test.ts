// A database makes a difference: PostgreSQL alone stands behind a pooler.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { testApp } from '../app.ts'
import { connectTo, postgresOnly as test } from '../database.ts'
import { databasePooler } from '../database-proxy.ts'

suite('a pooler between a node and PostgreSQL', () => {
  test('T57: a token that another node has ended is refused, although no notice comes through', async () => {
    const near = await testApp()
    const { db, address } = await connectTo({ directory: near.directory })
    await db.destroy()
    assert.ok(address)
    const far = await testApp(
      { DATABASE_URL: await databasePooler(address) },
      { directory: near.directory, clock: near.clock },
    )
    const status = async (headers: Record<string, string>) =>
      (await far.call('GET', '/api/me', { headers })).status
    for (let round = 0; round < 3; round += 1) {
      const headers = await near.bearer(near.admin)
      assert.equal(await status(headers), 200)
      assert.equal((await near.call('POST', '/logout', { headers })).status, 200)
      assert.equal(await status(headers), 401)
      assert.equal(far.deps.feed.isCurrent(), false)
    }
    await far.close()
  })
})
