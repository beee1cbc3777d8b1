import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, suite, test } from 'node:test'
import pg from 'pg'
import { masterKey } from '../master-key.ts'
import { type RestartableCluster, startCluster } from './cluster.ts'
import { bearer, isReady, type ServiceNode, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

const writesPerNode = 100

/** Two nodes write, transactions commit late, the database is away for a while: all is followed. */
suite('audit export --follow, on two nodes and one PostgreSQL', () => {
  let starting: Promise<Place> | undefined
  const place = () => {
    starting ??= startPlace()
    return starting
  }
  after(async () => (await starting)?.remove())

  test('loses no record, and has each once', async () => {
    const { cluster, database, nodes, follower } = await place()
    await waitUntil('the first records', () => follower.ids().length > 0)
    const late = await Promise.all([1, 2, 3].map((number) => lateCommit(number)))
    await writeAtAll(nodes)
    await waitUntil(
      'the records of later numbers',
      () => follower.ids().length >= 2 * writesPerNode,
    )
    for (const commit of late) await commit()
    await assertAllFollowed()

    const tooLate = await lateCommit(4)
    await cluster.end('SIGINT') // the transaction under way is rolled back
    await waitUntil('a warning', () => follower.errors().includes('is not available'))
    await assert.rejects(tooLate())
    await cluster.start()
    for (const node of nodes) await waitUntil('a node is back', () => isReady(node))
    await writeAtAll(nodes)
    await assertAllFollowed()
    assert.match(follower.errors(), /available again/)
    assert.equal(await follower.stop(), 0)

    async function assertAllFollowed() {
      const stored = () => cluster.query<{ id: string }>(database, 'select id from audit_records')
      await waitUntil('all records', async () => {
        const followed = new Set(follower.ids())
        return (await stored()).every(({ id }) => followed.has(id))
      })
      const ids = follower.ids()
      assert.equal(ids.length, new Set(ids).size)
      assert.deepEqual(ids.toSorted(), (await stored()).map(({ id }) => id).toSorted())
    }

    /** Inserts a record of a chain of its own, and answers the function that commits it. */
    async function lateCommit(number: number): Promise<() => Promise<void>> {
      const client = new pg.Client({ connectionString: cluster.url(database) })
      client.on('error', () => {}) // the server throws it out
      await client.connect()
      await client.query('begin')
      const chain = `late ${number}`
      await client.query(
        'insert into audit_chains (chain, instance, version, opened_at) values ($1, $2, $2, 0)',
        [chain, 'test'],
      )
      await client.query(
        `insert into audit_records (chain, place, id, at, type, level, outcome, facts, mac)
         values ($1, 1, $1, 0, 'late', 'info', 'success', '{}', '')`,
        [chain],
      )
      return async () => {
        await client.query('commit')
        await client.end()
      }
    }
  })
})

async function writeAtAll(nodes: readonly ServiceNode[]): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      const headers = bearer(await node.token())
      const writes = Array.from({ length: writesPerNode }, (_, index) => {
        const json = { name: `seen-${index}`, email: 'someone@example.org' }
        return node.caller.call('POST', '/users', { headers, json })
      })
      for (const { status } of await Promise.all(writes)) assert.equal(status, 201)
    }),
  )
}

interface Follower {
  /** The ids of the records that it has written. */
  ids(): string[]
  errors(): string
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>
}

interface Place {
  readonly cluster: RestartableCluster
  readonly database: string
  readonly nodes: readonly ServiceNode[]
  readonly follower: Follower
  remove(): Promise<void>
}

async function startPlace(): Promise<Place> {
  const cluster = await startCluster()
  const database = await cluster.createDatabase()
  const env = { DATABASE_URL: cluster.url(database), DATABASE_TIMEOUT_MS: '20000' }
  const nodes = [await startNode({ env }), await startNode({ env })]
  const directory = nodes[0]?.directory ?? ''
  const child = spawn(process.execPath, ['src/cli/main.ts', 'audit', 'export', '--follow'], {
    env: { ...process.env, NODE_ENV: 'test', DATA_DIR: directory, MASTER_KEY: masterKey, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [written, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const lines = () =>
    written
      .slice(0, written.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1)
  return {
    cluster,
    database,
    nodes,
    follower: {
      ids: () => lines().map((line) => JSON.parse(line).id),
      errors: () => errors,
      async stop() {
        child.kill('SIGTERM')
        const [code] = await once(child, 'close')
        return code
      },
    },
    async remove() {
      child.kill('SIGKILL')
      for (const node of nodes) await node.remove()
      await cluster.remove()
    },
  }
}
