import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type RestartableCluster, startCluster } from '../../test/faults/cluster.ts'
import { type Load, startLoad } from '../drill/load.ts'
import { admin, type DrillNode, gatehouse, startNode } from '../drill/node.ts'
import { differences, digestsOf } from '../drill/row-digests.ts'
import {
  build,
  presentVersion,
  remove,
  type VersionBefore,
  versionAt,
  versionsBefore,
} from '../drill/version-before.ts'
import { goal, missedGoals, print, verdict } from '../growth/table.ts'

/**
 * Moves two nodes on PostgreSQL from the version before to this one under load, one after the other, and back
 * as far as the schema allows, with a backup and a restore before and after. A request that fails is a failed
 * proof. `npm run prove -- upgrade [--seconds n] [--commit name] [--as version]`; `--as`: as if this were
 * that version.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    commit: { type: 'string' },
    as: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const passphrase = 'seven lamps upon a quiet harbour wall\n'
const lanes = 6

const from = values.commit ? [versionAt(values.commit)] : versionsBefore(values.as)
for (const before of from) await prove(before)
print(verdict())
process.exit(missedGoals() === 0 ? 0 : 1)

interface Drill {
  readonly cluster: RestartableCluster
  readonly before: VersionBefore
  readonly root: string
  readonly files: string
  readonly env: Record<string, string>
  readonly database: string
}

async function prove(before: VersionBefore): Promise<void> {
  const present = values.as ?? presentVersion()
  print(`${before.version} (${before.commit.slice(0, 8)}) to ${present}, PostgreSQL`)
  const root = build(before)
  const files = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  const cluster = await startCluster()
  const nodes: DrillNode[] = []
  try {
    const database = await cluster.createDatabase()
    const MASTER_KEY = randomBytes(32).toString('hex')
    const env = { DATABASE_URL: cluster.url(database), MASTER_KEY }
    await drill({ cluster, before, root, files, env, database }, nodes)
  } finally {
    for (const { service } of nodes) await service.stop('SIGKILL')
    for (const { service } of nodes) service.remove()
    await cluster.remove()
    rmSync(files, { recursive: true, force: true })
    remove(root)
  }
}

async function drill(given: Drill, nodes: DrillNode[]): Promise<void> {
  const { cluster, before, root, env, database } = given
  for (const name of ['node 1', 'node 2']) nodes.push(await startNode(name, env, { root }))
  const load = await startLoad({ targets: nodes, lanes, admin })
  const query = <T extends object>(text: string) => cluster.query<T>(database, text)

  load.phase(`both of ${before.version}`)
  await setTimeout(seconds * 1000)
  const still = await digestsOf(query, 'still')
  const old = await copied(given, load, { root, name: before.version })

  load.phase('node 1 moves, and the schema with it')
  await move(0, undefined)
  load.phase('both versions serve')
  await setTimeout(seconds * 1000)
  goal('tables changed by the move', differences(still, await digestsOf(query, 'still')).length, 0)

  load.phase('node 2 moves')
  await move(1, undefined)
  load.phase('all moved')
  await setTimeout(seconds * 1000)
  await copied(given, load, { root: undefined, name: 'this version' })

  load.phase('back')
  await back()
  await setTimeout(seconds * 1000)
  await load.stop()

  for (const { phase, requests, failed, p50Ms, p99Ms } of load.figures()) {
    print(`  ${phase}: ${requests} requests, ${failed} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`)
  }
  for (const failure of load.failures.slice(0, 20)) print(`    ${JSON.stringify(failure)}`)
  goal('failed requests', load.failures.length, 0)
  const posts = await query<{ id: string; title: string }>('select id, title from posts')
  const there = new Map(posts.map(({ id, title }) => [Number(id), title]))
  const lost = [...load.acknowledged].filter(([id, title]) => there.get(id) !== title)
  goal(`acknowledged posts lost, of ${load.acknowledged.size}`, lost.length, 0)
  goal('tables changed in the end', differences(still, await digestsOf(query, 'still')).length, 0)
  const verified = JSON.parse(await gatehouse(['audit', 'verify', '--json'], env))
  goal('problems of the audit log', verified.problem_count, 0)
  await restoredWayBack(given, old)

  /** Replaces a node: out of the proxy, stopped, started from another folder, in again. */
  async function move(index: number, folder: string | undefined): Promise<void> {
    const node = nodes[index]
    if (!node) throw new Error('no such node')
    await load.takeOut(node)
    const code = await node.service.stop()
    if (code !== 0) goal(`exit code of ${node.name}`, code ?? 1, 0)
    const { name, directory } = node
    const moved = await startNode(name, env, { directory, ...(folder && { root: folder }) })
    nodes[index] = moved
    load.putIn(moved)
  }

  /** Back to the version before, as far as the schema allows. */
  async function back(): Promise<void> {
    try {
      for (const index of [0, 1]) await move(index, root)
      print(`  back: ${before.version} starts on the schema of this version, and serves`)
    } catch (error) {
      const [, reason = String(error)] = /Gatehouse cannot start: (.*)/.exec(String(error)) ?? []
      print(
        `  back: a node of ${before.version} that runs serves on; one that starts says: ${reason}`,
      )
      await returned()
    }
  }

  /** The node that did not start is of this version again. */
  async function returned(): Promise<void> {
    const [node] = nodes
    if (!node) return
    const again = await startNode(node.name, env, { directory: node.directory })
    nodes[0] = again
    load.putIn(again)
  }
}

