import { join } from 'node:path'
import { type RestartableCluster, startCluster } from '../../test/faults/cluster.ts'
import { measureLeases } from '../drill/bare-leases.ts'
import { type EndFigures, measureEnds, type Nodes, readsOf, startNodes } from '../drill/end-rate.ts'
import { build, remove, versionAt, versionsBefore } from '../drill/version-before.ts'
import { goal, missedGoals, print, verdict } from '../growth/table.ts'

/**
 * Measures the cost of ends that count at every node: in turns with the previous version; with 1, 2
 * and 3 nodes; with a node that stands still; and the leases of 1, 10 and 25 idle nodes.
 * `npm run prove -- revocation-cost [turns] [commit of the previous version]`
 */
const turns = Number(process.argv[2] ?? 6)
const before = process.argv[3] ? versionAt(process.argv[3]) : versionsBefore()[0]
const [many, endsOfMany, endsOfOne] = [16, 640, 100]
const mostMoreMs = 3
const mostStoppedMs = 1050
const leastShare = 0.8

const cluster: RestartableCluster = await startCluster()
try {
  await compare()
  await byNodes()
  await stopped()
  await leases()
  print(verdict())
  process.exitCode = missedGoals() === 0 ? 0 : 1
} finally {
  await cluster.remove()
}

async function compare(): Promise<void> {
  if (!before) return
  const folder = build(before)
  const now = await startNodes(cluster, 2)
  const earlier = await startNodes(cluster, 2, join(folder, 'src/main.ts'))
  try {
    print(`two nodes, in turns with ${before.version} (${before.commit.slice(0, 8)})`)
    const figures = { now: [] as Pair[], earlier: [] as Pair[] }
    for (let turn = 0; turn <= turns; turn += 1) {
      const order = [
        ['now', now],
        ['earlier', earlier],
      ] as const
      for (const [name, nodes] of turn % 2 ? order.toReversed() : order) {
        const pair = await pairOf(nodes)
        if (turn > 0) figures[name].push(pair) // the first turn warms up
      }
    }
    const ratios = (of: (pair: Pair) => number) =>
      figures.now.map((pair, index) => of(pair) / of(figures.earlier[index] ?? pair))
    for (const [name, all] of Object.entries(figures)) {
      tell(
        `${name}, 1 caller`,
        all.map(({ one }) => one),
      )
      tell(
        `${name}, ${many} callers`,
        all.map(({ crowd }) => crowd),
      )
    }
    const more = figures.now.map(
      ({ one }, index) => one.p50 - (figures.earlier[index]?.one.p50 ?? 0),
    )
    goal('p50 of one caller, more than before, ms', median(more), mostMoreMs)
    const rate = median(ratios(({ crowd }) => crowd.perSecond))
    goal(
      `1 / ends per second of ${many} callers, of the previous version`,
      1 / rate,
      1 / leastShare,
    )
    const work = median(ratios(({ crowd }) => 1 / totalOf(crowd)))
    print(`  the same by processor time of all: ${work.toFixed(2)}`)
  } finally {
    await end(now)
    await end(earlier)
    remove(folder)
  }
}

async function byNodes(): Promise<void> {
  print('\n1, 2 and 3 nodes')
  for (const count of [1, 2, 3]) {
    const nodes = await startNodes(cluster, count)
    try {
      await pairOf(nodes)
      const pairs: Pair[] = []
      while (pairs.length < Math.ceil(turns / 2)) pairs.push(await pairOf(nodes))
      tell(
        `${count}, 1 caller`,
        pairs.map(({ one }) => one),
      )
      tell(
        `${count}, ${many} callers`,
        pairs.map(({ crowd }) => crowd),
      )
      for (const [path, microseconds] of await readsOf(nodes)) {
        print(`  ${count}, GET ${path}: ${microseconds.toFixed(0)} us of processor time a request`)
      }
    } finally {
      await end(nodes)
    }
  }
}

async function stopped(): Promise<void> {
  const nodes = await startNodes(cluster, 2)
  const pid = nodes.others[0]?.service.process.pid ?? 0
  try {
    const answers: number[] = []
    for (let times = 0; times < 10; times += 1) {
      // Only the first end after a stop waits: afterwards the node counts as gone.
      process.kill(pid, 'SIGSTOP')
      const { p50 } = await measureEnds(nodes, { callers: 1, ends: 1, isChecked: false })
      process.kill(pid, 'SIGCONT')
      await measureEnds(nodes, { callers: 1, ends: 1 })
      answers.push(p50)
    }
    print('\na node that stands still')
    goal('p50, ms', median(answers), mostStoppedMs)
  } finally {
    process.kill(pid, 'SIGCONT')
    await end(nodes)
  }
}

async function leases(): Promise<void> {
  print('\nleases without services, on one server')
  const nodes = await startNodes(cluster, 1)
  await nodes.near.stop()
  for (const count of [1, 10, 25]) {
    const { idle, p50, p99, serverPerEnd } = await measureLeases(cluster, nodes.database, count)
    print(
      `  ${count} nodes: idle ${idle.node.toFixed(2)} ms/s of a node, ${idle.server.toFixed(2)} ms/s of the server for each; an end after its commit p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${serverPerEnd.toFixed(2)} ms of the server`,
    )
  }
  await end(nodes)
}

interface Pair {
  readonly one: EndFigures
  readonly crowd: EndFigures
}

async function pairOf(nodes: Nodes): Promise<Pair> {
  return {
    one: await measureEnds(nodes, { callers: 1, ends: endsOfOne }),
    crowd: await measureEnds(nodes, { callers: many, ends: endsOfMany }),
  }
}

function tell(what: string, all: readonly EndFigures[]): void {
  const of = (read: (figures: EndFigures) => number) => median(all.map(read))
  print(
    `  ${what}: ${of((each) => each.perSecond).toFixed(0)} ends/s; p50 ${of((each) => each.p50).toFixed(1)} ms, p99 ${of((each) => each.p99).toFixed(1)} ms; processor time of an end: ${of((each) => each.processor.near).toFixed(2)} ms here, ${of((each) => each.processor.far).toFixed(2)} ms at each other node, ${of((each) => each.processor.server).toFixed(2)} ms of the server; accepted afterwards ${all.reduce((sum, each) => sum + each.accepted, 0)}`,
  )
}

function totalOf({ processor: { near, far, server } }: EndFigures): number {
  return near + far + server
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function end({ near, others, made }: Nodes): Promise<void> {
  await made.close()
  await Promise.all([near, ...others].map((node) => node.remove()))
}
