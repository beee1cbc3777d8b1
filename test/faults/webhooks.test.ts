import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { type RestartableCluster, startCluster } from './cluster.ts'
import { killWebhooks } from './webhook-kills.ts'

suite('webhooks through kills of sender and receiver', () => {
  let cluster: RestartableCluster | undefined
  after(() => cluster?.remove())

  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    test(`${database}: each event arrives, with its id, in the order of its account`, async () => {
      if (database === 'PostgreSQL') cluster = await startCluster()
      const options = { rounds: 2, changes: 60 }
      const figures = await killWebhooks({ ...options, ...(cluster && { cluster }) })
      const { acknowledged, events, missing, changed, outOfOrder } = figures
      assert.deepEqual([missing, changed, outOfOrder], [[], [], []])
      assert.ok(acknowledged > 100 && events >= acknowledged, `${events} of ${acknowledged}`)
    })
  }
})