interface Copy {
  readonly file: string
  readonly digests: Awaited<ReturnType<typeof digestsOf>>
}

/** Backs up and restores into another database, while the callers wait: both have the same rows. */
async function copied(
  { cluster, env, files, database }: Drill,
  load: Load,
  { root, name }: { readonly root: string | undefined; readonly name: string },
): Promise<Copy> {
  const goOn = await load.pause()
  try {
    await setTimeout(2000) // what is written behind an answer: activity, reasons, checkpoints
    const file = join(files, `${name.replace(/\W/g, '-')}.backup`)
    const at = root === undefined ? { input: passphrase } : { root, input: passphrase }
    await gatehouse(['backup', file], env, at)
    const digests = await digestsOf((text) => cluster.query(database, text), 'copied')
    const other = await cluster.createDatabase()
    const elsewhere = { ...env, DATABASE_URL: cluster.url(other), DATA_DIR: files }
    await gatehouse(['restore', file, '--keep-logins'], elsewhere, at)
    const restored = await digestsOf((text) => cluster.query(other, text), 'copied')
    const different = differences(digests, restored)
    if (different.length > 0) print(`    ${different.join(', ')}`)
    print(`  backup and restore by ${name}: ${digests.size} tables`)
    goal('tables that differ after the restore', different.length, 0)
    return { file, digests }
  } finally {
    goOn()
  }
}

/** The way back that always is: the backup of the version before, in a database of its own. */
async function restoredWayBack({ cluster, before, env, files, root }: Drill, old: Copy) {
  const name = await cluster.createDatabase()
  const elsewhere = { ...env, DATABASE_URL: cluster.url(name), DATA_DIR: files }
  await gatehouse(['restore', old.file, '--keep-logins'], elsewhere, { root, input: passphrase })
  const digests = await digestsOf((text) => cluster.query(name, text), 'copied')
  goal(
    'tables that differ in the restored version before',
    differences(old.digests, digests).length,
    0,
  )
  const node = await startNode('restored', { ...env, DATABASE_URL: cluster.url(name) }, { root })
  try {
    const body = new URLSearchParams({ ...admin, mode: 'token' })
    const { status } = await fetch(`${node.url}/login`, { method: 'POST', body })
    goal(`logins that fail at ${before.version} on its restored backup`, status === 200 ? 0 : 1, 0)
  } finally {
    await node.service.stop()
    node.service.remove()
  }
}
