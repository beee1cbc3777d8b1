import assert from 'node:assert/strict'
import type { RestartableCluster } from './cluster.ts'
import type { KillFigures } from './kills.ts'
import { interruptMigration, latest, oldDatabase } from './migrations.ts'
import { basic } from './node.ts'

/** R1: what every kill must leave. */
export function assertWhole(figures: KillFigures): void {
  assert.deepEqual([figures.lost, figures.half, figures.audit], [[], [], []])
  assert.ok(figures.integrity.every((answer) => answer === 'ok'))
}

export async function assertMigration(
  cluster: RestartableCluster | null,
  statements: readonly number[],
  contents?: 'everything',
): Promise<void> {
  const figures = await interruptMigration(cluster, statements, contents)
  assert.equal(figures.inTheMiddle, statements.length)
  assert.deepEqual(figures.half, [])
  assert.equal(figures.versions.length, latest)
  assert.equal(figures.missingUsers, 0)
}

export async function assertNewerIsRefused(cluster: RestartableCluster | null): Promise<void> {
  const database = await oldDatabase(cluster)
  await database.claim(999)
  const node = database.node()
  try {
    await assert.rejects(node.start(), (error: Error) => {
      assert.match(error.message, /^exit 1 before/)
      assert.match(error.message, /the database has schema 999, .*start a newer Gatehouse/)
      return true
    })
    assert.deepEqual(await database.versions(), [1, 999])
  } finally {
    await node.remove()
  }
}

export async function assertOneSchema(cluster: RestartableCluster | null): Promise<void> {
  const database = await oldDatabase(cluster, 'nothing')
  const nodes = [database.node(), database.node()]
  try {
    const starts = await Promise.allSettled(nodes.map((node) => node.start()))
    const refusals = starts.flatMap((start) => (start.status === 'rejected' ? start.reason : []))
    assert.equal(refusals.length, cluster ? 0 : 1, 'one service uses a SQLite folder')
    for (const { message } of refusals) {
      assert.match(message, /^exit 1 .+\nGatehouse cannot start: .+gatehouse\.lock is held by/)
    }
    assert.equal((await database.versions()).length, latest)
    for (const { caller } of nodes.filter((_, index) => starts[index]?.status === 'fulfilled')) {
      const { body } = await caller.call('GET', '/users', { headers: basic })
      assert.equal(body.length, 1, 'one administrator')
    }
  } finally {
    for (const node of nodes) await node.remove()
  }
}
