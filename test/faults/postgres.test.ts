import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { type RestartableCluster, startCluster } from './cluster.ts'
import { killUnderLoad } from './kills.ts'
import { type LossName, nodeToLoseItsDatabase, poolMax } from './losses.ts'
import { assertMigration, assertNewerIsRefused, assertOneSchema, assertWhole } from './outcomes.ts'

const names: readonly LossName[] = ['killed', 'paused', 'cut off']

/** PostgreSQL and the service as processes of their own, stopped and killed in every way. */
suite('PostgreSQL that fails', () => {
  let starting: Promise<RestartableCluster> | undefined
  const cluster = () => {
    starting ??= startCluster()
    return starting
  }
  after(async () => (await starting)?.remove())

  for (const victim of ['service', 'postmaster'] as const) {
    test(`R1: kill -9 of the ${victim} loses nothing that was acknowledged`, async () => {
      assertWhole(await killUnderLoad({ cluster: await cluster(), kills: 1, changes: 60, victim }))
    })
  }

  test('R3: without a database nothing is open, all is answered in time, and the node is back soon', async () => {
    const timeoutMs = 500
    const node = await nodeToLoseItsDatabase(await cluster(), timeoutMs)
    try {
      for (const name of names) {
        const figures = await node.loseDatabase(name, { awayMs: 900, each: 3 })
        assert.deepEqual([figures.open, figures.odd], [[], []], name)
        const { slowestMs, slowestWithoutMs, recoveredMs } = figures
        const boundMs = timeoutMs + 2000 + slowestWithoutMs
        assert.ok(slowestMs < boundMs, `${name}: ${slowestMs} ms, of ${boundMs}`)
        assert.ok(recoveredMs < 5000 + slowestWithoutMs, `${name}: ${recoveredMs} ms`)
        assert.ok(figures.maxConnections <= poolMax + 1, `${name}: ${figures.maxConnections}`)
        assert.equal(figures.exited, false, name)
      }
    } finally {
      await node.remove()
    }
  })

  test('R8: a migration that is killed is whole the next time, a newer one refused, a double one one', async () => {
    const server = await cluster()
    await Promise.all([
      assertMigration(server, [9]),
      assertMigration(server, [14], 'everything'),
      assertNewerIsRefused(server),
      assertOneSchema(server),
    ])
  })
})
