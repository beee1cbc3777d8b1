import pg from 'pg'
import { connectionOf, parsePostgresAddress } from '../../src/core/database/postgres/address.ts'
import { createNodeLease, type NodeLease } from '../../src/core/database/postgres/node-lease.ts'
import type { RestartableCluster } from '../../test/faults/cluster.ts'
import { waitMs, waitUntil } from '../../test/faults/waiting.ts'
import { serverMs } from './end-rate.ts'

export interface LeaseFigures {
  readonly nodes: number
  /** Milliseconds of processor time a second: of an idle node, and of the server for each node. */
  readonly idle: { readonly node: number; readonly server: number }
  /** From the commit to the answer, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds of processor time of the server for one end, its commit included. */
  readonly serverPerEnd: number
}

const key = Buffer.alloc(32, 1)
const idleMs = 6000
const ends = 200

/** Measures the leases of `nodes` nodes without services, in this process. `database` has the schema. */
export async function measureLeases(
  cluster: RestartableCluster,
  database: string,
  nodes: number,
): Promise<LeaseFigures> {
  const config = connectionOf(parsePostgresAddress(cluster.url(database), () => true))
  const leases: NodeLease[] = []
  for (let index = 0; index < nodes; index += 1) {
    const lease = createNodeLease(config, { unheardMs: 0 })
    lease.useKey?.(key)
    await waitUntil('a lease', () => lease.isCurrent())
    leases.push(lease)
  }
  const client = new pg.Client(config)
  await client.connect()
  try {
    const idle = await idleFigures(cluster, nodes)
    const [first] = leases
    if (!first) throw new Error('no node')
    const before = serverMs(cluster)
    const took: number[] = []
    for (let end = 0; end < ends; end += 1) {
      await client.query("insert into node_changes (subject) values ('measured')")
      const startedAt = performance.now()
      await first.confirmed()
      took.push(performance.now() - startedAt)
    }
    const serverPerEnd = (serverMs(cluster) - before) / ends
    took.sort((a, b) => a - b)
    const at = (part: number) => took[Math.ceil(took.length * part) - 1] ?? Number.NaN
    return { nodes, idle, p50: at(0.5), p99: at(0.99), serverPerEnd }
  } finally {
    await client.end()
    await Promise.all(leases.map((lease) => lease.close()))
  }
}

async function idleFigures(cluster: RestartableCluster, nodes: number) {
  const [before, own, startedAt] = [serverMs(cluster), process.cpuUsage(), performance.now()]
  await waitMs(idleMs)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(own)
  return {
    node: (user + system) / 1000 / seconds / nodes,
    server: (serverMs(cluster) - before) / seconds / nodes,
  }
}
