import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { startCluster } from './cluster.ts'
import { admin, startNode } from './node.ts'
import { databases } from './workers.ts'

const query = `select count(*) as count from audit_records
  where type = 'authn_token_created'`

for (const database of databases) {
  suite(`a service that is killed after refreshes, on ${database}`, () => {
    test('has the record of each refresh that it has answered', async () => {
      const cluster = database === 'postgres' ? await startCluster() : undefined
      const name = (await cluster?.createDatabase()) ?? ''
      const node = await startNode({ env: cluster ? { DATABASE_URL: cluster.url(name) } : {} })
      const recorded = async () => {
        if (cluster) return Number((await cluster.query<{ count: number }>(name, query))[0]?.count)
        const file = new DatabaseSync(join(node.directory, databaseFileName), { timeout: 10_000 })
        try {
          return Number(file.prepare(query).get()?.count)
        } finally {
          file.close()
        }
      }
      try {
        const form = { ...admin, mode: 'pair' }
        const { refresh_token } = (await node.caller.call('POST', '/login', { form })).body
        for (let kill = 1; kill <= 3; kill += 1) {
          const refresh = () => node.caller.call('POST', '/refresh', { form: { refresh_token } })
          const answers = await Promise.all(Array.from({ length: 20 }, refresh))
          await node.kill()
          assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
          assert.equal(await recorded(), kill * 20 + 1) // and that of the login
          await node.start()
        }
      } finally {
        await node.remove()
        await cluster?.remove()
      }
    })
  })
}
